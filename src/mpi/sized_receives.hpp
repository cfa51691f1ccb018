// Receives of messages that begin with a header, which are found by probing, and the receives that
// follow from the same peers: those are posted afterwards, or they would take such a message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "execution/execution.hpp"
#include "mpi/sized_messages.hpp"

namespace anabranch::mpi {

// The size of a collective that only its root knew and all its messages tell, and what a rank has
// taken in to learn it: the first message, from whoever sent it.
struct AnnouncedSize {
  std::int64_t total_bytes = 0;
  Iovec first;                   // without an address where there is none, as at the root
  std::int32_t first_peer = -1;  // absolute
  double begin_s = 0;            // when the rank began to wait for it, by the wall's clock
};

class SizedReceives {
 public:
  // Null where no size is announced.
  explicit SizedReceives(const AnnouncedSize* announced) : announced_(announced) {}

  bool has_header(const Action& action) const {
    return action.carries_sizes || announced_ != nullptr;
  }
  // What the header of such a message tells.
  HeaderContent header_content(const Action& action) const {
    HeaderContent content{.total_bytes = std::nullopt, .has_sizes = action.carries_sizes};
    if (announced_ != nullptr) content.total_bytes = announced_->total_bytes;
    return content;
  }
  // Whether the receive cannot be posted at once.
  bool waits(const Action& action) const {
    return has_header(action) ||
           std::ranges::find(waiting_, action.peer, &Action::peer) != waiting_.end();
  }
  void add(const Action& action) { waiting_.push_back(action); }

  // The message that was taken in to learn the size, if it is of this peer; once.
  bool take_first(std::int32_t absolute_peer, Iovec& message) {
    if (announced_ == nullptr || announced_->first_peer != absolute_peer || first_is_taken_) {
      return false;
    }
    first_is_taken_ = true;
    message = announced_->first;
    return true;
  }
  double begin_s() const { return announced_ != nullptr ? announced_->begin_s : 0; }

  // Calls start(action, is_started), which gives an MPI error code, for the first receive of each
  // peer, and then for the next one of those whose first is started.
  template <typename Start>
  int look(int& started, Start start) {
    for (std::size_t i = 0; i < waiting_.size();) {
      const Action action = waiting_[i];
      const auto here = waiting_.begin() + static_cast<std::ptrdiff_t>(i);
      bool is_started = std::find_if(waiting_.begin(), here, [&](const Action& earlier) {
                          return earlier.peer == action.peer;
                        }) == here;
      if (is_started) {
        if (const int error = start(action, is_started)) return error;
      }
      if (!is_started) {
        ++i;
        continue;
      }
      ++started;
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return MPI_SUCCESS;
  }

  const std::vector<Action>& waiting() const { return waiting_; }

 private:
  const AnnouncedSize* announced_;
  bool first_is_taken_ = false;
  std::vector<Action> waiting_;
};

}  // namespace anabranch::mpi
