/* What the test programs share: counting failures, the functions of anabranch.h, test data. */
#ifndef CHECK_H
#define CHECK_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static long checks, failures;

static void check(int holds, const char* format, ...) {
  ++checks;
  if (holds || ++failures > 5) return;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "rank %d of %d: ", rank, size);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

static void* library_function(const char* name) {
  void* function = dlsym(RTLD_DEFAULT, name);
  if (function == NULL) {
    fprintf(stderr, "%s is not there: the library is not in front of this program\n", name);
    exit(3);
  }
  return function;
}

static void set(const char* name, const char* value) {
  int (*change)(const char*, const char*) = library_function("anabranch_set");
  if (change(name, value) == 0) return;
  const char* (*problem)(void) = library_function("anabranch_last_error");
  fprintf(stderr, "anabranch_set(\"%s\", \"%s\"): %s\n", name, value, problem());
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static const char* last_choice(void) {
  const char* (*choice)(void) = library_function("anabranch_last_choice");
  return choice();
}

/* Whether the last broadcast was served by the algorithm of a selection, "bcast/chain:segment=97".
 */
static int was_served_by(const char* selection) {
  size_t const length = strcspn(selection, ":");
  const char* choice = last_choice();
  return strncmp(choice, selection, length) == 0 &&
         (choice[length] == ':' || choice[length] == '\0');
}

static unsigned char test_byte(size_t index, unsigned seed) {
  return (unsigned char)(index * 167 + (index >> 8) * 59 + seed);
}

static void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Adds up what the ranks found: rank 0 prints it. Returns the exit code. */
static int finish(void) {
  long mine[2] = {checks, failures};
  long all[2] = {0, 0};
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld checks, %ld failures\n", all[0], all[1]);
  MPI_Finalize();
  return all[1] == 0 ? 0 : 1;
}

#endif
