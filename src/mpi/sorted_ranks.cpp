#include "mpi/sorted_ranks.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "mpi/communicator.hpp"

namespace anabranch::mpi {

// Each rank adds its own time to nothing: the sums are the times of all.
void SortedClass::end_call(double in_call_s, const Communicator& communicator) {
  order.end_call();
  if (!order.is_to_be_told()) return;
  std::vector<std::int64_t> times_ns(static_cast<std::size_t>(communicator.size));
  times_ns[static_cast<std::size_t>(communicator.rank)] = std::llround(in_call_s * 1e9);
  // Where it fails, the MPI has failed on all ranks, and the next call says so.
  sum->begin(times_ns, communicator.channel);
}

}  // namespace anabranch::mpi
