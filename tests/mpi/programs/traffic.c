/* Broadcasts while the program has messages and collectives of its own under way. */
#include <unistd.h>

#include "check.h"

enum { kBytes = 30000, kRounds = 40 };
static unsigned char data[kBytes];

static void broadcast(int root, unsigned seed, MPI_Comm comm) {
  memset(data, 0xEE, kBytes);
  for (size_t i = 0; rank == root && i < kBytes; ++i) data[i] = test_byte(i, seed);
  MPI_Bcast(data, kBytes, MPI_BYTE, root, comm);
  size_t wrong = 0;
  for (size_t i = 0; i < kBytes; ++i) wrong += data[i] != test_byte(i, seed);
  check(wrong == 0, "%zu B wrong", wrong);
  check(strcmp(last_choice(), "native") != 0, "not served");
}

/* Receives from anybody with any tag, posted before, get the program's own messages only. */
static void wildcards(void) {
  int const next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int round = 0; round < kRounds; ++round) {
    int got[2] = {-1, -1}, own[2] = {rank * 1000 + round, rank * 1000 + 500 + round};
    MPI_Request receives[2], sends[2];
    MPI_Status statuses[2];
    for (int i = 0; i < 2; ++i) {
      MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
    }
    broadcast(round % size, (unsigned)round, MPI_COMM_WORLD);
    MPI_Isend(&own[0], 1, MPI_INT, next, round, MPI_COMM_WORLD, &sends[0]);
    broadcast((round + 1) % size, (unsigned)round + 1, MPI_COMM_WORLD);
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    check(!flag, "a message that nobody sent can be received");
    MPI_Isend(&own[1], 1, MPI_INT, next, round + 1, MPI_COMM_WORLD, &sends[1]);
    broadcast((round + 2) % size, (unsigned)round + 2, MPI_COMM_WORLD);
    MPI_Waitall(2, receives, statuses);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i) {
      check(got[i] == previous * 1000 + 500 * i + round, "got %d", got[i]);
      check(statuses[i].MPI_SOURCE == previous && statuses[i].MPI_TAG == round + i, "wrong status");
    }
    MPI_Barrier(MPI_COMM_WORLD); /* a message of the next round must not arrive in this one */
  }
}

/* Non-blocking collectives of the same communicator, begun before and ended after. */
static void nonblocking(void) {
  static int theirs[kBytes / 4];
  for (int round = 0; round < kRounds; ++round) {
    int const root = round % size;
    int sum = 0, own = rank + round;
    MPI_Request requests[3];
    for (int i = 0; i < kBytes / 4; ++i) theirs[i] = rank == root ? i * round : -1;
    MPI_Ibcast(theirs, kBytes / 4, MPI_INT, root, MPI_COMM_WORLD, &requests[0]);
    broadcast((round + 1) % size, (unsigned)round, MPI_COMM_WORLD);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
    broadcast((round + 2) % size, (unsigned)round + 1, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    check(sum == size * (size - 1) / 2 + size * round, "sum %d", sum);
    check(theirs[kBytes / 4 - 1] == (kBytes / 4 - 1) * round, "non-blocking broadcast");
  }
}

/* Many communicators, used in turn, each with another root. */
static void in_turn(void) {
  enum { kComms = 6 };
  MPI_Comm comms[kComms];
  for (int i = 0; i < kComms; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kComms; ++i) broadcast((i + round) % size, (unsigned)(i + round), comms[i]);
  }
  for (int i = 0; i < kComms; ++i) MPI_Comm_free(&comms[i]);
}

/* Short broadcasts back to back, so many that tags are used again; ranks are late in turn, and
   roots run ahead of the others. */
static void back_to_back(int count) {
  enum { kInts = 25 };
  static int few[kInts];
  static const char* const algorithms[] = {"bcast/flat", "bcast/circulant:segment=30",
                                           "bcast/scatter_ring_allgather"};
  long wrong = 0;
  for (int i = 0; i < count; ++i) {
    if (i % (count / 3) == 0 && i / (count / 3) < 3) set("bcast", algorithms[i / (count / 3)]);
    int const root = i / 100 % size;
    if (i % 4000 == 1000 && rank == i / 4000 % size) usleep(50000);
    for (int k = 0; k < kInts; ++k) few[k] = rank == root ? i + k : -1;
    MPI_Bcast(few, kInts, MPI_INT, root, MPI_COMM_WORLD);
    for (int k = 0; k < kInts; ++k) wrong += few[k] != i + k;
  }
  check(wrong == 0, "%ld integers wrong in %d broadcasts", wrong, count);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  set("bcast", "bcast/circulant:segment=1000");
  wildcards();
  nonblocking();
  in_turn();
  set("bcast", "bcast/scatter_ring_tuned");
  wildcards();
  nonblocking();
  back_to_back(argc > 1 ? atoi(argv[1]) : 1000);
  return finish();
}
