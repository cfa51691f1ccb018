// Mutants of protocols: an execution that makes one mistake.
#include <utility>

#include "verify/protocols.hpp"

namespace anabranch::verify {
namespace {

class Mistaken final : public Execution {
 public:
  Mistaken(std::unique_ptr<Execution> inner, const Mistake& mistake, std::int32_t ranks, bool& made)
      : inner_(std::move(inner)), mistake_(mistake), ranks_(ranks), made_(&made) {}
  Mistaken(const Mistaken& other)
      : Execution(other),
        inner_(other.inner_->clone()),
        mistake_(other.mistake_),
        ranks_(other.ranks_),
        made_(other.made_),
        seen_(other.seen_),
        extra_(other.extra_),
        extra_control_(other.extra_control_),
        extra_block_set_(other.extra_block_set_),
        has_extra_(other.has_extra_),
        extra_under_way_(other.extra_under_way_),
        to_forget_(other.to_forget_) {}

  bool next(Action& action) override {
    if (has_extra_) {
      has_extra_ = false;
      ++extra_under_way_;
      action = extra_;
      action.ticket = extra_ticket;
      action.control = extra_control_;
      action.block_sets = {&extra_block_set_, extra_.block_sets.size()};
      return true;
    }
    while (inner_->next(action)) {
      if (!is_meant(action)) return true;
      *made_ = true;
      if (!make(action)) return true;
    }
    return false;
  }

  void complete(Ticket ticket) override {
    if (ticket == extra_ticket) {
      --extra_under_way_;
    } else if (to_forget_ && ticket == *to_forget_) {
      to_forget_.reset();
      inner_->ended(ticket);
    } else {
      inner_->complete(ticket);
    }
  }
  void control_received(Ticket ticket, std::int32_t peer,
                        std::span<const std::int32_t> control) override {
    inner_->control_received(ticket, peer, control);
  }
  void ended(Ticket ticket) override { inner_->ended(ticket); }
  bool done() const override { return inner_->done() && extra_under_way_ == 0 && !has_extra_; }
  std::int32_t pending_control_messages() const override {
    return inner_->pending_control_messages();
  }
  bool served_all_together() const override {
    const bool is_right = inner_->served_all_together();
    if (mistake_.kind != Kind::deny_group && mistake_.kind != Kind::claim_group) return is_right;
    const bool says = mistake_.kind == Kind::claim_group;
    if (says != is_right) *made_ = true;
    return says;
  }
  std::unique_ptr<Execution> clone() const override { return std::make_unique<Mistaken>(*this); }
  void describe_state(std::vector<std::int32_t>& state) const override {
    inner_->describe_state(state);
    state.insert(state.end(), {seen_, has_extra_, extra_under_way_, to_forget_.has_value()});
  }

 private:
  static constexpr Ticket extra_ticket = 1000;
  using Kind = Mistake::Kind;

  bool is_meant(const Action& action) {
    const Kind kind = mistake_.kind;
    if (kind >= Kind::deny_group) return false;
    const bool fits = kind <= Kind::change_control  ? action.kind == Action::Kind::send_control
                      : kind <= Kind::retarget_send ? action.kind == Action::Kind::send
                      : kind == Kind::drop_end
                          ? action.kind == Action::Kind::end
                          : action.kind == Action::Kind::receive && action.may_end;
    return fits && seen_++ == mistake_.number;
  }

  // True where the action is not to be performed.
  bool make(Action& action) {
    switch (mistake_.kind) {
      case Kind::drop_control:
      case Kind::drop_send:
      case Kind::drop_end:
        inner_->complete(action.ticket);
        return true;
      case Kind::repeat_control:
      case Kind::repeat_send:
        has_extra_ = true;
        extra_ = action;
        extra_control_.assign(action.control.begin(), action.control.end());
        if (!action.block_sets.empty()) extra_block_set_ = action.block_sets.front();
        return false;
      case Kind::retarget_control:
      case Kind::retarget_send:
        action.peer = (action.peer + 1) % ranks_;
        return false;
      case Kind::change_control:
        extra_control_.assign(action.control.begin(), action.control.end());
        ++extra_control_.back();
        action.control = extra_control_;
        return false;
      case Kind::forget_completion:
        to_forget_ = action.ticket;
        return false;
      case Kind::deny_group:
      case Kind::claim_group:
        return false;
    }
    return false;
  }

  std::unique_ptr<Execution> inner_;
  Mistake mistake_;
  std::int32_t ranks_;
  bool* made_;
  std::int32_t seen_ = 0;
  Action extra_;
  std::vector<std::int32_t> extra_control_;
  BlockSet extra_block_set_;
  bool has_extra_ = false;
  std::int32_t extra_under_way_ = 0;
  std::optional<Ticket> to_forget_;
};

}  // namespace

Replace with_mistake(const Mistake& mistake, std::int32_t ranks, bool& made) {
  return [mistake, ranks, &made](std::unique_ptr<Execution> execution, std::int32_t rank,
                                 std::size_t number) -> std::unique_ptr<Execution> {
    if (rank != mistake.rank || number != 0) return execution;
    return std::make_unique<Mistaken>(std::move(execution), mistake, ranks, made);
  };
}

}  // namespace anabranch::verify
