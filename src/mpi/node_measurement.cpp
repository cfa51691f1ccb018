#include "mpi/node_measurement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "mpi/probe_pair.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {
namespace {

constexpr int repetitions = 3;

std::vector<int> ranks_with(int rank, const std::vector<std::int64_t>& node_of_rank) {
  std::vector<int> ranks;
  const std::int64_t node = node_of_rank[static_cast<std::size_t>(rank)];
  for (std::size_t other = 0; other < node_of_rank.size(); ++other) {
    if (node_of_rank[other] == node) ranks.push_back(static_cast<int>(other));
  }
  return ranks;
}

// A message of the pair, and the answer that it is there.
void send_once(ProbePair& pair, int bytes) {
  pair.send(bytes);
  pair.send_back(1);
}

// In turn: a byte, for what it takes to begin and to end, and all bytes.
using Sizes = std::array<int, 2>;

int receive_all(ProbePair& pair, const Sizes& sizes) {
  send_once(pair, 1);  // makes the connection
  for (int i = 0; i < repetitions; ++i) {
    for (const int bytes : sizes) send_once(pair, bytes);
  }
  return pair.error();
}

// Waits for the word of the first one of all before each message, and tells it of the end.
int send_when_told(ProbePair& pair, ProbePair& to_first, const Sizes& sizes) {
  send_once(pair, 1);
  to_first.send_back(1);
  for (int i = 0; i < repetitions; ++i) {
    for (const int bytes : sizes) {
      to_first.send(1);
      send_once(pair, bytes);
      to_first.send_back(1);
    }
  }
  return pair.error() != MPI_SUCCESS ? pair.error() : to_first.error();
}

int lead(ProbePair& pair, std::span<ProbePair> others, const Sizes& sizes,
         platform::MessagesAtOnce& found) {
  send_once(pair, 1);
  for (ProbePair& other : others) other.send_back(1);
  std::array<double, 2> best_s;
  best_s.fill(std::numeric_limits<double>::infinity());
  for (int i = 0; i < repetitions; ++i) {
    for (std::size_t which = 0; which < best_s.size(); ++which) {
      const double begin_s = now_s();
      for (ProbePair& other : others) other.send(1);
      send_once(pair, sizes[which]);
      for (ProbePair& other : others) other.send_back(1);
      best_s[which] = std::min(best_s[which], now_s() - begin_s);
    }
  }
  found.took_s = best_s[1];
  found.of_bytes_s = best_s[1] - best_s[0];
  int error = pair.error();
  for (const ProbePair& other : others) {
    if (error == MPI_SUCCESS) error = other.error();
  }
  return error;
}

}  // namespace

std::vector<Ends> pairs_between(const Ends& nodes, const std::vector<std::int64_t>& node_of_rank) {
  const std::vector<int> firsts = ranks_with(nodes.first, node_of_rank);
  const std::vector<int> seconds = ranks_with(nodes.second, node_of_rank);
  std::vector<Ends> pairs;
  const std::size_t count = std::min({firsts.size(), seconds.size(), most_pairs});
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back({firsts[i * firsts.size() / count], seconds[i * seconds.size() / count]});
  }
  return pairs;
}

std::vector<Ends> pairs_within(int on_node, const std::vector<std::int64_t>& node_of_rank) {
  const std::vector<int> ranks = ranks_with(on_node, node_of_rank);
  std::vector<Ends> pairs;
  for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) pairs.push_back({ranks[i], ranks[i + 1]});
  return pairs;
}

int measure_at_once(std::span<const Ends> pairs, int tag, const Communicator& communicator,
                    platform::MessagesAtOnce& found) {
  const int rank = communicator.rank;
  const auto own = std::ranges::find_if(
      pairs, [rank](const Ends& ends) { return ends.first == rank || ends.second == rank; });
  if (own == pairs.end()) return MPI_SUCCESS;
  const bool begins = own->first == rank;
  const auto longest = static_cast<std::size_t>(found.bytes);
  ProbePair pair(communicator.channel, begins ? own->second : own->first, tag, begins, longest);
  const Sizes sizes = {1, static_cast<int>(found.bytes)};
  if (!begins) return receive_all(pair, sizes);
  const int first = pairs.front().first;
  if (rank != first) {
    ProbePair to_first(communicator.channel, first, tag, false, 1);
    return send_when_told(pair, to_first, sizes);
  }
  std::vector<ProbePair> others;
  for (const Ends& ends : pairs.subspan(1)) {
    others.emplace_back(communicator.channel, ends.first, tag, true, 1);
  }
  return lead(pair, others, sizes, found);
}

}  // namespace anabranch::mpi
