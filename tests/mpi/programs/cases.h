/* Types, operations and data for cases of collectives. All ranks make the same random numbers. */
#ifndef CASES_H
#define CASES_H
#include <math.h>
#include <stdint.h>

#include "functions.h"

enum fill { kBytes, kDoubles, kFloats, kPairs, kDoublePairs };

struct type {
  const char* name;
  MPI_Datatype type;
  enum fill fill;
  MPI_Aint extent, lower, width; /* the last two: true lower bound and true extent */
};

struct operation {
  const char* name;
  MPI_Op op;
  int is_commutative;
};

enum {
  kInt,
  kByte,
  kLong,
  kDouble,
  kFloat,
  kTwoInt,
  kDoubleInt,
  kMatrix,
  kGappedMatrix,
  kVector,
  kNegative,
  kBackwards,
  kTypes
};
static struct type types[kTypes];
enum { kSum, kMin, kMax, kBxor, kMinloc, kMaxloc, kMultiply, kMaximum, kOperations };
static struct operation operations[kOperations];

static uint64_t random_state;
static unsigned below(unsigned limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)((random_state * 0x2545F4914F6CDD1DULL) >> 33) % limit;
}
static uint32_t mixed(uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return (uint32_t)(value >> 32);
}

/* Elements of derived types are four numbers modulo 2^32, wherever those lie. */
static void combine_elements(void* in, void* both, int count, MPI_Datatype type,
                             void (*combine)(const uint32_t* a, uint32_t* b)) {
  MPI_Aint lower, extent, ignored;
  MPI_Type_get_extent(type, &ignored, &extent);
  MPI_Type_get_true_extent(type, &lower, &ignored);
  for (int i = 0; i < count; ++i) {
    MPI_Aint const at = lower + i * extent;
    combine((uint32_t*)((char*)in + at), (uint32_t*)((char*)both + at));
  }
}

/* Of 2 x 2 matrices: an operation that does not commute. */
static void multiply_element(const uint32_t* a, uint32_t* b) {
  uint32_t const c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                         a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
  memcpy(b, c, sizeof c);
}
static void multiply(void* in, void* both, int* count, MPI_Datatype* type) {
  combine_elements(in, both, *count, *type, multiply_element);
}

static void maximum_element(const uint32_t* a, uint32_t* b) {
  for (int k = 0; k < 4; ++k) b[k] = a[k] > b[k] ? a[k] : b[k];
}
static void maximum(void* in, void* both, int* count, MPI_Datatype* type) {
  combine_elements(in, both, *count, *type, maximum_element);
}

static void add_type(int index, const char* name, MPI_Datatype type, enum fill fill) {
  struct type made = {.name = name, .type = type, .fill = fill};
  MPI_Aint ignored;
  MPI_Type_commit(&made.type);
  MPI_Type_get_extent(made.type, &ignored, &made.extent);
  MPI_Type_get_true_extent(made.type, &made.lower, &made.width);
  types[index] = made;
}

static void make_types(void) {
  MPI_Datatype matrix, gapped, vector, inner, negative, backwards;
  MPI_Type_contiguous(4, MPI_UINT32_T, &matrix);
  MPI_Type_create_resized(matrix, -8, 32, &gapped);
  MPI_Type_vector(3, 2, 4, MPI_INT16_T, &vector);
  MPI_Type_create_hindexed_block(2, 1, (MPI_Aint[]){-12, 4}, MPI_INT, &inner);
  MPI_Type_create_resized(inner, -16, 24, &negative);
  MPI_Type_indexed(3, (int[]){1, 1, 1}, (int[]){2, 1, 0}, MPI_INT, &backwards);
  add_type(kInt, "int", MPI_INT, kBytes);
  add_type(kByte, "uint8", MPI_UINT8_T, kBytes);
  add_type(kLong, "int64", MPI_INT64_T, kBytes);
  add_type(kDouble, "double", MPI_DOUBLE, kDoubles);
  add_type(kFloat, "float", MPI_FLOAT, kFloats);
  add_type(kTwoInt, "2int", MPI_2INT, kPairs);
  add_type(kDoubleInt, "double_int", MPI_DOUBLE_INT, kDoublePairs);
  add_type(kMatrix, "matrix", matrix, kBytes);
  add_type(kGappedMatrix, "gapped matrix", gapped, kBytes);
  add_type(kVector, "vector", vector, kBytes);
  add_type(kNegative, "negative bound", negative, kBytes);
  add_type(kBackwards, "backwards", backwards, kBytes);
  MPI_Op product, largest;
  MPI_Op_create(multiply, 0, &product);
  MPI_Op_create(maximum, 1, &largest);
  struct operation const made[kOperations] = {{"sum", MPI_SUM, 1},       {"min", MPI_MIN, 1},
                                              {"max", MPI_MAX, 1},       {"bxor", MPI_BXOR, 1},
                                              {"minloc", MPI_MINLOC, 1}, {"maxloc", MPI_MAXLOC, 1},
                                              {"multiply", product, 0},  {"maximum", largest, 1}};
  memcpy(operations, made, sizeof made);
}

/* A type and an operation on it. */
static void choose_reduction(const struct type** type, const struct operation** operation) {
  switch (below(5)) {
    case 0:
      *type = &types[below(2) ? kMatrix : kGappedMatrix];
      *operation = &operations[below(3) ? kMultiply : kMaximum];
      break;
    case 1:
      *type = &types[below(2) ? kDouble : kFloat];
      *operation = &operations[kSum + (int)below(3)];
      break;
    case 2:
      *type = &types[below(2) ? kTwoInt : kDoubleInt];
      *operation = &operations[below(2) ? kMinloc : kMaxloc];
      break;
    default:
      *type = &types[below(3)];
      *operation = &operations[below(4)];
      /* Some of Open MPI's sums of bytes saturate, and some do not. */
      if (*type == &types[kByte] && *operation == &operations[kSum]) *type = &types[kInt];
  }
}

static void fill(unsigned char* memory, size_t bytes, enum fill how, uint64_t seed) {
  for (size_t i = 0; how == kBytes && i < bytes; ++i) memory[i] = (unsigned char)mixed(seed + i);
  for (size_t i = 0; how == kDoubles && i < bytes / 8; ++i) {
    ((double*)(void*)memory)[i] = mixed(seed + i) * 0x1p-31 - 1;
  }
  for (size_t i = 0; how == kFloats && i < bytes / 4; ++i) {
    ((float*)(void*)memory)[i] = (float)mixed(seed + i) * 0x1p-31F - 1;
  }
  /* Few values, so that many are equal and the index decides. */
  for (size_t i = 0; how == kPairs && i < bytes / 4; ++i) {
    ((int*)(void*)memory)[i] = (int)(mixed(seed + i) % 4);
  }
  for (size_t i = 0; how == kDoublePairs && i < bytes / 16; ++i) {
    struct {
      double value;
      int index;
    } const pair = {mixed(seed + i) % 4, (int)mixed(seed - i)};
    memcpy(memory + 16 * i, &pair, 12);
  }
}

/* How many bytes, or numbers, of a result differ from what the MPI gave. Sums of floating-point
   numbers depend on how they are grouped. */
static long differences(const unsigned char* a, const unsigned char* b, size_t bytes,
                        const struct type* type, int is_exact) {
  long found = 0;
  if (type->fill == kDoubles && !is_exact) {
    double const *x = (const void*)a, *y = (const void*)b;
    for (size_t i = 0; i < bytes / 8; ++i) {
      found += memcmp(x + i, y + i, 8) != 0 && !(fabs(x[i] - y[i]) < 1e-13 * kMostRanks);
    }
    return found;
  }
  if (type->fill == kFloats && !is_exact) {
    float const *x = (const void*)a, *y = (const void*)b;
    for (size_t i = 0; i < bytes / 4; ++i) {
      found += memcmp(x + i, y + i, 4) != 0 && !(fabsf(x[i] - y[i]) < 1e-5F * kMostRanks);
    }
    return found;
  }
  for (size_t i = 0; i < bytes; ++i) {
    int const is_padding = type->fill == kDoublePairs && i % 16 >= 12;
    found += !is_padding && a[i] != b[i];
  }
  return found;
}
#endif
