/* Broadcasts of all kinds of datatypes. For each case the memory that a served broadcast leaves,
   gaps included, must be that which the MPI's own broadcast leaves. The arguments are the
   algorithms. */
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "check.h"
#include "same_types.h"

enum { kArena = 1 << 17, kMiddle = 1 << 16 };

typedef struct {
  const char* name;
  /* `at` is the middle of an arena; `kind` differs between ranks, whose signatures are all equal.
   */
  View (*make)(char* at, int kind);
} Case;

/* ---- cases where the ranks pass different (count, datatype) with equal signatures */

static View one_vector_or_many_ints(char* at, int kind) {
  if (kind % 2 == 1) return (View){at, 3000, MPI_INT};
  MPI_Datatype datatype;
  MPI_Type_vector(1000, 3, 5, MPI_INT, &datatype);
  return view(at, 1, datatype);
}

static View big_or_small_elements(char* at, int kind) {
  int const counts[4] = {1, 2, 30, 60};
  if (kind % 4 == 3) return (View){at, 60, MPI_LONG_LONG};
  MPI_Datatype datatype;
  MPI_Type_contiguous(60 / counts[kind % 4], MPI_LONG_LONG, &datatype);
  return view(at, counts[kind % 4], datatype);
}

static View pairs_or_structs(char* at, int kind) {
  if (kind % 2 == 0) return (View){at, 64, MPI_DOUBLE_INT};
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {4, 0}; /* the other way round in memory */
  MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT}, datatype;
  MPI_Type_create_struct(2, lengths, places, parts, &datatype);
  return view(at, 64, datatype);
}

static View some_permute(char* at, int kind) {
  if (kind % 3 != 0) return (View){at, 800, MPI_SHORT};
  int lengths[4] = {100, 50, 30, 20}, places[4] = {50, 0, 170, 150};
  MPI_Datatype datatype;
  MPI_Type_indexed(4, lengths, places, MPI_SHORT, &datatype);
  return view(at, 4, datatype);
}

#define CASE(name) {#name, name}
static const Case cases[] = {
    CASE(of_byte),
    CASE(of_char),
    CASE(of_short),
    CASE(of_int),
    CASE(of_int64),
    CASE(of_float),
    CASE(of_double),
    CASE(of_long_double),
    CASE(of_complex),
    CASE(of_bool),
    CASE(of_wide),
    CASE(of_two_ints),
    CASE(of_float_int),
    CASE(of_double_int),
    CASE(of_long_int),
    CASE(of_short_int),
    CASE(of_long_double_int),
    CASE(of_packed),
    CASE(nothing),
    CASE(contiguous),
    CASE(contiguous_of_contiguous_of_copy),
    CASE(contiguous_with_gaps),
    CASE(copy_of_vector),
    CASE(vector),
    CASE(backward_vector),
    CASE(byte_vector),
    CASE(permuted),
    CASE(swapped_bytes),
    CASE(byte_indexed),
    CASE(records),
    CASE(records_in_vector),
    CASE(negative_lower_bound),
    CASE(lower_bound_alone),
    CASE(columns),
    CASE(backward_elements),
    CASE(subarray),
    CASE(distributed_array),
    CASE(of_no_size),
    CASE(gaps_only),
    CASE(absolute),
    CASE(fortran_kind),
#if MPI_VERSION >= 4
    CASE(made_with_large_counts),
    CASE(vector_with_large_counts),
#endif
    CASE(one_vector_or_many_ints),
    CASE(big_or_small_elements),
    CASE(pairs_or_structs),
    CASE(some_permute),
};

/* The arena of a rank before the broadcast, the same for the served and for the native one. */
static void fill(char* arena, int root, unsigned seed) {
  memset(arena, 0x5A, kArena);
  for (size_t i = 0; rank == root && i < kArena; ++i) arena[i] = (char)test_byte(i, seed);
}

static void broadcast(const Case* one, char* arena, const char* selection, int root) {
  set("bcast", selection);
  View const mine = one->make(arena + kMiddle, rank + (root == 0));
  int bytes = 0;
  MPI_Type_size(mine.datatype, &bytes);
  int const error = MPI_Bcast(mine.buffer, mine.count, mine.datatype, root, MPI_COMM_WORLD);
  check(error == MPI_SUCCESS, "error %d for %s from %s", error, one->name, selection);
  if (size > 1 && bytes * mine.count > 0) {
    check(was_served_by(selection), "%s: %s served by %s", selection, one->name, last_choice());
  }
  int integers, addresses, datatypes, combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  MPI_Count large[4];
  (void)integers, (void)addresses, (void)datatypes;
  MPI_Type_get_envelope_c(mine.datatype, &large[0], &large[1], &large[2], &large[3], &combiner);
#else
  MPI_Type_get_envelope(mine.datatype, &integers, &addresses, &datatypes, &combiner);
#endif
  MPI_Datatype made = mine.datatype;
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&made);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  char* expected = malloc(kArena);
  char* found = malloc(kArena);
  unsigned seed = 0;
  for (int selection = 1; selection < argc; ++selection) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
      for (int root = 0; root < size; root += size > 1 ? size - 1 : 1) {
        ++seed;
        fill(expected, root, seed);
        fill(found, root, seed);
        broadcast(&cases[i], expected, "native", root);
        broadcast(&cases[i], found, argv[selection], root);
        int const equal = memcmp(expected, found, kArena) == 0;
        check(equal, "%s from %s, root %d", cases[i].name, argv[selection], root);
      }
    }
  }
  free(expected);
  free(found);
  return finish();
}
