// What a rank did in a collective, and when, for time lines: ANABRANCH_TRACE names the folder.
//
// One file a process, HOST-PID.jsonl, and in it one line a collective, written when that is over.
// Times are of the wall clock, which the nodes are expected to keep alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch::mpi {

double wall_s();

class Recording {
 public:
  struct Subject {
    std::int64_t communicator = 0;  // the same number on all its ranks
    std::int64_t number = 0;        // of the collective, on this communicator
    std::string_view algorithm;
    std::int64_t size_bytes = 0;
    std::int32_t ranks = 1;
    std::int32_t rank = 0;
    std::int32_t root = 0;
    double begin_s = 0;  // where it is not now; wall_s()
  };

  Recording(std::string folder, const Subject& subject);
  // Writes the line. Where that fails it says so, once in a process.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // A message that was under way from `begin_s` until now; the peer is a rank of the communicator.
  void add(Action::Kind kind, std::int32_t peer, double begin_s, std::int64_t size_bytes);

 private:
  struct Message {
    Action::Kind kind;
    std::int32_t peer;
    double begin_s;
    double end_s;
    std::int64_t size_bytes;
  };
  std::string line() const;

  std::string folder_;
  Subject subject_;
  double begin_s_;
  std::vector<Message> messages_;
};

}  // namespace anabranch::mpi
