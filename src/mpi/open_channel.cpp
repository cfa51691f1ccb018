// What all ranks of a communicator do together before the first collective that is served on it.
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/channels.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors_returned.hpp"
#include "mpi/functions.hpp"
#include "mpi/host.hpp"
#include "mpi/network_probe.hpp"
#include "mpi/plan_hosts.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

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

using AgreedValues = std::array<double, agreed_count>;

// What this rank tells the others.
AgreedValues own_values(const Communicator& communicator, bool reserved) {
  const Network known = known_network();
  const double here = host_number();
  return {reserved ? 1.0 : 0.0,
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
}

// Open on all ranks, which then have the same values, or refused on all. An MPI error code for what
// the user's communicator failed in.
int make_channel_together(MPI_Comm comm, Communicator& communicator, AgreedValues& values) {
  const ErrorsReturned quiet(comm);  // the caller reports
  // Others that come first cannot take the place of what every program has and most use.
  const bool is_counted = comm != MPI_COMM_WORLD;
  const bool reserved = reserve_channel(communicator, is_counted);
  values = own_values(communicator, reserved);
  int error = agree_on_least(values.data(), agreed_count, MPI_DOUBLE, comm);
  const bool has_place = error == MPI_SUCCESS && values[has_room] != 0.0;
  if (has_place && make_channel(comm, communicator, error)) {
    communicator.state = Communicator::Channel::open;
    return MPI_SUCCESS;
  }
  release_channel(communicator);
  communicator.state = Communicator::Channel::refused;
  if (!has_place && error == MPI_SUCCESS) explain_no_room(communicator);
  return error;
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

int open_channel(MPI_Comm comm, Communicator& communicator) {
  AgreedValues values = {};
  if (const int error = make_channel_together(comm, communicator, values)) return error;
  if (communicator.state != Communicator::Channel::open) return MPI_SUCCESS;
  communicator.single_node = values[host] == -values[minus_host];
  communicator.number = static_cast<std::int64_t>(values[number]);
  if (const int of_places = find_places(communicator)) return of_places;
  Network& network = communicator.network;
  network = known_network();
  network.latency_s = -values[minus_latency];
  network.time_per_byte_s = -values[minus_byte_time];
  network.measured_overhead_s = -values[minus_overhead];
  network.latency_within_nodes_s = -values[minus_latency_within_nodes];
  network.time_per_byte_within_nodes_s = -values[minus_byte_time_within_nodes];
  network.memory_time_per_byte_s = -values[minus_memory_byte_time];
  network.ports_a_node = -values[minus_ports];
  network.eager_limit_bytes = static_cast<std::int64_t>(values[eager_limit]);
  const Settings& given = settings();
  const bool both_are_given = given.latency_s && given.time_per_byte_s;
  if (both_are_given || (network.latency_s > 0 && network.time_per_byte_s > 0)) return MPI_SUCCESS;
  if (!communicator.single_node) return probe_network(communicator);
  // Not worth a measurement.
  network.latency_s = network.latency_within_nodes_s;
  network.time_per_byte_s = network.time_per_byte_within_nodes_s;
  apply_settings(network);
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
