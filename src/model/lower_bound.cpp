#include "model/lower_bound.hpp"

#include <algorithm>

#include "algorithms/logarithm.hpp"

namespace anabranch {
namespace {

// w / m.
double busiest_port(Collective collective, std::int32_t ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (has_parts(collective)) return others;
  if (collective == Collective::allreduce) return 2 * others;
  return 1;
}

}  // namespace

double lower_bound_s(Collective collective, const Problem& problem) {
  if (problem.ranks < 2) return 0;
  const Network& network = problem.network;
  const double bytes =
      busiest_port(collective, problem.ranks) * static_cast<double>(problem.size_bytes);
  return std::max(ceil_log2(problem.ranks) * network.latency_s, bytes * network.time_per_byte_s);
}

}  // namespace anabranch
