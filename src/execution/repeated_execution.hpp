// Calls in a row on one rank: the next begins as the rank leaves the last, without synchronisation.
//
// Messages between two ranks keep the order of the calls, so ranks may be in different ones. Of
// executions of schedules only: protocols leave control messages behind, which need tags to tell
// whose they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "execution/execution.hpp"

namespace anabranch {

class RepeatedExecution final : public Execution {
 public:
  using Maker = std::function<std::unique_ptr<Execution>()>;

  // Throws std::invalid_argument where the maker makes a protocol, or there are no calls.
  RepeatedExecution(Maker make, std::int32_t calls) : make_(std::move(make)), left_(calls) {
    if (calls < 1) throw std::invalid_argument("calls in a row: give 1 or more");
    begin_next();
    if (current_->schedule() == nullptr) {
      throw std::invalid_argument("calls in a row are for schedules, not for protocols");
    }
  }

  bool next(Action& action) override {
    while (!current_->next(action)) {
      if (!current_->done() || left_ == 0) return false;
      first_round_ += current_->schedule()->rounds;
      begin_next();
    }
    action.round += first_round_;
    return true;
  }

  void complete(Ticket ticket) override { current_->complete(ticket); }
  bool done() const override { return left_ == 0 && current_->done(); }

  std::unique_ptr<Execution> clone() const override {
    return std::unique_ptr<Execution>(new RepeatedExecution(*this));
  }
  void describe_state(std::vector<std::int32_t>& state) const override {
    state.push_back(left_);
    current_->describe_state(state);
  }

 private:
  RepeatedExecution(const RepeatedExecution& other)
      : make_(other.make_),
        current_(other.current_->clone()),
        left_(other.left_),
        first_round_(other.first_round_) {}

  void begin_next() {
    current_ = make_();
    --left_;
  }

  Maker make_;
  std::unique_ptr<Execution> current_;
  std::int32_t left_;             // calls after the current one
  std::int32_t first_round_ = 0;  // of the current call, counted over all
};

}  // namespace anabranch
