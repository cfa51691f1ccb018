#include "mpi/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "mpi/channels.hpp"
#include "mpi/errors_returned.hpp"
#include "mpi/fork.hpp"
#include "mpi/functions.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

// Changes whenever a record dies, so that a handle used again does not find the dead one.
std::atomic<std::uint64_t> generation{1};

// The attribute holds one of the owners of the record; requests that are under way are others.
int forget(MPI_Comm, int, void* value, void*) {
  if (is_forked_child()) return MPI_SUCCESS;  // the channel is the parent's
  const std::unique_ptr<std::shared_ptr<Communicator>> owner(
      static_cast<std::shared_ptr<Communicator>*>(value));
  generation.fetch_add(1, std::memory_order_release);
  return owner->use_count() == 1 ? (*owner)->close() : MPI_SUCCESS;
}

int do_not_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

std::atomic<int> record_key{MPI_KEYVAL_INVALID};
std::atomic<MPI_Comm> of_this_process{MPI_COMM_NULL};

// Where arguments were wrong on one rank, what others have sent it lies in the MPI for ever. MPICH
// ends the program that frees such a communicator, and says nothing of those that are left.
#ifdef OPEN_MPI
constexpr bool may_free_with_unmatched_messages = true;
#else
constexpr bool may_free_with_unmatched_messages = false;
#endif

// A rank that has died never tells its times.
constexpr double patience_s = 30;

// The first that MPI_Finalize does: also communicators that the program has left behind give their
// channels back, so that the MPI finds nothing of the library's among what was not freed.
int leave_nothing(MPI_Comm, int, void*, void*) {
  if (is_forked_child() || is_aborting()) return MPI_SUCCESS;
  std::vector<Communicator*> left = reserved_channels();
  // Freeing a communicator is collective: in the same order on all of its ranks.
  std::ranges::sort(left, {}, &Communicator::number);
  int error = MPI_SUCCESS;
  for (Communicator* communicator : left) {
    if (const int of_sums = communicator->finish_sums(patience_s)) return of_sums;
    if (!may_free_with_unmatched_messages) continue;
    const int of_one = communicator->close();
    if (error == MPI_SUCCESS) error = of_one;
  }
  MPI_Comm alone = of_this_process.exchange(MPI_COMM_NULL);
  if (alone != MPI_COMM_NULL) native.Comm_free(&alone);
  int last_key = record_key.exchange(MPI_KEYVAL_INVALID);
  if (last_key != MPI_KEYVAL_INVALID) native.Comm_free_keyval(&last_key);
  generation.fetch_add(1, std::memory_order_release);
  return error;
}

// With sessions alone there is no MPI_COMM_SELF, and no process outside it that could take part.
bool has_world() {
  int initialized = 0;
  int finalized = 0;
  return native.Initialized(&initialized) == MPI_SUCCESS && initialized &&
         native.Finalized(&finalized) == MPI_SUCCESS && !finalized;
}

// Once there is a world, which may be after the first sessions.
void tidy_at_finalize() {
  static std::atomic<bool> is_prepared{false};
  if (is_prepared.load(std::memory_order_relaxed) || !has_world() || is_prepared.exchange(true)) {
    return;
  }
  int at_finalize = MPI_KEYVAL_INVALID;
  if (native.Comm_create_keyval(do_not_copy, leave_nothing, &at_finalize, nullptr) != MPI_SUCCESS) {
    return;
  }
  native.Comm_set_attr(MPI_COMM_SELF, at_finalize, nullptr);
  native.Comm_free_keyval(&at_finalize);  // takes effect when the attribute goes
}

int attribute_key() {
  static std::once_flag once;
  std::call_once(once, [] {
    int made = MPI_KEYVAL_INVALID;
    if (native.Comm_create_keyval(do_not_copy, forget, &made, nullptr) != MPI_SUCCESS) return;
    record_key.store(made);
  });
  tidy_at_finalize();
  return record_key.load();
}

// Whether a process outside MPI_COMM_WORLD takes part: one that was spawned or connected to.
// Nothing is known of it, not even whether it has this library. All members come to the same
// answer.
bool has_strangers(MPI_Comm comm, int size) {
  if (!has_world()) return false;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if (native.Comm_group(comm, &group) != MPI_SUCCESS) return true;
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> in_world(ranks.size(), MPI_UNDEFINED);
  std::iota(ranks.begin(), ranks.end(), 0);
  if (native.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
    native.Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    native.Group_free(&world);
  }
  native.Group_free(&group);
  return std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end();
}

Communicator* make_record(MPI_Comm comm, int key) {
  auto owner = std::make_unique<std::shared_ptr<Communicator>>(std::make_shared<Communicator>());
  Communicator* made = owner->get();
  int inter = 0;
  int rank = 0;
  int size = 1;
  if (native.Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
      native.Comm_rank(comm, &rank) != MPI_SUCCESS ||
      native.Comm_size(comm, &size) != MPI_SUCCESS) {
    return nullptr;
  }
  made->is_inter = inter != 0;
  made->rank = rank;
  made->size = size;
  if (!made->is_inter && has_strangers(comm, size)) made->state = Communicator::Channel::refused;
  if (native.Comm_set_attr(comm, key, owner.get()) != MPI_SUCCESS) return nullptr;
  static_cast<void>(owner.release());
  return made;
}

}  // namespace

void Communicator::forget_trials() {
  guard.forget();
  for (auto& [key, balance] : balances) balance->note_cost_of_looks(0);
}

SumsBeside Communicator::take_sums() {
  SumsBeside sums = guard.take_sums();
  for (auto& [key, sorted] : std::exchange(sorted_classes, {})) {
    sums.push_back(std::move(sorted->sum));
  }
  return sums;
}

int Communicator::finish_sums(std::optional<double> longest_s) {
  const auto tell = [this] {
    std::fprintf(stderr,
                 "anabranch: watchdog: rank %d of %d frees a communicator: a rank has not come to "
                 "the calls that were timed on it, or the MPI has refused one of these there\n",
                 rank, size);
  };
  return finish(take_sums(), {settings().wait, settings().watchdog_s}, longest_s, tell);
}

int Communicator::close() noexcept {
  state = Channel::refused;
  if (channel == MPI_COMM_NULL) {
    release_channel(*this);  // where opening it was cut short
    return MPI_SUCCESS;
  }
  int finalized = 0;
  if (native.Finalized(&finalized) != MPI_SUCCESS || finalized) return MPI_SUCCESS;
  const Waiting waiting{settings().wait, settings().watchdog_s};
  int error = pending_control.finish(channel, waiting, rank, size);
  if (const int of_sums = finish_sums({}); error == MPI_SUCCESS) error = of_sums;
  const int of_free = native.Comm_free(&channel);
  release_channel(*this);
  return error != MPI_SUCCESS ? error : of_free;
}

Communicator* record_of(MPI_Comm comm) {
  thread_local MPI_Comm last_comm = MPI_COMM_NULL;
  thread_local Communicator* last = nullptr;
  thread_local std::uint64_t last_generation = 0;
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  // Sessions may end the MPI and begin it anew, which nothing here tells of.
  if (comm == last_comm && now == last_generation && world_started()) return last;

  const int key = attribute_key();
  if (key == MPI_KEYVAL_INVALID) return nullptr;
  void* value = nullptr;
  int found = 0;
  if (native.Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) return nullptr;
  Communicator* record =
      found ? static_cast<std::shared_ptr<Communicator>*>(value)->get() : make_record(comm, key);
  if (record != nullptr) {
    last_comm = comm;
    last = record;
    last_generation = now;
  }
  return record;
}

MPI_Comm communicator_of_this_process() { return of_this_process.load(); }

void make_communicator_of_this_process() {
  const ErrorsReturned quiet(MPI_COMM_SELF);
  MPI_Comm made = MPI_COMM_NULL;
  if (attribute_key() == MPI_KEYVAL_INVALID) return;  // nobody would free it
  if (native.Comm_split(MPI_COMM_SELF, 0, 0, &made) != MPI_SUCCESS) return;
  native.Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  of_this_process.store(made);
}

}  // namespace anabranch::mpi
