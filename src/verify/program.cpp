#include "verify/program.hpp"

#include <algorithm>
#include <limits>

#include "collectives/relative_rank.hpp"
#include "verify/operands.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

constexpr const char* buffer_names[3] = {"input ", "", "scratch "};

[[noreturn]] void refuse(Fault fault, std::int32_t rank, const std::string& rest) {
  throw Violation(fault, rank_text(rank) + " " + rest);
}

}  // namespace

std::string text_of_blocks(std::span<const BlockSet> block_sets, std::int32_t shift) {
  std::string text;
  for (std::size_t buffer = 0; buffer < 3; ++buffer) {
    std::vector<std::int32_t> numbers;
    for (const BlockSet& set : block_sets) {
      if (static_cast<std::size_t>(set.buffer) != buffer) continue;
      for (std::int32_t i = 0; i < set.count; ++i) numbers.push_back(set.at(i) + shift);
    }
    if (numbers.empty()) continue;
    if (!text.empty()) text += " and ";
    text += std::string(buffer_names[buffer]) + (numbers.size() == 1 ? "block " : "blocks ") +
            text_of_runs(numbers);
  }
  return text.empty() ? "no blocks" : text;
}

std::vector<Instance> instances_of(const Schedule& schedule) {
  std::vector<Instance> instances;
  instances.reserve(schedule.operations.size());
  bool sorted = true;
  for (std::uint32_t index = 0; index < schedule.operations.size(); ++index) {
    const Operation& operation = schedule.operations[index];
    for (std::int32_t iteration = 0; iteration < operation.repeat.count; ++iteration) {
      const std::int32_t round = operation.round_of(iteration);
      sorted = sorted && (instances.empty() || instances.back().round <= round);
      instances.push_back({round, index, iteration});
    }
  }
  if (!sorted) {
    std::ranges::stable_sort(instances, {}, &Instance::round);
  }
  return instances;
}

// One end of a message: an instance that sends or receives.
struct Program::End {
  std::uint32_t pair;  // sender * ranks + receiver
  std::uint32_t instance;
};

Program::Program(std::span<const Schedule> schedules, const Semantics& semantics)
    : schedules_(schedules), semantics_(semantics) {
  if (std::ssize(schedules) != semantics.ranks()) {
    throw Violation(Fault::malformed, std::to_string(schedules.size()) + " schedules for " +
                                          std::to_string(semantics.ranks()) + " ranks");
  }
  first_.reserve(schedules.size() + 1);
  first_.push_back(0);
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    check_schedule(rank);
    const auto own = instances_of(schedule(rank));
    instances_.insert(instances_.end(), own.begin(), own.end());
    first_.push_back(static_cast<std::uint32_t>(instances_.size()));
  }
  pair_messages();
}

const Schedule& Program::schedule(std::int32_t rank) const {
  return schedules_[static_cast<std::size_t>(relative_rank(rank, semantics_.root(), ranks()))];
}

std::int32_t Program::peer(const Operation& operation) const {
  return absolute_rank(operation.peer, semantics_.root(), ranks());
}

std::int32_t Program::rank_of(std::uint32_t index) const {
  return static_cast<std::int32_t>(std::ranges::upper_bound(first_, index) - first_.begin()) - 1;
}

void Program::check_schedule(std::int32_t rank) const {
  const Schedule& mine = schedule(rank);
  const std::int32_t relative = relative_rank(rank, semantics_.root(), ranks());
  if (mine.ranks != ranks() || mine.rank != relative) {
    refuse(Fault::malformed, rank,
           "has the schedule of relative rank " + std::to_string(mine.rank) + " of " +
               std::to_string(mine.ranks) + " instead of " + std::to_string(relative) + " of " +
               std::to_string(ranks()));
  }
  if (mine.rounds != rounds()) {
    refuse(Fault::round_range, rank,
           "has " + std::to_string(mine.rounds) + " rounds where others have " +
               std::to_string(rounds()));
  }
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    const std::int32_t wanted = semantics_.blocks_in(rank, buffer);
    const std::int32_t held = mine.block_count[static_cast<std::size_t>(buffer)];
    if (held == wanted) continue;
    refuse(Fault::malformed, rank,
           "has " + std::to_string(held) + (buffer == Buffer::input ? " input" : " output") +
               " blocks instead of " + std::to_string(wanted));
  }
  std::int32_t last = std::numeric_limits<std::int32_t>::min();
  for (const Operation& operation : mine.operations) {
    if (operation.round < last) {
      refuse(Fault::malformed, rank, "has operations that are not in the order of their rounds");
    }
    last = operation.round;
    check_operation(rank, operation);
  }
}

void Program::check_operation(std::int32_t rank, const Operation& operation) const {
  const Schedule& mine = schedule(rank);
  const auto block_sets = mine.block_sets_of(operation);
  const auto refuse_it = [&](Fault fault, const std::string& what) {
    refuse(fault, rank,
           what + " (" + text_of_blocks(block_sets, 0) + ", round " +
               std::to_string(operation.round) + ")");
  };
  if (operation.kind == Kind::copy) {
    if (blocks_in(block_sets) != blocks_in(mine.sources_of(operation))) {
      refuse_it(Fault::malformed, "copies between different numbers of blocks");
    }
    if (operation.repeat.count != 1) refuse_it(Fault::malformed, "repeats a copy");
  } else if (operation.peer < 0 || operation.peer >= ranks()) {
    refuse_it(Fault::peer, "has relative rank " + std::to_string(operation.peer) + " of " +
                               std::to_string(ranks()) + " as a peer");
  } else if (operation.peer == mine.rank) {
    refuse_it(Fault::peer, "has itself as a peer");
  }
  const Repeat& repeat = operation.repeat;
  if (repeat.count < 1 || repeat.round_step < 0 || (repeat.count > 1 && block_sets.size() != 1)) {
    refuse_it(Fault::malformed,
              "has a repeat that is empty, goes back in rounds, or has several block sets");
  }
  if (operation.round < 0 || operation.round_of(repeat.count - 1) >= rounds()) {
    refuse_it(Fault::round_range, "is active in round " +
                                      std::to_string(operation.round_of(repeat.count - 1)) +
                                      " of " + std::to_string(rounds()));
  }
  const auto is_negative = [](const BlockSet& set) { return set.count < 0; };
  if (std::ranges::any_of(block_sets, is_negative))
    refuse_it(Fault::malformed, "has less than no blocks");
  const auto check_range = [&](const BlockSet& set, std::int32_t shift) {
    const auto buffer = static_cast<std::size_t>(set.buffer);
    const std::int32_t held = mine.block_count[buffer];
    for (const std::int32_t block : {set.at(0) + shift, set.at(set.count - 1) + shift}) {
      if (set.count > 0 && (block < 0 || block >= held)) {
        refuse_it(Fault::block_range, std::string("uses ") + buffer_names[buffer] + "block " +
                                          std::to_string(block) + " of " + std::to_string(held));
      }
    }
  };
  for (const BlockSet& set : block_sets) {
    check_range(set, 0);
    check_range(set, (repeat.count - 1) * repeat.block_step);
    if (operation.writes() && set.buffer == Buffer::input) {
      refuse_it(Fault::overwritten, "writes to its input");
    }
  }
  if (operation.kind == Kind::copy) {
    for (const BlockSet& set : mine.sources_of(operation)) check_range(set, 0);
  }
}

void Program::pair_messages() {
  partners_.assign(instances_.size(), none);
  std::vector<End> sends;
  std::vector<End> receives;
  const auto count = static_cast<std::uint32_t>(ranks());
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    for (std::uint32_t index = first_of(rank); index < end_of(rank); ++index) {
      const Operation& operation = schedule(rank).operations[instances_[index].operation];
      if (operation.kind == Kind::copy) continue;
      const auto mine = static_cast<std::uint32_t>(rank);
      const auto other = static_cast<std::uint32_t>(peer(operation));
      if (operation.kind == Kind::send) {
        sends.push_back({mine * count + other, index});
      } else {
        receives.push_back({other * count + mine, index});
      }
    }
  }
  std::ranges::stable_sort(sends, {}, &End::pair);
  std::ranges::stable_sort(receives, {}, &End::pair);
  for (std::size_t send = 0, receive = 0; send < sends.size() || receive < receives.size();) {
    const std::uint32_t pair_of_send = send < sends.size() ? sends[send].pair : none;
    const std::uint32_t pair_of_receive = receive < receives.size() ? receives[receive].pair : none;
    const std::uint32_t now = std::min(pair_of_send, pair_of_receive);
    const auto run = [now](const std::vector<End>& ends, std::size_t& at) {
      const std::size_t begin = at;
      while (at < ends.size() && ends[at].pair == now) ++at;
      return std::span<const End>(ends.data() + begin, at - begin);
    };
    const auto some_sends = run(sends, send);
    pair(some_sends, run(receives, receive));
  }
}

void Program::pair(std::span<const End> sends, std::span<const End> receives) {
  const auto count = static_cast<std::uint32_t>(ranks());
  for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    const bool sent = i < sends.size();
    const bool received = i < receives.size();
    const End& any = sent ? sends[i] : receives[i];
    const auto src = [&] { return rank_text(any.pair / count); };
    const auto dst = [&] { return rank_text(any.pair % count); };
    const std::int32_t sent_in = sent ? instances_[sends[i].instance].round : rounds();
    const std::int32_t received_in = received ? instances_[receives[i].instance].round : rounds();
    const bool same_number = sends.size() == receives.size();
    if (sent_in == received_in) {
      partners_[sends[i].instance] = receives[i].instance;
      partners_[receives[i].instance] = sends[i].instance;
    } else if (same_number) {
      throw Violation(Fault::rounds_differ, src() + " sends " + blocks_text(sends[i]) + " to " +
                                                dst() + " in round " + std::to_string(sent_in) +
                                                " but " + dst() + " receives in round " +
                                                std::to_string(received_in));
    } else if (sent_in < received_in) {
      throw Violation(Fault::never_received, src() + " sends " + blocks_text(sends[i]) + " to " +
                                                 dst() + " in round " + std::to_string(sent_in) +
                                                 ", which " + dst() + " never receives");
    } else {
      throw Violation(Fault::never_sent, dst() + " waits for " + blocks_text(receives[i]) +
                                             " from " + src() + " in round " +
                                             std::to_string(received_in) + ", which " + src() +
                                             " never sends");
    }
  }
}

std::string Program::blocks_text(const End& end) const {
  const Instance& at = instances_[end.instance];
  const Schedule& mine = schedule(rank_of(end.instance));
  const Operation& operation = mine.operations[at.operation];
  return text_of_blocks(mine.block_sets_of(operation), at.iteration * operation.repeat.block_step);
}

}  // namespace anabranch::verify
