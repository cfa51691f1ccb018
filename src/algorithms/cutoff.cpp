#include "algorithms/cutoff.hpp"

#include <limits>

#include "algorithms/logarithm.hpp"

namespace anabranch {

double reduce_scatter_cutoff_bytes(std::int32_t ranks, const Network& network) {
  const double p = ranks;
  const double q = ceil_log2(ranks);
  const double more_bytes = (q - 2 * (p - 1) / p) * network.time_per_byte_s;
  if (more_bytes <= 0) return std::numeric_limits<double>::infinity();
  return (p - 1 - q) * network.latency_s / more_bytes;
}

}  // namespace anabranch
