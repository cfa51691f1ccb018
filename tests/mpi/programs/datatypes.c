/* Broadcasts of all kinds of datatypes. For each case the memory that a served broadcast leaves,
   gaps included, must be that which the MPI's own broadcast leaves. The arguments are the
   algorithms. */
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "check.h"

enum { kArena = 1 << 17, kMiddle = 1 << 16 };

/* What a rank passes to MPI_Bcast. */
typedef struct {
  char* buffer;
  int count;
  MPI_Datatype datatype;
} View;

typedef struct {
  const char* name;
  /* `at` is the middle of an arena; `kind` differs between ranks, whose signatures are all equal.
   */
  View (*make)(char* at, int kind);
} Case;

static View view(char* buffer, int count, MPI_Datatype datatype) {
  MPI_Type_commit(&datatype);
  return (View){buffer, count, datatype};
}

/* ---- cases with the same type on each rank */

#define NAMED(function, type) \
  static View function(char* at, int kind) { return (void)kind, (View){at, 37, type}; }
NAMED(of_byte, MPI_BYTE)
NAMED(of_char, MPI_CHAR)
NAMED(of_short, MPI_SHORT)
NAMED(of_int, MPI_INT)
NAMED(of_int64, MPI_INT64_T)
NAMED(of_float, MPI_FLOAT)
NAMED(of_double, MPI_DOUBLE)
NAMED(of_long_double, MPI_LONG_DOUBLE)
NAMED(of_complex, MPI_C_DOUBLE_COMPLEX)
NAMED(of_bool, MPI_C_BOOL)
NAMED(of_wide, MPI_WCHAR)
NAMED(of_two_ints, MPI_2INT)
NAMED(of_float_int, MPI_FLOAT_INT)
NAMED(of_double_int, MPI_DOUBLE_INT)
NAMED(of_long_int, MPI_LONG_INT)
NAMED(of_short_int, MPI_SHORT_INT)
NAMED(of_long_double_int, MPI_LONG_DOUBLE_INT)
NAMED(of_packed, MPI_PACKED)

static View nothing(char* at, int kind) { return (void)kind, (View){at, 0, MPI_INT}; }

static View contiguous(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_contiguous(5, MPI_INT, &datatype);
  return view(at, 21, datatype);
}

static View contiguous_of_contiguous_of_copy(char* at, int kind) {
  (void)kind;
  MPI_Datatype copy, inner, outer;
  MPI_Type_dup(MPI_DOUBLE, &copy);
  MPI_Type_contiguous(3, copy, &inner);
  MPI_Type_contiguous(7, inner, &outer);
  MPI_Type_free(&copy);
  MPI_Type_free(&inner);
  return view(at, 5, outer);
}

static View contiguous_with_gaps(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_contiguous(4, MPI_DOUBLE_INT, &datatype);
  return view(at, 9, datatype);
}

static View copy_of_vector(char* at, int kind) {
  (void)kind;
  MPI_Datatype vector, copy;
  MPI_Type_vector(6, 2, 5, MPI_SHORT, &vector);
  MPI_Type_dup(vector, &copy);
  MPI_Type_free(&vector);
  return view(at, 11, copy);
}

static View vector(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_vector(10, 3, 7, MPI_INT, &datatype);
  return view(at, 13, datatype);
}

static View backward_vector(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_vector(10, 3, -7, MPI_INT, &datatype);
  return view(at, 3, datatype);
}

static View byte_vector(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_create_hvector(20, 1, 13, MPI_FLOAT, &datatype);
  return view(at, 4, datatype);
}

/* Size equals extent, and yet the order in memory is not that of the signature. */
static View permuted(char* at, int kind) {
  (void)kind;
  int lengths[4] = {1, 2, 1, 4}, places[4] = {5, 2, 4, 6};
  MPI_Datatype inner, datatype;
  lengths[3] = 2, places[3] = 0;
  MPI_Type_indexed(4, lengths, places, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &datatype);
  MPI_Type_free(&inner);
  return view(at, 17, datatype);
}

static View swapped_bytes(char* at, int kind) {
  (void)kind;
  int places[2] = {1, 0};
  MPI_Datatype datatype;
  MPI_Type_create_indexed_block(2, 1, places, MPI_BYTE, &datatype);
  return view(at, 501, datatype);
}

static View byte_indexed(char* at, int kind) {
  (void)kind;
  int lengths[3] = {2, 0, 5};
  MPI_Aint places[3] = {40, 8, -24};
  MPI_Datatype datatype;
  MPI_Type_create_hindexed(3, lengths, places, MPI_SHORT, &datatype);
  return view(at, 10, datatype);
}

typedef struct {
  char letter;
  double number;
  short few[3];
} Record;

static MPI_Datatype record(void) {
  int lengths[3] = {1, 1, 3};
  MPI_Aint places[3] = {offsetof(Record, letter), offsetof(Record, number), offsetof(Record, few)};
  MPI_Datatype parts[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, made, datatype;
  MPI_Type_create_struct(3, lengths, places, parts, &made);
  MPI_Type_create_resized(made, 0, sizeof(Record), &datatype);
  MPI_Type_free(&made);
  return datatype;
}

static View records(char* at, int kind) { return (void)kind, view(at, 23, record()); }

static View records_in_vector(char* at, int kind) {
  (void)kind;
  MPI_Datatype inner = record(), datatype;
  MPI_Type_vector(4, 2, 3, inner, &datatype);
  MPI_Type_free(&inner);
  return view(at, 6, datatype);
}

static View negative_lower_bound(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_create_resized(MPI_DOUBLE, -12, 20, &datatype);
  return view(at, 33, datatype);
}

static View lower_bound_alone(char* at,
                              int kind) { /* extent equals size, but the data begin at 8 */
  (void)kind;
  int const length = 1;
  MPI_Aint const place = 8;
  MPI_Datatype datatype;
  MPI_Type_create_hindexed(1, &length, &place, MPI_DOUBLE, &datatype);
  return view(at, 19, datatype);
}

/* The elements lie inside each other: columns of a matrix. */
static View columns(char* at, int kind) {
  (void)kind;
  MPI_Datatype column, datatype;
  MPI_Type_vector(16, 1, 16, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &datatype);
  MPI_Type_free(&column);
  return view(at, 16, datatype);
}

static View backward_elements(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_create_resized(MPI_INT, 0, -8, &datatype);
  return view(at, 29, datatype);
}

static View subarray(char* at, int kind) {
  (void)kind;
  int sizes[3] = {6, 7, 8}, inner[3] = {3, 4, 5}, starts[3] = {1, 2, 3};
  MPI_Datatype datatype;
  MPI_Type_create_subarray(3, sizes, inner, starts, MPI_ORDER_FORTRAN, MPI_FLOAT, &datatype);
  return view(at, 3, datatype);
}

static View distributed_array(char* at, int kind) {
  (void)kind;
  int sizes[2] = {12, 10}, kinds[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  int details[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, processes[2] = {2, 2};
  MPI_Datatype datatype;
  MPI_Type_create_darray(4, 1, 2, sizes, kinds, details, processes, MPI_ORDER_C, MPI_INT,
                         &datatype);
  return view(at, 2, datatype);
}

static View of_no_size(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_contiguous(0, MPI_INT, &datatype);
  return view(at, 12, datatype);
}

static View gaps_only(char* at, int kind) {
  (void)kind;
  MPI_Datatype inner, datatype;
  MPI_Type_contiguous(0, MPI_INT, &inner);
  MPI_Type_create_resized(inner, -4, 32, &datatype);
  MPI_Type_free(&inner);
  return view(at, 3, datatype);
}

static View absolute(char* at, int kind) {
  (void)kind;
  int lengths[2] = {30, 9};
  MPI_Aint places[2];
  MPI_Get_address(at + 4000, &places[0]);
  MPI_Get_address(at - 4000, &places[1]);
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE_INT}, datatype;
  MPI_Type_create_struct(2, lengths, places, parts, &datatype);
  return view(MPI_BOTTOM, 1, datatype);
}

static View fortran_kind(char* at, int kind) {
  (void)kind;
  MPI_Datatype real, datatype;
  if (MPI_Type_create_f90_real(6, 30, &real) != MPI_SUCCESS) return (View){at, 0, MPI_INT};
  MPI_Type_contiguous(3, real, &datatype);
  return view(at, 14, datatype);
}

#if MPI_VERSION >= 4
static View made_with_large_counts(char* at, int kind) {
  (void)kind;
  MPI_Datatype inner, datatype;
  MPI_Type_contiguous_c(6, MPI_INT, &inner);
  MPI_Type_contiguous_c(2, inner, &datatype);
  MPI_Type_free(&inner);
  return view(at, 25, datatype);
}

static View vector_with_large_counts(char* at, int kind) {
  (void)kind;
  MPI_Datatype datatype;
  MPI_Type_vector_c(6, 2, 3, MPI_INT, &datatype);
  return view(at, 7, datatype);
}
#endif

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
