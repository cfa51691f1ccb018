// One node's part in a measurement of links: all nodes send at once, each to the node so many
// places after it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace anabranch::mpi {

class LinkMeasurement {
 public:
  // leaders: the rank of each node that takes part; own: the node of this rank among them. The tag
  // and that of control messages are nobody else's meanwhile. Latency: of the first look at the
  // network, s.
  LinkMeasurement(MPI_Comm channel, std::vector<int> leaders, std::int32_t own, double latency_s,
                  int tag);

  // All return an MPI error code. `shifts` as all other nodes give them.
  //
  // Makes connections.
  int meet(std::span<const std::int32_t> shifts);
  // Lowers the row, s/B by shift, to what messages from the nodes so many places before this one
  // take.
  int measure(std::span<const std::int32_t> shifts, std::int64_t size_bytes, std::span<double> row);

 private:
  int shift_by(std::int32_t shift, std::int64_t size_bytes, double& took_s);
  int leader(std::int32_t shift) const;

  MPI_Comm channel_;
  std::vector<int> leaders_;
  std::int32_t own_;
  double latency_s_;
  int tag_;
  std::vector<char> sent_;
  std::vector<char> received_;
};

// Until the request is done. An MPI error code.
int wait_for_one(MPI_Request& request);

}  // namespace anabranch::mpi
