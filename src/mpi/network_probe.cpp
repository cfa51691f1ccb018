#include "mpi/network_probe.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/node_measurement.hpp"
#include "mpi/probe_pair.hpp"
#include "mpi/requests.hpp"
#include "mpi/state.hpp"
#include "platform/node_capacity.hpp"

namespace anabranch::mpi {
namespace {

constexpr int short_round_trips = 32;
constexpr int long_round_trips = 3;
constexpr int long_bytes = 32 * 1024;
constexpr std::int64_t most_bytes_at_once = 4 << 20;
constexpr double least_latencies_on_wire = 64;  // of what is sent at once

Ends on_two_nodes(const std::vector<std::int64_t>& node_of_rank) {
  int other = static_cast<int>(node_of_rank.size()) - 1;
  while (other > 0 && node_of_rank[static_cast<std::size_t>(other)] == node_of_rank[0]) --other;
  return {0, other};
}

// The first rank that shares its node, and the next one there.
Ends on_one_node(const std::vector<std::int64_t>& node_of_rank) {
  std::unordered_map<std::int64_t, Ends> ends_on;
  for (int rank = 0; rank < std::ssize(node_of_rank); ++rank) {
    const std::int64_t node = node_of_rank[static_cast<std::size_t>(rank)];
    const auto [known, is_new] = ends_on.try_emplace(node, Ends{rank, rank});
    Ends& ends = known->second;
    if (!is_new && ends.second == ends.first) ends.second = rank;
  }
  Ends found;
  for (const auto& [node, ends] : ends_on) {
    const bool is_shared = ends.first != ends.second;
    const bool is_none = found.first == found.second;
    if (is_shared && (is_none || ends.first < found.first)) found = ends;
  }
  return found;
}

double time_per_byte(double long_s, double short_s) {
  return std::max(long_s - short_s, 1e-9) / long_bytes;
}

// All that is told to the other ranks; 0: not known.
struct ProbeResult {
  double latency_s, time_per_byte_s, overhead_s, eager_limit_bytes;
  std::array<double, 2> within;  // a node: latency and time per byte
};

// Where this rank is one of the ends. These return MPI error codes.
int measure_between(const Ends& ends, int tag, const Communicator& communicator,
                    ProbeResult& found) {
  const bool begins = communicator.rank == ends.first;
  if (!begins && communicator.rank != ends.second) return MPI_SUCCESS;
  ProbePair pair(communicator.channel, begins ? ends.second : ends.first, tag, begins, long_bytes);
  found.latency_s = pair.one_way_s(1, short_round_trips);
  found.time_per_byte_s =
      time_per_byte(pair.one_way_s(long_bytes, long_round_trips), found.latency_s);
  found.overhead_s = pair.overhead_s(found.latency_s);
  found.eager_limit_bytes = static_cast<double>(
      pair.eager_limit_bytes(found.latency_s, found.time_per_byte_s, long_bytes));
  return pair.error();
}

int measure_within(const Ends& ends, int tag, const Communicator& communicator,
                   ProbeResult& found) {
  if (ends.first == ends.second) return MPI_SUCCESS;
  const bool begins = communicator.rank == ends.first;
  if (begins || communicator.rank == ends.second) {
    ProbePair pair(communicator.channel, begins ? ends.second : ends.first, tag, begins,
                   long_bytes);
    const double short_s = pair.one_way_s(1, short_round_trips);
    found.within = {short_s, time_per_byte(pair.one_way_s(long_bytes, long_round_trips), short_s)};
    if (pair.error() != MPI_SUCCESS) return pair.error();
  }
  const bool is_told = communicator.rank == 0;
  if (ends.first == 0 || (!is_told && !begins)) return MPI_SUCCESS;
  ProbePair pair(communicator.channel, is_told ? ends.first : 0, tag, is_told, long_bytes);
  pair.tell(found.within);
  return pair.error();
}

// Of each pair, so that one port takes some latencies for all of them.
std::int64_t bytes_at_once(std::size_t pairs, double latency_s, double time_per_byte_s) {
  const double enough = std::min(least_latencies_on_wire * latency_s / time_per_byte_s,
                                 static_cast<double>(most_bytes_at_once));
  const auto total = std::max(static_cast<std::int64_t>(enough), std::int64_t{long_bytes});
  return total / static_cast<std::int64_t>(pairs);
}

// What the first ranks of the pairs, all on rank 0's node, send at once; rank 0 finds it. An MPI
// error code.
int measure_pairs(std::span<const Ends> pairs, double latency_s, double time_per_byte_s, int tag,
                  const Communicator& communicator, platform::MessagesAtOnce& sent) {
  sent.count = static_cast<std::int32_t>(pairs.size());
  sent.time_per_byte_s = time_per_byte_s;
  sent.bytes = bytes_at_once(pairs.size(), latency_s, time_per_byte_s);
  return measure_at_once(pairs, tag, communicator, sent);
}

// To another node, and within rank 0's.
int measure_nodes(int tag, Communicator& communicator) {
  const std::vector<std::int64_t>& node_of_rank = communicator.places->node_of_rank();
  const std::vector<Ends> between = pairs_between(on_two_nodes(node_of_rank), node_of_rank);
  const std::vector<Ends> within = pairs_within(0, node_of_rank);
  if (between.size() < 2 && within.size() < 2) return MPI_SUCCESS;
  Network& network = communicator.network;
  platform::MessagesAtOnce to_other;
  platform::MessagesAtOnce on_node;
  int error = MPI_SUCCESS;
  if (between.size() > 1) {
    error = measure_pairs(between, network.latency_s, network.time_per_byte_s, tag, communicator,
                          to_other);
  }
  if (within.size() > 1 && error == MPI_SUCCESS) {
    error = measure_pairs(within, network.latency_within_nodes_s,
                          network.time_per_byte_within_nodes_s, tag, communicator, on_node);
  }
  if (error != MPI_SUCCESS) return error;
  std::array<double, 2> found = {ports_a_node(to_other), memory_time_per_byte_s(on_node)};
  error = tell_all(found.data(), sizeof(found), communicator);
  network.ports_a_node = found[0];
  network.memory_time_per_byte_s = found[1];
  return error;
}

}  // namespace

int tell_all(void* values, std::int64_t size_bytes, Communicator& communicator) {
  Problem problem;
  problem.ranks = communicator.size;
  problem.size_bytes = size_bytes;
  const Call call{
      .name = "bcast", .collective = Collective::bcast, .output = {values, size_bytes, MPI_BYTE}};
  Decision decision;
  decision.choice = with_defaults(*find_algorithm("bcast/binomial"), problem);
  auto decided = std::make_shared<const Decided>(Decided{problem, std::move(decision)});
  std::optional<Working> working(communicator);
  Request request(communicator.shared_from_this(), call, std::move(decided),
                  std::make_shared<const SettingsInForce>(Settings{}));
  request.begin();
  working.reset();
  return wait_for(request);
}

int probe_network(Communicator& communicator) {
  const std::vector<std::int64_t>& node_of_rank = communicator.places->node_of_rank();
  const BorrowedTag tag(communicator.tags);
  ProbeResult found{};
  int error = measure_between(on_two_nodes(node_of_rank), tag.get(), communicator, found);
  if (error != MPI_SUCCESS) return error;
  error = measure_within(on_one_node(node_of_rank), tag.get(), communicator, found);
  if (error != MPI_SUCCESS) return error;
  error = tell_all(&found, sizeof(found), communicator);
  if (error != MPI_SUCCESS) return error;
  Network& network = communicator.network;
  network.latency_s = found.latency_s;
  network.time_per_byte_s = found.time_per_byte_s;
  network.measured_overhead_s = found.overhead_s;
  if (found.eager_limit_bytes > 0) {
    network.eager_limit_bytes = static_cast<std::int64_t>(found.eager_limit_bytes);
  }
  if (found.within[0] > 0) {
    network.latency_within_nodes_s = found.within[0];
    network.time_per_byte_within_nodes_s = found.within[1];
  }
  error = measure_nodes(tag.get(), communicator);
  if (error != MPI_SUCCESS) return error;
  learn_network(network);
  apply_settings(network);
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
