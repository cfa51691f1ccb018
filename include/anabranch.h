/* The public C interface of Anabranch.
 *
 * None of it is needed to use the library: preloading it is enough. Link with -lanabranch, or look
 * the functions up with dlsym() where the library may not be loaded. All strings are UTF-8 and
 * belong to the library; those returned stay valid until the same thread calls the same function
 * again. */
#ifndef ANABRANCH_H
#define ANABRANCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* "1.2.3" */
const char* anabranch_version(void);

/* Changes a setting for later collectives, as the environment variable ANABRANCH_<NAME> would have
 * set it: anabranch_set("bcast", "bcast/chain:segment=4KiB"). All ranks must do so alike, between
 * the same collectives. Returns 0, or 1 when the name or the value is invalid (then nothing
 * changes), or before MPI_Init. */
int anabranch_set(const char* name, const char* value);

/* Why the last anabranch_set of this thread returned 1: one line that names what is valid. */
const char* anabranch_last_error(void);

/* What served the last collective of this thread: "bcast/chain:segment=4096", or "native". */
const char* anabranch_last_choice(void);

#ifdef __cplusplus
}
#endif

#endif
