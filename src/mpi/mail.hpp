// Words that reach a rank after its operation is over: of ranks that arrive later.
//
// A rank leaves some broadcasts before everybody has arrived. The messages of those who come later
// must be received all the same, or they would lie in the MPI for ever.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <vector>

namespace anabranch::mpi {

class Mail {
 public:
  // So many messages will still come with this tag, the first one into the receive under way.
  // `bytes_each`: of the message that each of the senders was sent before it arrived.
  void expect(std::int32_t count, std::int32_t tag, MPI_Request request,
              std::vector<std::int32_t> words, std::int64_t bytes_each);

  // Takes in what has come. An MPI error code.
  int look(MPI_Comm channel);
  // Waits for all that is to come: before the communicator goes.
  int finish(MPI_Comm channel);

  std::int64_t pushed_bytes() const;

 private:
  struct Expected {
    std::int32_t count;
    std::int32_t tag;
    MPI_Request request;
    std::vector<std::int32_t> words;
    std::int64_t bytes_each;
  };
  int take(Expected& expected, MPI_Comm channel, bool wait);

  std::list<Expected> expected_;
};

}  // namespace anabranch::mpi
