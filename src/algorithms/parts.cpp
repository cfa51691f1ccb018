#include "algorithms/parts.hpp"

namespace anabranch {

double parts_time_s(const Problem& problem, double rounds, double parts) {
  return rounds * problem.network.latency_s +
         parts * static_cast<double>(problem.part_bytes()) * problem.network.time_per_byte_s;
}

double part_per_rank_time_s(const Problem& problem, Values) {
  return parts_time_s(problem, problem.ranks - 1, problem.ranks - 1);
}

}  // namespace anabranch
