// Words between ranks, and what describes the state of a network.
#include <algorithm>
#include <map>

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

bool SymbolicNetwork::hears(std::int32_t index, const Letter& letter) const {
  const Posted& what = posted_[static_cast<std::size_t>(index)];
  return what.tag == letter.tag && (what.peer == nothing || what.peer == letter.src);
}

void SymbolicNetwork::take_letter(std::int32_t index, const Letter& letter) {
  Posted& what = posted_[static_cast<std::size_t>(index)];
  const Participant& who = participants_[what.event.participant];
  if (who.operation != letter.operation) {
    throw Violation(Fault::wrong_operation,
                    "rank " + std::to_string(who.rank) + " hears in operation " +
                        std::to_string(who.operation) + " what rank " + std::to_string(letter.src) +
                        " told in operation " + std::to_string(letter.operation) +
                        ", which has the same tag");
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

// What is left must be what executions have said will still come.
void SymbolicNetwork::report_unheard() const {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    const RankState& state = rank_states_[static_cast<std::size_t>(rank)];
    std::map<std::int32_t, std::int32_t> left;  // by operation
    for (const Letter& letter : state.inbox) ++left[letter.operation];
    for (const std::uint32_t participant : state.participants) {
      const Participant& who = participants_[participant];
      std::int32_t found = left[who.operation];
      for (const std::int32_t index : who.posted) {
        if (index == nothing) continue;
        const Posted& what = posted_[static_cast<std::size_t>(index)];
        if (what.kind == Action::Kind::hear && what.matched) ++found;
      }
      if (found == who.execution->unheard()) continue;
      throw Violation(Fault::never_received, "rank " + std::to_string(rank) + " leaves operation " +
                                                 std::to_string(who.operation) + " expecting " +
                                                 std::to_string(who.execution->unheard()) +
                                                 " more messages of words, but there are " +
                                                 std::to_string(found));
    }
  }
}

void SymbolicNetwork::describe(const Posted& what, std::vector<std::int32_t>& state) const {
  state.insert(state.end(),
               {static_cast<std::int32_t>(what.kind), what.peer, what.tag, what.matched,
                what.is_ended, static_cast<std::int32_t>(what.cells.size()),
                static_cast<std::int32_t>(what.event.participant)});
  state.insert(state.end(), what.cells.begin(), what.cells.end());
  state.insert(state.end(), what.words.begin(), what.words.end());
}

// Names of tickets and places in lists are left out: they tell nothing.
void SymbolicNetwork::describe_state(std::vector<std::int32_t>& state) const {
  const auto size = [&](std::size_t n) { state.push_back(static_cast<std::int32_t>(n)); };
  for (const Participant& who : participants_) {
    state.insert(state.end(), {who.started, who.finished, who.poll_is_due});
    if (!who.started || who.finished) continue;
    who.execution->describe_state(state);
    for (Cell cell = 0; cell < static_cast<Cell>(who.memory.cells()); ++cell) {
      state.push_back(who.memory.value(cell).operands);
    }
    std::vector<std::vector<std::int32_t>> under_way;
    for (const std::int32_t index : who.posted) {
      if (index == nothing) continue;
      under_way.emplace_back();
      describe(posted_[static_cast<std::size_t>(index)], under_way.back());
    }
    std::ranges::sort(under_way);
    size(under_way.size());
    for (const auto& one : under_way) state.insert(state.end(), one.begin(), one.end());
  }
  const auto letter_of = [&](const Letter& letter) {
    state.insert(state.end(), {letter.src, letter.tag});
    state.insert(state.end(), letter.words.begin(), letter.words.end());
  };
  for (const Channel& some : channels_) {
    for (const List* list : {&some.sends, &some.receives}) {
      state.push_back(nothing);
      for (std::int32_t index = list->first; index != nothing;
           index = posted_[static_cast<std::size_t>(index)].next) {
        describe(posted_[static_cast<std::size_t>(index)], state);
      }
    }
    size(some.letters.size());
    for (const Letter& letter : some.letters) letter_of(letter);
  }
  for (const RankState& some : rank_states_) {
    size(some.inbox.size());
    for (const Letter& letter : some.inbox) letter_of(letter);
  }
  std::vector<std::vector<std::int32_t>> open;
  for (const Event& event : open_events()) {
    open.push_back({static_cast<std::int32_t>(event.kind), event.rank,
                    static_cast<std::int32_t>(event.participant),
                    static_cast<std::int32_t>(event.operation), event.iteration});
  }
  std::ranges::sort(open);
  for (const auto& one : open) state.insert(state.end(), one.begin(), one.end());
}

}  // namespace anabranch::verify
