/* One long call of each collective that is served without settings, in and out of place, from two
   roots; every element compared. The arguments are triples, FUNCTION ALGORITHM BALANCED: who must
   have served the function; the second call may go by what serves it while all ranks come together.
 */
#include "check.h"

enum { kPart = 1 << 17 }; /* elements of a rank's part: 512 KiB */

static int *in, *out;

/* What a rank hands in at a place. */
static int given(int of, long place) { return (int)(place % 1009) * (of + 1) + of; }

/* Over the first ranks, so many of them. */
static int summed_over(int count, long place) {
  return (int)(place % 1009) * (count * (count + 1) / 2) + count * (count - 1) / 2;
}

static int summed(long place) { return summed_over(size, place); }

static void fill(int* to, long count) {
  for (long i = 0; i < count; ++i) to[i] = given(rank, i);
}

static void expect(const char* function, int in_place, long place, int found, int wanted) {
  check(found == wanted, "%s%s: %d in place of %d at %ld", function, in_place ? " in place" : "",
        found, wanted, place);
}

static void moved(int in_place) {
  long const all = (long)kPart * size;
  fill(in, all);
  for (long i = 0; i < kPart; ++i) out[(long)rank * kPart + i] = in_place ? given(rank, i) : -1;
  MPI_Allgather(in_place ? MPI_IN_PLACE : (void*)in, kPart, MPI_INT, out, kPart, MPI_INT,
                MPI_COMM_WORLD);
  for (long i = 0; i < all; ++i) {
    expect("allgather", in_place, i, out[i], given((int)(i / kPart), i % kPart));
  }
}

static void exchanged(int in_place) {
  long const all = (long)kPart * size;
  fill(in, all);
  fill(out, all);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : (void*)in, kPart, MPI_INT, out, kPart, MPI_INT,
               MPI_COMM_WORLD);
  for (long i = 0; i < all; ++i) {
    expect("alltoall", in_place, i, out[i],
           given((int)(i / kPart), (long)rank * kPart + i % kPart));
  }
}

static void dealt(int in_place, int root) {
  int const is_root = rank == root;
  fill(in, (long)kPart * size);
  MPI_Scatter(in, kPart, MPI_INT, in_place && is_root ? MPI_IN_PLACE : (void*)out, kPart, MPI_INT,
              root, MPI_COMM_WORLD);
  for (long i = 0; i < kPart && !(in_place && is_root); ++i) {
    expect("scatter", in_place, i, out[i], given(root, (long)rank * kPart + i));
  }
}

static void combined(int in_place, int root) {
  int const is_root = rank == root;
  fill(in, kPart);
  fill(out, kPart);
  MPI_Reduce(in_place && is_root ? MPI_IN_PLACE : (void*)in, out, kPart, MPI_INT, MPI_SUM, root,
             MPI_COMM_WORLD);
  for (long i = 0; i < kPart && is_root; ++i) expect("reduce", in_place, i, out[i], summed(i));
}

static void combined_for_all(int in_place) {
  fill(in, kPart);
  fill(out, kPart);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : (void*)in, out, kPart, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (long i = 0; i < kPart; ++i) expect("allreduce", in_place, i, out[i], summed(i));
}

static void combined_in_parts(int in_place) {
  fill(in, (long)kPart * size);
  fill(out, (long)kPart * size);
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : (void*)in, out, kPart, MPI_INT, MPI_SUM,
                           MPI_COMM_WORLD);
  for (long i = 0; i < kPart; ++i) {
    expect("reduce_scatter", in_place, i, out[i], summed((long)rank * kPart + i));
  }
}

static void combined_so_far(int in_place) {
  fill(in, kPart);
  fill(out, kPart);
  MPI_Scan(in_place ? MPI_IN_PLACE : (void*)in, out, kPart, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (long i = 0; i < kPart; ++i) expect("scan", in_place, i, out[i], summed_over(rank + 1, i));
}

static void combined_before(int in_place) {
  fill(in, kPart);
  fill(out, kPart);
  MPI_Exscan(in_place ? MPI_IN_PLACE : (void*)in, out, kPart, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (long i = 0; i < kPart && rank > 0; ++i) {
    expect("exscan", in_place, i, out[i], summed_over(rank, i));
  }
}

static void perform(const char* function, int in_place, int root) {
  if (strcmp(function, "allgather") == 0) moved(in_place);
  if (strcmp(function, "alltoall") == 0) exchanged(in_place);
  if (strcmp(function, "scatter") == 0) dealt(in_place, root);
  if (strcmp(function, "reduce") == 0) combined(in_place, root);
  if (strcmp(function, "allreduce") == 0) combined_for_all(in_place);
  if (strcmp(function, "reduce_scatter") == 0) combined_in_parts(in_place);
  if (strcmp(function, "scan") == 0) combined_so_far(in_place);
  if (strcmp(function, "exscan") == 0) combined_before(in_place);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in = malloc(sizeof *in * kPart * (size_t)size);
  out = malloc(sizeof *out * kPart * (size_t)size);
  for (int i = 1; i + 2 < argc; i += 3) {
    for (int in_place = 0; in_place < 2; ++in_place) {
      perform(argv[i], in_place, in_place * (size - 1));
      int const is_right = was_served_by(argv[i + 1]) || (in_place && was_served_by(argv[i + 2]));
      check(is_right, "%s by %s, not %s", argv[i], last_choice(), argv[i + 1]);
    }
  }
  long all[2], own[2] = {checks, failures};
  MPI_Reduce(own, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld checks, %ld failures\n", all[0], all[1]);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
