#include "verify/protocols.hpp"

#include <unordered_set>

#include "algorithms/schedule_cache.hpp"
#include "collectives/relative_rank.hpp"
#include "execution/tags.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

// Bytes matter to protocols only in that they set limits by them.
Problem problem_of(const ProtocolCase& what) { return {what.ranks, what.blocks, {1e-4, 2e-7}}; }

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
        auto execution = what.algorithm.start(
            {problem, relative, what.blocks, what.values, what.window, tag, &cache});
        if (replace) execution = replace(std::move(execution), relative, number);
        network.join(rank, static_cast<std::int32_t>(number), root, std::move(execution),
                     Memory(meanings.back(), rank, 0, operands));
      }
    }
  }

  Problem problem;
  Operands operands;
  ScheduleCache cache{1 << 20};
  std::vector<Meaning> meanings;
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
  constexpr const char* names[] = {"arrives", "looks", "sent",    "received", "combined",
                                   "copied",  "told",  "is told", "heard",    "waited"};
  std::string text =
      "rank " + std::to_string(event.rank) + " " + names[static_cast<std::size_t>(event.kind)];
  if (event.kind == Event::Kind::receive) text += " block " + std::to_string(event.iteration);
  if (event.kind == Event::Kind::deliver) text += " by rank " + std::to_string(event.operation);
  return text;
}

class Explorer {
 public:
  explicit Explorer(std::int64_t most_states) : most_states_(most_states) {}

  void explore(SymbolicNetwork network) {
    settle(network);
    if (!is_new(network)) return;
    const std::size_t open = network.open_events().size();
    if (open == 0) {
      ++found_.ends;
      network.end();
      return;
    }
    for (std::size_t event = 0; event < open && found_.is_complete; ++event) {
      ++found_.steps;
      path_.push_back(network.open_events()[event]);
      if (event + 1 == open) {  // the last one needs no copy
        network.step(event, order_);
        explore(std::move(network));
        path_.pop_back();
        return;
      }
      SymbolicNetwork next(network);
      next.step(event, order_);
      explore(std::move(next));
      path_.pop_back();
    }
  }

  const Explored& found() const { return found_; }
  std::string path() const {
    std::string text;
    for (const Event& event : path_) text += (text.empty() ? "" : "; ") + text_of(event);
    return text;
  }

 private:
  static bool needs_nobody(const Event& event) {
    switch (event.kind) {
      case Event::Kind::send:
      case Event::Kind::tell:
      case Event::Kind::copy:
      case Event::Kind::combine:
        return true;
      default:
        return false;
    }
  }

  void settle(SymbolicNetwork& network) {
    for (std::size_t i = 0; i < network.open_events().size();) {
      if (needs_nobody(network.open_events()[i])) {
        network.step(i, order_);
        i = 0;
      } else {
        ++i;
      }
    }
  }

  bool is_new(const SymbolicNetwork& network) {
    state_.clear();
    network.describe_state(state_);
    const std::uint64_t first = hash_of(state_, 1);
    if (!seen_.insert(first ^ (hash_of(state_, 2) << 1)).second) return false;
    if (++found_.states >= most_states_) found_.is_complete = false;
    return true;
  }

  std::int64_t most_states_;
  FirstInFirstOut order_;  // asked for nothing: the events are picked here
  Explored found_;
  std::vector<Event> path_;
  std::vector<std::int32_t> state_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

void run_protocol(const ProtocolCase& what, Order& order, const Replace& replace) {
  Stage stage(what, replace);
  stage.network.run(order);
}

Explored explore_protocol(const ProtocolCase& what, std::int64_t most_states,
                          const Replace& replace) {
  Stage stage(what, replace);
  stage.network.begin();
  Explorer explorer(most_states);
  try {
    explorer.explore(stage.network);
  } catch (const Violation& violation) {
    throw Violation(violation.fault(), violation.what() + (" (after: " + explorer.path() + ")"));
  }
  return explorer.found();
}

}  // namespace anabranch::verify
