#include "verify/order.hpp"

namespace anabranch::verify {

// The generator of Vigna, "splitmix64".
std::uint64_t RandomOrder::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

std::size_t RandomOrder::pick(std::span<const Event> events) {
  return static_cast<std::size_t>(next() % events.size());
}

std::size_t SlowRank::pick(std::span<const Event> events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].rank != rank_) return i;
  }
  return 0;
}

std::size_t SlowAction::pick(std::span<const Event> events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool is_action = event.kind != Event::Kind::start && event.kind != Event::Kind::poll;
    const bool is_meant = only_combining_ ? event.kind == Event::Kind::reduce_local : is_action;
    const bool is_slow = is_meant && event.rank == rank_ && event.operation == operation_ &&
                         event.iteration == iteration_;
    if (!is_slow) return i;
  }
  return 0;
}

std::size_t EveryOrder::pick(std::span<const Event> events) {
  if (depth_ == choices_.size()) choices_.push_back({0, events.size()});
  return choices_[depth_++].taken;
}

bool EveryOrder::advance() {
  depth_ = 0;
  while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().among) {
    choices_.pop_back();
  }
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

}  // namespace anabranch::verify
