#include "mpi/communicator.hpp"

#include <unistd.h>
#include <algorithm>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/channels.hpp"
#include "mpi/fork.hpp"
#include "mpi/functions.hpp"
#include "mpi/host.hpp"
#include "mpi/network_probe.hpp"
#include "mpi/plan_hosts.hpp"
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
    if (const int of_sums = finish(communicator->take_sums(), patience_s)) return of_sums;
    if (!may_free_with_unmatched_messages) continue;
    const int of_one = communicator->close();
    if (error == MPI_SUCCESS) error = of_one;
  }
  int last_key = record_key.exchange(MPI_KEYVAL_INVALID);
  if (last_key != MPI_KEYVAL_INVALID) native.Comm_free_keyval(&last_key);
  generation.fetch_add(1, std::memory_order_release);
  return error;
}

void tidy_at_finalize() {
  int at_finalize = MPI_KEYVAL_INVALID;
  if (!world_started()) return;  // with sessions there may be no MPI_COMM_SELF
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
    tidy_at_finalize();
  });
  return record_key.load();
}

// Whether a process outside MPI_COMM_WORLD takes part: one that was spawned or connected to.
// Nothing is known of it, not even whether it has this library. All members come to the same
// answer.
bool has_strangers(MPI_Comm comm, int size) {
  int finalized = 0;
  if (!world_started() || native.Finalized(&finalized) != MPI_SUCCESS || finalized) return false;
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

// While it lives, errors on the communicator are returned rather than handed to the user.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    known_ = native.Comm_get_errhandler(comm_, &before_) == MPI_SUCCESS;
    if (known_) native.Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    if (!known_) return;
    native.Comm_set_errhandler(comm_, before_);
    native.Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  bool known_ = false;
};

double host_number() { return static_cast<double>(number_of_host(host_name())); }

// What the ranks tell each other. All are combined by the minimum; the negated ones give the
// maximum.
enum Agreed {
  has_room,
  host,
  minus_host,
  minus_latency,
  minus_byte_time,
  minus_overhead,
  minus_latency_within_nodes,
  minus_byte_time_within_nodes,
  minus_memory_byte_time,
  minus_ports,
  eager_limit,
  number,
  agreed_count
};

// Hardly the same for two communicators of a program.
double number_of_next_communicator(double host) {
  static std::atomic<int> made{0};
  return std::fmod(host + 1048573.0 * getpid() + made.fetch_add(1), 0x1p50);
}

// What every program has and most use: others that come first cannot take their places.
bool is_world_or_self(MPI_Comm comm) { return comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF; }

// Whether it was made on all ranks. Otherwise on none, and `error` is what telling each other
// failed with.
bool make_channel(MPI_Comm comm, Communicator& communicator, int& error) {
  MPI_Comm channel = MPI_COMM_NULL;
  int made = native.Comm_split(comm, 0, communicator.rank, &channel) == MPI_SUCCESS &&
             native.Comm_set_errhandler(channel, MPI_ERRORS_RETURN) == MPI_SUCCESS;
  error = native.Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, comm);
  if (error == MPI_SUCCESS && made != 0) {
    communicator.channel = channel;
    return true;
  }
  if (channel != MPI_COMM_NULL) native.Comm_free(&channel);
  return false;
}

// Once in a process.
void explain_no_room(const Communicator& communicator) {
  static std::atomic<bool> once{false};
  if (!settings().explain || communicator.rank != 0 || once.exchange(true)) return;
  std::fprintf(stderr,
               "anabranch: collectives on further communicators stay native: the library uses no "
               "more than %zu of its own at once\n",
               max_channels);
}

int find_places(Communicator& communicator) {
  std::vector<std::int64_t> nodes(static_cast<std::size_t>(communicator.size));
  const auto own = static_cast<std::int64_t>(host_number());
  int error = MPI_SUCCESS;
  if (!communicator.single_node) {
    error =
        native.Allgather(&own, 1, MPI_INT64_T, nodes.data(), 1, MPI_INT64_T, communicator.channel);
  }
  std::shared_ptr<const Plan> plan = settings().plan;
  std::vector<std::int32_t> hosts;
  if (error == MPI_SUCCESS && plan != nullptr) {
    error = find_plan_hosts(*plan, communicator.channel, communicator.rank, hosts);
    if (hosts.empty()) plan = nullptr;
  }
  if (error != MPI_SUCCESS) return error;
  communicator.places =
      std::make_shared<const Places>(std::move(nodes), std::move(plan), std::move(hosts));
  communicator.nodes = node_counts(*communicator.places);
  communicator.planned = planned_trees(*communicator.places);
  return MPI_SUCCESS;
}

}  // namespace

SumsBeside Communicator::take_sums() {
  SumsBeside sums = guard.take_sums();
  for (auto& [key, sorted] : std::exchange(sorted_classes, {})) {
    sums.push_back(std::move(sorted->sum));
  }
  return sums;
}

int Communicator::close() noexcept {
  state = Channel::refused;
  if (channel == MPI_COMM_NULL) return MPI_SUCCESS;
  int finalized = 0;
  if (native.Finalized(&finalized) != MPI_SUCCESS || finalized) return MPI_SUCCESS;
  int error = pending_control.finish(channel);
  if (const int of_sums = finish(take_sums(), 0); error == MPI_SUCCESS) error = of_sums;
  const int of_free = native.Comm_free(&channel);
  release_channel(*this);
  return error != MPI_SUCCESS ? error : of_free;
}

Communicator* record_of(MPI_Comm comm) {
  thread_local MPI_Comm last_comm = MPI_COMM_NULL;
  thread_local Communicator* last = nullptr;
  thread_local std::uint64_t last_generation = 0;
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (comm == last_comm && now == last_generation) return last;

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

int open_channel(MPI_Comm comm, Communicator& communicator) {
  const ErrorsReturned quiet(comm);  // the caller reports
  const bool reserved = reserve_channel(communicator, !is_world_or_self(comm));
  const Network known = known_network();
  const double here = host_number();
  std::array<double, agreed_count> values = {
      reserved ? 1.0 : 0.0,
      here,
      -here,
      -known.latency_s,
      -known.time_per_byte_s,
      -known.measured_overhead_s,
      -known.latency_within_nodes_s,
      -known.time_per_byte_within_nodes_s,
      -known.memory_time_per_byte_s,
      -known.ports_a_node,
      static_cast<double>(known.eager_limit_bytes),
      communicator.rank == 0 ? number_of_next_communicator(here) : 0x1p51};
  int error = agree_on_least(values.data(), agreed_count, MPI_DOUBLE, comm);
  const bool has_place = error == MPI_SUCCESS && values[has_room] != 0.0;
  if (!has_place || !make_channel(comm, communicator, error)) {
    release_channel(communicator);
    communicator.state = Communicator::Channel::refused;
    if (!has_place && error == MPI_SUCCESS) explain_no_room(communicator);
    return error;
  }
  communicator.state = Communicator::Channel::open;
  communicator.single_node = values[host] == -values[minus_host];
  communicator.number = static_cast<std::int64_t>(values[number]);
  if (const int of_places = find_places(communicator)) return of_places;
  communicator.network = known;
  communicator.network.latency_s = -values[minus_latency];
  communicator.network.time_per_byte_s = -values[minus_byte_time];
  communicator.network.measured_overhead_s = -values[minus_overhead];
  communicator.network.latency_within_nodes_s = -values[minus_latency_within_nodes];
  communicator.network.time_per_byte_within_nodes_s = -values[minus_byte_time_within_nodes];
  communicator.network.memory_time_per_byte_s = -values[minus_memory_byte_time];
  communicator.network.ports_a_node = -values[minus_ports];
  communicator.network.eager_limit_bytes = static_cast<std::int64_t>(values[eager_limit]);
  if (communicator.network.time_per_byte_s > 0) return MPI_SUCCESS;
  if (communicator.single_node) {  // not worth a measurement
    Network& network = communicator.network;
    network.latency_s = network.latency_within_nodes_s;
    network.time_per_byte_s = network.time_per_byte_within_nodes_s;
    return MPI_SUCCESS;
  }
  return probe_network(communicator);
}

}  // namespace anabranch::mpi
