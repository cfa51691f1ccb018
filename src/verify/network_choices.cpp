// Which events need not be tried now, because nothing is lost by trying them later.
//
// Every event belongs to one rank. It changes what that rank alone sees, appends to what is under
// way from it, and may make an event of another rank possible; it never makes one impossible. So
// events of different ranks commute, and what decides is the order at each rank alone.
//
// - A rank that has not begun cannot do anything else first: starts happen at once.
// - Control messages that nobody waits for change nothing. They stay under way until somebody does,
// and
//   are then received at once: the order in which they are received is the order of these steps.
// - Control messages to a rank that has finished change nothing: they are delivered at once.
// - Of the other events all those of some ranks are enough, if nothing that the remaining ranks do
//   makes a new event of those ranks possible (a persistent set; Godefroid, "Partial-Order Methods
//   for the Verification of Concurrent Systems", 1996, chapter 4). Until one of those ranks acts,
//   what it has posted stays as it is; it names who can make something of it possible.
#include <algorithm>

#include "verify/network.hpp"

namespace anabranch::verify {

const SymbolicNetwork::Participant& SymbolicNetwork::participant_of(std::int32_t rank,
                                                                    std::int32_t call) const {
  for (const std::uint32_t index : rank_states_[static_cast<std::size_t>(rank)].participants) {
    if (participants_[index].call == call) return participants_[index];
  }
  throw std::logic_error("a control message of a call in which the rank takes no part");
}

bool SymbolicNetwork::is_awaited(const ControlMessage& message, std::int32_t dst) const {
  return std::ranges::any_of(
      rank_states_[static_cast<std::size_t>(dst)].posted, [&](std::int32_t index) {
        const std::uint32_t receiver = posted_[static_cast<std::size_t>(index)].event.participant;
        return !participants_[receiver].finished && receives_control(index, message);
      });
}

const SymbolicNetwork::ControlMessage& SymbolicNetwork::first_in_flight(std::int32_t src,
                                                                        std::int32_t dst) const {
  return channels_[static_cast<std::size_t>(src) * static_cast<std::size_t>(ranks_) +
                   static_cast<std::size_t>(dst)]
      .in_flight.front();
}

bool SymbolicNetwork::can_happen_at_once(const Event& event) const {
  switch (event.kind) {
    case Event::Kind::start:
    case Event::Kind::receive_control:
      return true;
    case Event::Kind::deliver: {
      const ControlMessage& message =
          first_in_flight(static_cast<std::int32_t>(event.operation), event.rank);
      return participant_of(event.rank, message.call).finished;
    }
    default:
      return participants_[event.participant].finished;
  }
}

// Whether the rank could make something possible for which `what` has been posted.
bool SymbolicNetwork::can_answer(std::int32_t rank, const Posted& what) const {
  const Participant& who = participants_[what.event.participant];
  if (what.matched || what.kind == Action::Kind::wait || rank == who.rank) return false;
  if (what.peer != nothing && what.peer != rank) return false;
  if (participant_of(rank, who.call).finished) return false;
  if (what.kind != Action::Kind::receive_control) return true;
  // Its first control message is what it is.
  const auto& in_flight =
      channels_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(ranks_) +
                static_cast<std::size_t>(who.rank)]
          .in_flight;
  return in_flight.empty() || in_flight.front().tag != what.tag;
}

std::vector<std::size_t> SymbolicNetwork::sufficient_events() const {
  const auto count = static_cast<std::size_t>(ranks_);
  std::vector<std::vector<std::size_t>> own(count);  // events by rank
  const auto events = open_events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    auto& some = own[static_cast<std::size_t>(event.rank)];
    if (event.kind == Event::Kind::deliver) {
      const ControlMessage& message =
          first_in_flight(static_cast<std::int32_t>(event.operation), event.rank);
      const bool is_there = std::ranges::any_of(some, [&](std::size_t other) {
        return events[other].kind == Event::Kind::deliver &&
               events[other].operation == event.operation;
      });
      if (is_there || !is_awaited(message, event.rank)) continue;
    }
    some.push_back(i);
  }
  std::vector<std::size_t> best;
  std::vector<std::int32_t> group;
  std::vector<std::size_t> chosen;
  for (std::int32_t first = 0; first < ranks_; ++first) {
    if (own[static_cast<std::size_t>(first)].empty()) continue;
    group.assign(1, first);
    chosen.clear();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::int32_t member = group[i];
      const auto& some = own[static_cast<std::size_t>(member)];
      chosen.insert(chosen.end(), some.begin(), some.end());
      add_answerers(member, group);
    }
    if (best.empty() || chosen.size() < best.size()) best = chosen;
    if (best.size() == 1) break;
  }
  return best;
}

// Who could make an event of the rank possible.
void SymbolicNetwork::add_answerers(std::int32_t member, std::vector<std::int32_t>& group) const {
  for (const std::uint32_t index : rank_states_[static_cast<std::size_t>(member)].participants) {
    const Participant& who = participants_[index];
    if (!who.started || who.finished) continue;
    for (const std::int32_t posted : who.posted) {
      if (posted == nothing) continue;
      for (std::int32_t rank = 0; rank < ranks_; ++rank) {
        if (!can_answer(rank, posted_[static_cast<std::size_t>(posted)])) continue;
        if (std::ranges::find(group, rank) == group.end()) group.push_back(rank);
      }
    }
  }
}

}  // namespace anabranch::verify
