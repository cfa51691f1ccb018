/* Datatypes that all ranks broadcast alike: named ones, and derived ones of every constructor. */
#ifndef SAME_TYPES_H
#define SAME_TYPES_H
#include <mpi.h>
#include <stddef.h>

/* What a rank passes to MPI_Bcast. */
typedef struct {
  char* buffer;
  int count;
  MPI_Datatype datatype;
} View;

static View view(char* buffer, int count, MPI_Datatype datatype) {
  MPI_Type_commit(&datatype);
  return (View){buffer, count, datatype};
}

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

/* Extent equals size, but the data begin at 8. */
static View lower_bound_alone(char* at, int kind) {
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

#endif
