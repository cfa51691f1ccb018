// The messages of one collective that are under way: posts requests to the MPI and finds out which
// are complete.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "execution/execution.hpp"
#include "mpi/call.hpp"
#include "mpi/message.hpp"
#include "mpi/recording.hpp"
#include "mpi/sized_messages.hpp"

namespace anabranch::mpi {

// What a message under way is about.
struct Pending {
  Ticket ticket = 0;
  Action::Kind kind = Action::Kind::send;
  std::int32_t peer = -1;  // absolute
  std::int32_t tag = 0;
  std::int32_t round = 0;
  bool may_end = false;
  std::int64_t size_bytes = 0;
  double begin_s = 0;  // for the recording
  std::vector<std::int32_t> control = {};
  // Of a message that begins with a header: the whole of it, and where its blocks belong.
  Iovec sized = {};
  HeaderContent content = {};
  std::span<const BlockSet> block_sets = {};
  std::int32_t shift = 0;
};

class Transport {
 public:
  Transport(const ProcessGroup& group, bool is_recorded)
      : group_(group), is_recorded_(is_recorded) {}
  ~Transport() { release(); }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // MPI error codes.
  int send(const Message& message, bool is_synchronous, Pending pending);
  int receive(const Message& message, Pending pending);
  int send_control(Pending pending);
  int receive_control(Pending pending, std::int32_t max_control_length);
  // Of a message that was found by probing, whose request is made by make().
  template <typename Make>
  int take_over(Pending pending, Make make) {
    make_room();
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = make(request, pending);
    if (error == MPI_SUCCESS && request != MPI_REQUEST_NULL) post(request, std::move(pending));
    return error;
  }

  // Calls finish(pending, status), which gives an MPI error code, for each that is complete.
  template <typename Finish>
  int collect(int& completed, Finish finish) {
    if (const int error = test(completed)) return error;
    for (int i = 0; i < completed; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const Pending& pending = pending_[static_cast<std::size_t>(indices_[place])];
      if (const int error = finish(pending, statuses_[place])) return error;
    }
    if (completed > 0) close_gaps();
    return MPI_SUCCESS;
  }

  const std::vector<Pending>& pending() const { return pending_; }

  // After a failure: nothing may write into the user's memory any more. False if something is under
  // way all the same, and memory of the library's that it needs must be kept.
  bool release() noexcept;

 private:
  int test(int& completed);
  void make_room();
  void post(MPI_Request request, Pending pending);
  void close_gaps();

  const ProcessGroup& group_;
  bool is_recorded_;
  // Parallel arrays, as MPI_Testsome wants its requests.
  std::vector<MPI_Request> requests_;
  std::vector<Pending> pending_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace anabranch::mpi
