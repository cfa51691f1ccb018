// Control messages of protocols. Words say what happens to one rank: "PROTOCOL RANKS RANK BLOCKS",
// then "next" (asks for an action), "done N" and "end N" (of the N-th under way), and "control
// PEER LENGTH NUMBER ...", each as far as it can happen.
#include <algorithm>
#include <sstream>

#include "algorithms/instantiate.hpp"
#include "contract.hpp"

using namespace anabranch;

namespace {

std::vector<const Algorithm*> protocols() {
  std::vector<const Algorithm*> found;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->is_protocol()) found.push_back(algorithm);
  }
  // Broadcasts have the first numbers, by which the corpus names them.
  std::ranges::stable_partition(
      found, [](const Algorithm* algorithm) { return algorithm->collective == Collective::bcast; });
  return found;
}

class Rank {
 public:
  Rank(std::unique_ptr<Execution> execution, std::int32_t ranks)
      : execution_(std::move(execution)), ranks_(ranks) {}

  void next() {
    Action action;
    if (!execution_->next(action)) return;
    if (action.kind == Action::Kind::receive_control) {
      control_ = action.ticket;
      has_control_ = true;
      return;
    }
    const bool has_peer = action.kind != Action::Kind::wait && action.kind != Action::Kind::copy;
    fuzz::require(!has_peer || (0 <= action.peer && action.peer < ranks_), "a peer of no rank");
    under_way_.push_back(action);
  }

  void finish(std::int64_t number, bool by_end) {
    if (under_way_.empty()) return;
    const auto place = static_cast<std::size_t>(number) % under_way_.size();
    const Action action = under_way_[place];
    if (by_end && !(action.kind == Action::Kind::receive && action.may_end)) return;
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(place));
    if (by_end) {
      execution_->ended(action.ticket);
    } else {
      execution_->complete(action.ticket);
    }
  }

  void take(std::int64_t peer, const std::vector<std::int32_t>& control) {
    if (!has_control_) return;
    has_control_ = false;
    const auto others = static_cast<std::uint64_t>(ranks_);
    execution_->control_received(
        control_, static_cast<std::int32_t>(static_cast<std::uint64_t>(peer) % others), control);
  }

 private:
  std::unique_ptr<Execution> execution_;
  std::int32_t ranks_;
  std::vector<Action> under_way_;
  Ticket control_ = 0;
  bool has_control_ = false;
};

std::int64_t within(std::istream& words, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  words >> value;
  return std::clamp(value, least, most);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream words{std::string(fuzz::as_text(data, size))};
  static const auto all = protocols();
  const auto& algorithm =
      *all[static_cast<std::size_t>(within(words, 0, static_cast<std::int64_t>(all.size()) - 1))];
  const auto ranks = static_cast<std::int32_t>(within(words, 2, 12));
  const auto rank = static_cast<std::int32_t>(within(words, 0, ranks - 1));
  const auto blocks = static_cast<std::int32_t>(within(words, 1, 40));
  const Problem problem{.ranks = ranks, .size_bytes = blocks * 1000, .network = {1e-4, 1e-8}};
  Rank one(instantiate(with_defaults(algorithm, problem), {.ranks = ranks, .rank = rank}, blocks,
                       {.problem = problem}),
           ranks);
  try {
    for (std::string word; words >> word;) {
      if (word == "next") one.next();
      if (word == "done" || word == "end") one.finish(within(words, 0, 1000), word == "end");
      if (word != "control") continue;
      const std::int64_t peer = within(words, rank == 0 ? 1 : 0, ranks - 1);
      std::vector<std::int32_t> control(
          static_cast<std::size_t>(within(words, 0, std::int64_t{ranks} + 4)));
      for (std::int32_t& number : control) {
        number = static_cast<std::int32_t>(within(words, INT32_MIN, INT32_MAX));
      }
      one.take(rank == 0 ? peer : 0, control);
      words.clear();  // a number that was none ends nothing
    }
  } catch (const std::logic_error& error) {
    fuzz::check_message(error.what());
  }
  return 0;
}
