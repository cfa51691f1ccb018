// One end of a measurement between two ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace anabranch::mpi {

// Both ends make the same calls in the same order. An end remembers the first error; after it
// nothing is sent. Results count at the end that begins.
class ProbePair {
 public:
  // longest_bytes: of any message.
  ProbePair(MPI_Comm channel, int peer, int tag, bool begins, std::size_t longest_bytes)
      : channel_(channel), peer_(peer), tag_(tag), begins_(begins), buffer_(longest_bytes) {}

  // Half of the shortest round trip, s.
  double one_way_s(int bytes, int repetitions);
  // How long a rank is busy with each of many messages that wait for nothing, s.
  double overhead_s(double latency_s);
  // The longest message of those up to most_bytes that leaves before its receiver asks for it; 0:
  // none of those.
  std::int64_t eager_limit_bytes(double latency_s, double time_per_byte_s, int most_bytes);
  // The other end may say what it has found.
  void tell(std::span<double> values);
  // From the end that begins to the other one, or back.
  void send(int bytes) { transfer(bytes, begins_); }
  void send_back(int bytes) { transfer(bytes, !begins_); }

  // An MPI error code.
  int error() const { return error_; }

 private:
  using Requests = std::span<MPI_Request>;

  void check(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }
  bool is_done(Requests requests);
  void wait_for(Requests requests);
  MPI_Request begin(int bytes, bool sends, int tag, void* place);
  void transfer(int bytes, bool sends);
  void send_train();
  bool left_unasked(int bytes, int most_bytes, double patience_s, char& is_last);
  bool ask_late(int bytes, char& is_last);

  MPI_Comm channel_;
  int peer_;
  int tag_;
  bool begins_;
  std::vector<char> buffer_;
  int error_ = MPI_SUCCESS;
};

}  // namespace anabranch::mpi
