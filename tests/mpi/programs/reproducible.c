/* Reductions of floating-point numbers whose sums depend on the order, again and again while ranks
   come late by times that differ from run to run. Prints "BITS CASE by ALGORITHM" for each case, a
   hash of the results of all ranks. Arguments are counts of elements. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kRepetitions = 3, kMostRanks = 64 };

static uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return value ^ (value >> 32);
}

static uint64_t hash_of(const void* memory, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const uint8_t*)memory)[i]) * 0x100000001b3;
  return hash;
}

/* Does not commute, and shows how operands are grouped. */
static void weighted(void* in, void* both, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)both)[i] += ((double*)in)[i] / 3;
}

static const char* const functions[] = {"reduce",         "reduce to the last",   "allreduce",
                                        "reduce_scatter", "reduce_scatter_block", "scan",
                                        "exscan"};
enum { kFunctions = sizeof functions / sizeof *functions };

/* `count` elements of the longer buffer, of `width` doubles' worth each. Returns the bytes that the
   rank gets. */
static size_t perform(int function, const void* in, void* out, int count, MPI_Datatype type,
                      MPI_Op op) {
  int counts[kMostRanks], width;
  int const part = count / size;
  MPI_Type_size(type, &width);
  for (int i = 0; i < size; ++i) counts[i] = i == 0 ? count - (size - 1) * part : part;
  size_t const bytes = (size_t)count * (size_t)width;
  switch (function) {
    case 0:
      MPI_Reduce(in, out, count, type, op, 0, MPI_COMM_WORLD);
      return rank == 0 ? bytes : 0;
    case 1:
      MPI_Reduce(in, out, count, type, op, size - 1, MPI_COMM_WORLD);
      return rank == size - 1 ? bytes : 0;
    case 2:
      MPI_Allreduce(in, out, count, type, op, MPI_COMM_WORLD);
      return bytes;
    case 3:
      MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD);
      return (size_t)counts[rank] * (size_t)width;
    case 4:
      MPI_Reduce_scatter_block(in, out, part, type, op, MPI_COMM_WORLD);
      return (size_t)part * (size_t)width;
    case 5:
      MPI_Scan(in, out, count, type, op, MPI_COMM_WORLD);
      return bytes;
    default:
      MPI_Exscan(in, out, count, type, op, MPI_COMM_WORLD);
      return rank == 0 ? 0 : bytes;
  }
}

static void try(int count, MPI_Datatype type, MPI_Op op, const char* name) {
  size_t const room = (size_t)count * sizeof(double) + sizeof(double);
  void* in = calloc(room, 1);
  void* out = calloc(room, 1);
  uint64_t const late = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
  for (int i = 0; i < count; ++i) {
    uint64_t const some = mixed((uint64_t)(i * kMostRanks + rank) + 1);
    double const value = (double)(some % 2000003) / ((double)(some % 1009) + 0.3) - 1000;
    if (type == MPI_FLOAT) {
      ((float*)in)[i] = (float)value;
    } else {
      ((double*)in)[i] = value;
    }
  }
  for (int function = 0; function < kFunctions; ++function) {
    uint64_t first = 0, all[kMostRanks];
    char served[256] = "";
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      if (repetition > 0) usleep((unsigned)(mixed(late + (uint64_t)repetition) % 2000));
      uint64_t const hash = hash_of(out, perform(function, in, out, count, type, op));
      strncpy(served, last_choice(), sizeof served - 1);
      if (repetition == 0) first = hash;
      check(hash == first, "%s of %d: other bits the next time", functions[function], count);
    }
    MPI_Gather(&first, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      uint64_t const bits = hash_of(all, sizeof(*all) * (size_t)size);
      printf("%016llx %s of %d %s by %s\n", (unsigned long long)bits, functions[function], count,
             name, served);
    }
  }
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Op ordered;
  MPI_Op_create(weighted, 0, &ordered);
  for (int i = 1; i < argc; ++i) {
    int const count = atoi(argv[i]);
    try(count, MPI_DOUBLE, MPI_SUM, "doubles");
    try(count, MPI_FLOAT, MPI_SUM, "floats");
    try(count, MPI_DOUBLE, ordered, "doubles in order");
  }
  MPI_Op_free(&ordered);
  return finish();
}
