#include "verify/uses.hpp"

#include <algorithm>
#include <string>

#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

// What happens to an instance. A receive is posted and started at once; a reduce is posted without
// waiting and started (combined) once its message and its blocks are there.
enum class Moment : std::uint32_t { posted, started, complete };

class Uses {
 public:
  explicit Uses(const Program& program)
      : program_(program), visited_(std::size_t{program.size()} * 3) {
    previous_.assign(program.size(), Program::none);
    std::vector<std::uint32_t> last_send(static_cast<std::size_t>(program.ranks()));
    for (std::int32_t rank = 0; rank < program.ranks(); ++rank) {
      std::ranges::fill(last_send, Program::none);
      std::uint32_t last_receive = Program::none;
      for (std::uint32_t index = program.first_of(rank); index < program.end_of(rank); ++index) {
        const Operation& what = operation(rank, index);
        if (what.kind == Kind::copy) continue;
        std::uint32_t& last = what.kind == Kind::send
                                  ? last_send[static_cast<std::size_t>(program.peer(what))]
                                  : last_receive;
        previous_[index] = last;
        last = index;
      }
    }
  }

  void check() {
    for (std::int32_t rank = 0; rank < program_.ranks(); ++rank) check_rank(rank);
  }

 private:
  // The last writer of a block, and its readers since.
  struct BlockUses {
    std::uint32_t writer = Program::none;
    std::vector<std::uint32_t> readers;
  };

  const Operation& operation(std::int32_t rank, std::uint32_t index) const {
    return program_.schedule(rank).operations[program_.instance(index).operation];
  }

  void check_rank(std::int32_t rank) {
    const Schedule& schedule = program_.schedule(rank);
    std::size_t first[3] = {0, 0, 0};
    std::size_t cells = 0;
    for (std::size_t buffer = 0; buffer < 3; ++buffer) {
      first[buffer] = cells;
      cells += static_cast<std::size_t>(schedule.block_count[buffer]);
    }
    uses_.assign(cells, {});
    for (std::uint32_t index = program_.first_of(rank); index < program_.end_of(rank); ++index) {
      const Instance& instance = program_.instance(index);
      const Operation& what = schedule.operations[instance.operation];
      last_proven_ = Program::none;
      const auto each = [&](std::span<const BlockSet> block_sets, std::int32_t shift, auto visit) {
        for (const BlockSet& set : block_sets) {
          const std::size_t base = first[static_cast<std::size_t>(set.buffer)];
          for (std::int32_t i = 0; i < set.count; ++i) {
            visit(uses_[base + static_cast<std::size_t>(set.at(i) + shift)]);
          }
        }
      };
      const auto read = [&](BlockUses& block) {
        prove(rank, block.writer, index);
        block.readers.push_back(index);
      };
      const auto write = [&](BlockUses& block) {
        prove(rank, block.writer, index);
        for (const std::uint32_t reader : block.readers) prove(rank, reader, index);
        block.writer = index;
        block.readers.clear();
      };
      if (what.kind == Kind::copy) each(schedule.sources_of(what), 0, read);
      const std::int32_t shift = instance.iteration * what.repeat.block_step;
      if (what.kind == Kind::send) {
        each(schedule.block_sets_of(what), shift, read);
      } else {
        each(schedule.block_sets_of(what), shift, write);
      }
    }
  }

  void prove(std::int32_t rank, std::uint32_t earlier, std::uint32_t later) {
    if (earlier == Program::none || earlier == later || earlier == last_proven_) return;
    if (!waits_directly(rank, earlier, later) && !waits(earlier, later))
      refuse(rank, earlier, later);
    last_proven_ = earlier;
  }

  bool waits_directly(std::int32_t rank, std::uint32_t earlier, std::uint32_t later) const {
    const Schedule& schedule = program_.schedule(rank);
    const Instance& a = program_.instance(earlier);
    const Instance& b = program_.instance(later);
    const auto needed = schedule.dependencies_of(schedule.operations[b.operation]);
    return std::ranges::find(needed, a.operation) != needed.end() &&
           instances_needed(schedule, a.operation, b.operation, b.iteration) > a.iteration;
  }

  // Whether `earlier` is complete before `later` starts, by whatever chain of events.
  bool waits(std::uint32_t earlier, std::uint32_t later) {
    visited_.assign(visited_.size(), false);
    pending_.clear();
    visit(later, Moment::started);
    while (!pending_.empty()) {
      const auto [index, moment] = pending_.back();
      pending_.pop_back();
      if (index == earlier && moment == Moment::complete) return true;
      visit_causes(index, moment);
    }
    return false;
  }

  struct Event {
    std::uint32_t index;
    Moment moment;
  };

  void visit(std::uint32_t index, Moment moment) {
    const std::size_t place = std::size_t{index} * 3 + static_cast<std::size_t>(moment);
    if (visited_[place]) return;
    visited_[place] = true;
    pending_.push_back({index, moment});
  }

  void visit_causes(std::uint32_t index, Moment moment) {
    const std::int32_t rank = program_.rank_of(index);
    const Operation& what = operation(rank, index);
    if (moment == Moment::complete) {
      visit(index, Moment::started);
      if (what.kind == Kind::receive) visit(program_.partner(index), Moment::posted);
      return;
    }
    const bool waits_for_blocks = what.kind != Kind::reduce || moment == Moment::started;
    if (waits_for_blocks) visit_dependencies(rank, index);
    if (moment == Moment::started) {
      visit(index, Moment::posted);
      if (what.kind == Kind::reduce) visit(program_.partner(index), Moment::posted);
    } else if (previous_[index] != Program::none) {
      visit(previous_[index], Moment::posted);
    }
  }

  void visit_dependencies(std::int32_t rank, std::uint32_t index) {
    const Schedule& schedule = program_.schedule(rank);
    const Instance& b = program_.instance(index);
    for (const std::uint32_t earlier : schedule.dependencies_of(schedule.operations[b.operation])) {
      const std::int32_t needed = instances_needed(schedule, earlier, b.operation, b.iteration);
      for (std::uint32_t i = program_.first_of(rank); i < program_.end_of(rank); ++i) {
        const Instance& a = program_.instance(i);
        if (a.operation == earlier && a.iteration < needed) visit(i, Moment::complete);
      }
    }
  }

  [[noreturn]] void refuse(std::int32_t rank, std::uint32_t earlier, std::uint32_t later) const {
    const auto text = [&](std::uint32_t index) {
      const Instance& instance = program_.instance(index);
      const Schedule& schedule = program_.schedule(rank);
      const Operation& what = schedule.operations[instance.operation];
      constexpr const char* verbs[4] = {"sends ", "receives ", "combines ", "copies to "};
      return verbs[static_cast<std::size_t>(what.kind)] +
             text_of_blocks(schedule.block_sets_of(what),
                            instance.iteration * what.repeat.block_step) +
             " in round " + std::to_string(instance.round);
    };
    throw Violation(Fault::unordered, rank_text(rank) + " " + text(later) +
                                          " without waiting until it " + text(earlier));
  }

  const Program& program_;
  std::vector<BlockUses> uses_;          // by block of the rank at hand
  std::vector<std::uint32_t> previous_;  // by instance: what is posted before it in its queue
  std::vector<bool> visited_;
  std::vector<Event> pending_;
  std::uint32_t last_proven_ = Program::none;
};

}  // namespace

void check_uses_are_ordered(const Program& program) { Uses(program).check(); }

}  // namespace anabranch::verify
