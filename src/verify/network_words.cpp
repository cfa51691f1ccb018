// Words between ranks.
#include <algorithm>

#include "collectives/relative_rank.hpp"
#include "execution/tags.hpp"
#include "verify/network.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {

void SymbolicNetwork::post_letter(Participant& who, const Action& action) {
  const std::int32_t dst = absolute_rank(action.peer, who.root, ranks_);
  channel(who.rank, dst)
      .letters.push_back(
          {who.operation, who.rank, action.tag, {action.words.begin(), action.words.end()}});
  const auto src = static_cast<std::uint32_t>(who.rank);
  events_.push_back({Event::Kind::deliver, dst, 0, 0, src, 0});
}

// Words that came when the participant was about to finish.
std::int32_t SymbolicNetwork::count_of_unheard(const Participant& who) const {
  return static_cast<std::int32_t>(std::ranges::count_if(who.posted, [&](std::int32_t index) {
    if (index == nothing) return false;
    const Posted& what = posted_[static_cast<std::size_t>(index)];
    return what.kind == Action::Kind::hear && what.matched;
  }));
}

bool SymbolicNetwork::hears(std::int32_t index, const Letter& letter) const {
  const Posted& what = posted_[static_cast<std::size_t>(index)];
  return what.tag == letter.tag && (what.peer == nothing || what.peer == letter.src);
}

void SymbolicNetwork::take_letter(std::int32_t index, const Letter& letter) {
  Posted& what = posted_[static_cast<std::size_t>(index)];
  const Participant& who = participants_[what.event.participant];
  if (who.operation != letter.operation) {
    throw Violation(Fault::wrong_operation,
                    rank_text(who.rank) + " hears in operation " + std::to_string(who.operation) +
                        " what rank " + std::to_string(letter.src) + " told in operation " +
                        std::to_string(letter.operation) + ", which has the same tag");
  }
  what.matched = true;
  what.peer = letter.src;
  what.words = letter.words;
  events_.push_back(what.event);
}

void SymbolicNetwork::post_hear(const Participant& who, std::int32_t index) {
  RankState& state = rank_states_[static_cast<std::size_t>(who.rank)];
  const auto fitting =
      std::ranges::find_if(state.inbox, [&](const Letter& letter) { return hears(index, letter); });
  if (fitting == state.inbox.end()) {
    state.hearing.push_back(index);
    return;
  }
  take_letter(index, *fitting);
  state.inbox.erase(fitting);
}

void SymbolicNetwork::deliver(const Event& event) {
  auto& letters = channel(static_cast<std::int32_t>(event.operation), event.rank).letters;
  const Letter letter = std::move(letters.front());
  letters.erase(letters.begin());
  RankState& state = rank_states_[static_cast<std::size_t>(event.rank)];
  const auto fitting =
      std::ranges::find_if(state.hearing, [&](std::int32_t index) { return hears(index, letter); });
  if (fitting == state.hearing.end()) {
    state.inbox.push_back(letter);
    return;
  }
  take_letter(*fitting, letter);
  state.hearing.erase(fitting);
}

}  // namespace anabranch::verify
