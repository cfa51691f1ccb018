#include "verify/protocols.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "algorithms/instantiate.hpp"
#include "collectives/relative_rank.hpp"
#include "execution/tags.hpp"
#include "verify/places.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

// Bytes matter to protocols only in that they set limits by them.
Problem problem_of(const ProtocolCase& what) {
  const Problem problem{what.ranks, what.blocks, {1e-4, 2e-7}};
  return what.places == nullptr ? problem : at_places(problem, *what.places);
}

// What a network refers to.
struct Stage {
  explicit Stage(const ProtocolCase& what, const Replace& replace)
      : problem(problem_of(what)), operands(false), network(what.ranks, what.sends) {
    TagSequence tags;
    meanings.reserve(what.roots.size());
    for (std::size_t number = 0; number < what.roots.size(); ++number) {
      const std::int32_t root = what.roots[number];
      const std::int32_t tag = tags.next();
      meanings.emplace_back(what.algorithm.collective, what.ranks, what.blocks, root);
      for (std::int32_t rank = 0; rank < what.ranks; ++rank) {
        const std::int32_t relative = relative_rank(rank, root, what.ranks);
        auto execution = instantiate(
            {&what.algorithm, what.values},
            {.ranks = what.ranks, .rank = relative, .root = root, .places = what.places},
            what.blocks, {.problem = problem, .window = what.window, .tag = tag, .cache = &cache});
        Memory memory(meanings.back(), rank, execution->scratch_blocks(), operands);
        if (replace) execution = replace(std::move(execution), relative, number);
        network.join(rank, static_cast<std::int32_t>(number), root, std::move(execution),
                     std::move(memory));
      }
    }
  }

  Problem problem;
  Operands operands;
  ScheduleCache cache{1 << 20};
  std::vector<Semantics> meanings;
  SymbolicNetwork network;
};

std::uint64_t hash_of(const std::vector<std::int32_t>& state, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const std::int32_t word : state) {
    hash ^= static_cast<std::uint32_t>(word) + 0x9e3779b97f4a7c15U + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdU;
    hash ^= hash >> 33;
  }
  return hash;
}

std::string text_of(const Event& event) {
  constexpr const char* names[] = {"arrives",          "looks",  "sent",         "received",
                                   "combined",         "copied", "sent control", "gets control",
                                   "received control", "waited"};
  std::string text = rank_text(event.rank) + " " + names[static_cast<std::size_t>(event.kind)];
  if (event.kind == Event::Kind::receive) text += " block " + std::to_string(event.iteration);
  if (event.kind == Event::Kind::deliver) text += " by rank " + std::to_string(event.operation);
  return text;
}

class Explorer {
 public:
  Explorer(Sends sends, const Exploration& how) : sends_(sends), how_(how) {}

  void explore(SymbolicNetwork network) {
    settle(network);
    const std::uint64_t state = note(network);
    if (state == 0) return;
    const auto choices = how_.is_reduced ? network.sufficient_events() : all(network);
    if (choices.empty()) {
      end(network);
      return;
    }
    on_path_.insert(state);
    for (std::size_t i = 0; i < choices.size() && found_.is_complete; ++i) {
      ++found_.steps;
      path_.push_back(network.open_events()[choices[i]]);
      if (i + 1 == choices.size()) {  // the last one needs no copy
        network.step(choices[i], order_);
        explore(std::move(network));
      } else {
        SymbolicNetwork next(network);
        next.step(choices[i], order_);
        explore(std::move(next));
      }
      path_.pop_back();
    }
    on_path_.erase(state);
  }

  const Explored& found() const { return found_; }
  std::string path() const {
    std::string text;
    for (const Event& event : path_) text += (text.empty() ? "" : "; ") + text_of(event);
    return text;
  }

 private:
  static std::vector<std::size_t> all(const SymbolicNetwork& network) {
    std::vector<std::size_t> events(network.open_events().size());
    std::iota(events.begin(), events.end(), std::size_t{0});
    return events;
  }

  bool needs_nobody(const Event& event) const {
    switch (event.kind) {
      case Event::Kind::send:
        return sends_ == Sends::eager;
      case Event::Kind::send_control:
      case Event::Kind::copy:
      case Event::Kind::reduce_local:
        return true;
      default:
        return false;
    }
  }

  void settle(SymbolicNetwork& network) {
    for (std::size_t i = 0; i < network.open_events().size();) {
      const Event& event = network.open_events()[i];
      if (needs_nobody(event) || (how_.is_reduced && network.can_happen_at_once(event))) {
        network.step(i, order_);
        i = 0;
      } else {
        ++i;
      }
    }
  }

  void describe(const SymbolicNetwork& network) {
    state_.clear();
    if (how_.tells_ends_apart) network.describe_finished(state_);
    network.describe_state(state_);
  }

  std::uint64_t hash_of_state() const { return hash_of(state_, 1) ^ (hash_of(state_, 2) << 1); }

  // 0 where it was seen before.
  std::uint64_t note(const SymbolicNetwork& network) {
    describe(network);
    const std::uint64_t state = std::max(hash_of_state(), std::uint64_t{1});
    if (!seen_.insert(state).second) {
      if (!on_path_.contains(state)) return 0;
      throw Violation(Fault::deadlock, "ranks go round in circles");
    }
    if (++found_.states >= how_.max_states) found_.is_complete = false;
    return state;
  }

  void end(const SymbolicNetwork& network) {
    network.end();
    ++found_.ends;
    describe(network);
    found_.ends_hash += hash_of_state();
  }

  Sends sends_;
  Exploration how_;
  FirstInFirstOut order_;  // asked for nothing: the events are picked here
  Explored found_;
  std::vector<Event> path_;
  std::vector<std::int32_t> state_;
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_set<std::uint64_t> on_path_;
};

}  // namespace

void run_protocol(const ProtocolCase& what, Order& order, const Replace& replace) {
  Stage stage(what, replace);
  stage.network.run(order);
}

Explored explore_protocol(const ProtocolCase& what, const Exploration& how,
                          const Replace& replace) {
  Stage stage(what, replace);
  stage.network.begin();
  Explorer explorer(what.sends, how);
  try {
    explorer.explore(stage.network);
  } catch (const Violation& violation) {
    throw Violation(violation.fault(), violation.what() + (" (after: " + explorer.path() + ")"));
  }
  return explorer.found();
}

}  // namespace anabranch::verify
