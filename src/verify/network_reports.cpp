// What is wrong where nothing can happen any more.
#include <functional>
#include <map>

#include "verify/network.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {

// Looks for ranks that wait for each other in a circle; else names one that waits in vain.
void SymbolicNetwork::report_deadlock() const {
  std::vector<std::vector<const Posted*>> waits(static_cast<std::size_t>(ranks_));
  for (const Participant& who : participants_) {
    for (const std::int32_t index : who.posted) {
      if (index == nothing || posted_[static_cast<std::size_t>(index)].matched) continue;
      if (posted_[static_cast<std::size_t>(index)].peer == nothing)
        continue;  // receives from anybody
      waits[static_cast<std::size_t>(who.rank)].push_back(
          &posted_[static_cast<std::size_t>(index)]);
    }
  }
  std::vector<bool> seen(waits.size());
  std::vector<const Posted*> path;
  const auto sentence_of = [&](std::size_t first) {
    std::string sentence;
    for (std::size_t i = first; i < path.size(); ++i) {
      const Posted& what = *path[i];
      const bool sends = what.kind == Action::Kind::send;
      sentence += (i == first ? "" : ", ") + rank_text(what.event.rank) + " waits for " +
                  rank_text(what.peer) + (sends ? " to receive " : " to send ") + text(what) +
                  where(what);
    }
    return sentence;
  };
  const std::function<void(std::int32_t)> follow = [&](std::int32_t rank) {
    seen[static_cast<std::size_t>(rank)] = true;
    for (const Posted* what : waits[static_cast<std::size_t>(rank)]) {
      path.push_back(what);
      for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i]->event.rank == what->peer) {
          throw Violation(Fault::deadlock, "deadlock: " + sentence_of(i));
        }
      }
      if (!seen[static_cast<std::size_t>(what->peer)]) follow(what->peer);
      path.pop_back();
    }
  };
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if (!seen[static_cast<std::size_t>(rank)]) follow(rank);
  }
  for (const auto& some : waits) {
    if (!some.empty()) path.assign(1, some.front());
  }
  throw Violation(Fault::deadlock, path.empty()
                                       ? "deadlock: nobody waits for a message but nobody goes on"
                                       : "deadlock: " + sentence_of(0) + ", in vain");
}

void SymbolicNetwork::report_leftovers() const {
  for (const Channel& some : channels_) {
    if (some.sends.first == nothing) continue;
    const Posted& what = posted_[static_cast<std::size_t>(some.sends.first)];
    throw Violation(Fault::never_received, rank_text(what.event.rank) + " sends " + text(what) +
                                               " to " + rank_text(what.peer) + where(what) +
                                               ", which is never received");
  }
}

// What is left must be what executions have said will still come.
void SymbolicNetwork::report_unreceived_control() const {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    const RankState& state = rank_states_[static_cast<std::size_t>(rank)];
    std::map<std::int32_t, std::int32_t> left;  // by call
    for (const ControlMessage& message : state.inbox) ++left[message.call];
    for (const std::uint32_t participant : state.participants) {
      const Participant& who = participants_[participant];
      const std::int32_t found = left[who.call] + unreceived_control_of(who);
      if (found == who.execution->pending_control_messages()) continue;
      throw Violation(Fault::never_received,
                      rank_text(rank) + " leaves call " + std::to_string(who.call) + " expecting " +
                          std::to_string(who.execution->pending_control_messages()) +
                          " more control messages, but there are " + std::to_string(found));
    }
  }
}

// Later calls go by it.
void SymbolicNetwork::report_disagreement() const {
  std::map<std::int32_t, const Participant*> first;  // by call
  for (const Participant& who : participants_) {
    const Participant& other = *first.try_emplace(who.call, &who).first->second;
    const bool is_one = who.execution->served_all_together();
    if (other.execution->served_all_together() == is_one) continue;
    throw Violation(Fault::disagreement, "in call " + std::to_string(who.call) + " " +
                                             rank_text(is_one ? who.rank : other.rank) +
                                             " was served in a group of all ranks, but " +
                                             rank_text(is_one ? other.rank : who.rank) +
                                             " was not");
  }
}

}  // namespace anabranch::verify
