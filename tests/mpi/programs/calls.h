/* One collective call with random arguments. */
#ifndef CALLS_H
#define CALLS_H
#include "cases.h"

struct call {
  const char* function;
  const struct type* type;
  const struct operation* operation;
  int count, root, in_place;
  /* Of all parts; for alltoallv of this rank's parts, what it sends and what it receives. */
  int counts[kMostRanks], places[kMostRanks], out_counts[kMostRanks], out_places[kMostRanks];
  MPI_Comm comm;
};

static int is(const struct call* call, const char* name) {
  return strcmp(call->function, name) == 0;
}
static int ends_in_v(const struct call* call) {
  return call->function[strlen(call->function) - 1] == 'v';
}
static int is_reduction(const struct call* call) {
  return strstr(call->function, "reduce") != NULL || strstr(call->function, "scan") != NULL;
}
static int has_root(const struct call* call) {
  return is(call, "bcast") || is(call, "reduce") || strncmp(call->function, "scatter", 7) == 0 ||
         strncmp(call->function, "gather", 6) == 0;
}

/* Counts of parts, and places for them: in another order, with gaps. */
static void place(const int* counts, int* places, int is_packed) {
  int const first = is_packed ? 0 : (int)below((unsigned)size);
  int next = is_packed ? 0 : (int)below(3);
  for (int i = 0; i < size; ++i) {
    int const part = (first + i) % size;
    places[part] = next;
    next += counts[part] + (is_packed ? 0 : (int)below(3));
  }
}

static int some_count(int most) {
  switch (below(6)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return (int)below((unsigned)(size + 2));
    default:
      return (int)below((unsigned)most);
  }
}

static void choose(struct call* call, int most) {
  choose_reduction(&call->type, &call->operation);
  /* Here MPICH 5.0.2 counts on elements without gaps, and writes behind its own memory. */
  if (strncmp(call->function, "reduce_s", 8) == 0 && !call->operation->is_commutative) {
    call->type = &types[kMatrix];
  }
  if (!is_reduction(call)) {
    call->type = &types[below(kTypes)];
    call->operation = NULL;
    /* MPICH 5.0.2's own refuses what it has made of them on the way. */
    if (is(call, "gather") && call->type == &types[kDoubleInt]) call->type = &types[kTwoInt];
  }
  call->count = some_count(most);
  call->root = has_root(call) ? (int)below((unsigned)size) : 0;
  call->in_place = below(3) == 0 && !is(call, "bcast");
  for (int i = 0; i < size; ++i) call->counts[i] = some_count(most / 2);
  if (is(call, "alltoallv")) {
    unsigned const seed = below(1U << 30);
    /* In place, what two ranks exchange must be the same. */
    for (int i = 0; i < size; ++i) {
      unsigned const sent = seed + (unsigned)(rank * kMostRanks + i);
      unsigned const received = seed + (unsigned)(i * kMostRanks + rank);
      unsigned const both = seed + (unsigned)((rank < i ? rank : i) * kMostRanks + rank + i);
      call->counts[i] = (int)(mixed(call->in_place ? both : sent) % (unsigned)(most / 2));
      call->out_counts[i] = (int)(mixed(call->in_place ? both : received) % (unsigned)(most / 2));
    }
    uint64_t const kept = random_state;
    random_state += (uint64_t)rank;
    place(call->counts, call->places, 0);
    place(call->out_counts, call->out_places, 0);
    random_state = kept;
  } else {
    place(call->counts, call->places, is_reduction(call));
  }
}

/* The call in its classic or its large-count form. */
static int perform(const struct call* c, void* in, void* out, int is_large) {
  int const at_root = rank == c->root || !has_root(c);
  int const is_of_parts = ends_in_v(c) || is(c, "reduce_scatter");
  int const gives_parts = is(c, "scatterv") || is(c, "alltoallv");
  int const is_all_to_all = is(c, "alltoallv");
  int const own_count = is_of_parts ? c->counts[rank] : c->count;
  struct arguments arguments = {.function = c->function,
                                .in = in,
                                .out = out,
                                .in_count = own_count,
                                .out_count = own_count,
                                .in_counts = gives_parts && at_root ? c->counts : NULL,
                                .in_places = gives_parts && at_root ? c->places : NULL,
                                .out_counts = !is_of_parts || !at_root ? NULL
                                              : is_all_to_all          ? c->out_counts
                                                                       : c->counts,
                                .out_places = !is_of_parts || !at_root ? NULL
                                              : is_all_to_all          ? c->out_places
                                                                       : c->places,
                                .in_type = c->type->type,
                                .out_type = c->type->type,
                                .operation = c->operation != NULL ? c->operation->op : MPI_OP_NULL,
                                .root = c->root,
                                .comm = c->comm};
  int const gathers = strncmp(c->function, "gather", 6) == 0 || is(c, "reduce");
  if (gathers && !at_root) arguments.out = NULL;
  if (c->in_place && at_root) {
    if (strncmp(c->function, "scatter", 7) == 0) {
      arguments.out = MPI_IN_PLACE;
    } else {
      arguments.in = MPI_IN_PLACE;
    }
  }
  return (is_large ? perform_large : perform_classic)(&arguments);
}
#endif
