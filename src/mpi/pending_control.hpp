// Control messages from anybody, by probing: a receive from any source that is posted beforehand is
// not always matched (MPICH 5.0.2 over UCX with TCP).
//
// And those that reach a rank after its collective is over, of ranks that arrive later: they must
// be received all the same, or they would lie in the MPI for ever.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <vector>

#include "mpi/waiting.hpp"

namespace anabranch::mpi {

// A control message with this tag, if one is there: its sender, or -1. An MPI error code.
int take_control_message(MPI_Comm channel, std::int32_t tag, std::vector<std::int32_t>& control,
                         std::int32_t& sender);

class PendingControl {
 public:
  // So many messages will still come with this tag. `bytes_each`: of the message that each of the
  // senders was sent before it arrived.
  void expect(std::int32_t count, std::int32_t tag, std::int64_t bytes_each);

  bool expects(std::int32_t tag) const;

  // Takes in what has come. An MPI error code.
  int look(MPI_Comm channel);
  // Waits for all that is to come: before the communicator goes. Where that takes long, the
  // watchdog tells. rank, size: this process's in the communicator.
  int finish(MPI_Comm channel, const Waiting& waiting, int rank, int size);

  std::int64_t pushed_bytes() const;

 private:
  void tell(int rank, int size) const;

  struct Expected {
    std::int32_t count;
    std::int32_t tag;
    std::int64_t bytes_each;
  };

  std::list<Expected> expected_;
};

}  // namespace anabranch::mpi
