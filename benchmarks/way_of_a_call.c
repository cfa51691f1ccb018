/* What way_of_a_call.py counts: the functions that rank 0 enters and leaves in each outermost call,
   until the library calls the MPI's Isend.

   The dispatcher takes the library that this becomes for the MPI, by the name of its file. It finds
   the PMPI_ functions below here and all others in the MPI behind it, whichever of the library's
   functions calls them.

   Written to the file WAY_OF_A_CALL: "+ object offset" for an entry, "- object offset" for an exit,
   and "send". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostEvents = 1 << 20 };

struct event {
  void* function; /* null: the MPI's Isend */
  int is_entry;
};

static struct event events[kMostEvents];
static int event_count;
static int depth;
static int has_sent; /* in this outermost call */

static void add(void* function, int is_entry) {
  if (has_sent) return;
  if (event_count == kMostEvents) {
    fputs("way_of_a_call: too many functions are entered\n", stderr);
    abort();
  }
  events[event_count++] = (struct event){function, is_entry};
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void* function, void* caller) {
  (void)caller;
  if (depth++ == 0) has_sent = 0;
  add(function, 1);
}

__attribute__((visibility("default"))) void __cyg_profile_func_exit(void* function, void* caller) {
  (void)caller;
  add(function, 0);
  --depth;
}

static void note_send(void) {
  add(NULL, 0);
  has_sent = 1;
}

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int dst, int tag, MPI_Comm comm,
               MPI_Request* request) {
  note_send();
  return MPI_Isend(buffer, count, type, dst, tag, comm, request);
}

int PMPI_Issend(const void* buffer, int count, MPI_Datatype type, int dst, int tag, MPI_Comm comm,
                MPI_Request* request) {
  note_send();
  return MPI_Issend(buffer, count, type, dst, tag, comm, request);
}

/* Each rank is on a node of its own, so that there is a network to choose an algorithm for. */
int PMPI_Get_processor_name(char* name, int* length) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", rank);
  return MPI_SUCCESS;
}

__attribute__((destructor)) static void write_events(void) {
  const char* path = getenv("WAY_OF_A_CALL");
  const char* rank = getenv("PMI_RANK");
  if (path == NULL || rank == NULL || atoi(rank) != 0) return;
  FILE* file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return;
  }
  for (int i = 0; i < event_count; ++i) {
    Dl_info info;
    if (events[i].function == NULL) {
      fputs("send\n", file);
    } else if (dladdr(events[i].function, &info) != 0) {
      uintptr_t const offset = (uintptr_t)events[i].function - (uintptr_t)info.dli_fbase;
      fprintf(file, "%c %s %#jx\n", events[i].is_entry ? '+' : '-', info.dli_fname,
              (uintmax_t)offset);
    }
  }
  fclose(file);
}
