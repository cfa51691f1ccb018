#include "schedule/goal.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "schedule/conflicts.hpp"

namespace anabranch {
namespace {

struct Instance {
  std::uint32_t operation;
  std::int32_t iteration;
};

class RankWriter {
 public:
  RankWriter(std::ostream& out, const Schedule& schedule, const Layouts& layouts, std::int32_t root)
      : out_(out), schedule_(schedule), layouts_(layouts), root_(root) {
    std::int64_t total = 0;
    for (const Operation& operation : schedule.operations) {
      first_instance_.push_back(total);
      total += operation.repeat.count;
    }
    labels_.assign(static_cast<std::size_t>(total), 0);
  }

  void write() {
    for (const Instance& instance : in_order()) write_instance(instance);
    out_ << requirements_;
  }

 private:
  // Messages between two ranks have the same order on both.
  std::vector<Instance> in_order() const {
    std::vector<Instance> instances;
    instances.reserve(labels_.size());
    for (std::uint32_t index = 0; index < schedule_.operations.size(); ++index) {
      for (std::int32_t i = 0; i < schedule_.operations[index].repeat.count; ++i) {
        instances.push_back({index, i});
      }
    }
    const auto round = [this](const Instance& instance) {
      return schedule_.operations[instance.operation].round_of(instance.iteration);
    };
    std::stable_sort(instances.begin(), instances.end(),
                     [&](const Instance& a, const Instance& b) { return round(a) < round(b); });
    return instances;
  }

  void write_instance(const Instance& instance) {
    const Operation& operation = schedule_.operations[instance.operation];
    const std::int64_t size_bytes = bytes(instance);
    const std::int64_t first = next_label_;
    if (operation.kind == Kind::copy) {
      out_ << 'l' << next_label_++ << ": calc " << size_bytes << '\n';
    } else {
      const bool sends = operation.kind == Kind::send;
      const std::int32_t peer = (operation.peer + root_) % schedule_.ranks;
      out_ << 'l' << next_label_++ << (sends ? ": send " : ": recv ") << size_bytes
           << (sends ? "b to " : "b from ") << peer << " tag " << next_tag_[{peer, sends}]++
           << '\n';
    }
    if (operation.kind == Kind::reduce) {
      require(next_label_, first);
      out_ << 'l' << next_label_++ << ": calc " << size_bytes << '\n';
    }
    // What a reduction waits for, its calc waits for: its message may come at any time.
    const std::int64_t label = next_label_ - 1;
    for (const std::uint32_t earlier : schedule_.dependencies_of(operation)) {
      add_requirements(instance, earlier, label);
    }
    labels_[place(instance)] = label;
  }

  void add_requirements(const Instance& instance, std::uint32_t earlier, std::int64_t label) {
    const std::int32_t needed =
        instances_needed(schedule_, earlier, instance.operation, instance.iteration);
    const bool adjacent = touches_adjacent_instances(earlier, instance.operation);
    bool met = false;
    for (std::int32_t i = needed - 1; i >= 0; --i) {
      const bool touches = share_blocks({earlier, i}, instance);
      if (touches) require(label, labels_[place({earlier, i})]);
      if (met && !touches && adjacent) break;
      met = met || touches;
    }
  }

  // Whether the instances of a repeat that touch the blocks of one other instance follow each
  // other.
  bool touches_adjacent_instances(std::uint32_t repeated, std::uint32_t other) const {
    return are_one_range(touched(repeated)) && are_one_range(touched(other));
  }

  bool share_blocks(const Instance& a, const Instance& b) const {
    for (const BlockSet& mine : touched(a.operation)) {
      for (const BlockSet& other : touched(b.operation)) {
        if (overlap(mine, shift(a), other, shift(b))) return true;
      }
    }
    return false;
  }

  std::span<const BlockSet> touched(std::uint32_t index) const {
    return schedule_.all_block_sets_of(schedule_.operations[index]);
  }

  std::int64_t shift(const Instance& instance) const {
    return std::int64_t{instance.iteration} *
           schedule_.operations[instance.operation].repeat.block_step;
  }

  std::int64_t bytes(const Instance& instance) const {
    std::int64_t sum = 0;
    for (const BlockSet& set : schedule_.block_sets_of(schedule_.operations[instance.operation])) {
      const Layout& layout = layouts_[static_cast<std::size_t>(set.buffer)];
      for (std::int32_t i = 0; i < set.count; ++i) {
        sum += layout.of(static_cast<std::int32_t>(set.at(i) + shift(instance))).size_bytes;
      }
    }
    return sum;
  }

  std::size_t place(const Instance& instance) const {
    return static_cast<std::size_t>(first_instance_[instance.operation] + instance.iteration);
  }

  void require(std::int64_t label, std::int64_t earlier) {
    requirements_ += 'l';
    requirements_ += std::to_string(label);
    requirements_ += " requires l";
    requirements_ += std::to_string(earlier);
    requirements_ += '\n';
  }

  std::ostream& out_;
  const Schedule& schedule_;
  const Layouts& layouts_;
  std::int32_t root_;
  std::vector<std::int64_t> first_instance_;
  std::vector<std::int64_t> labels_;
  std::map<std::pair<std::int32_t, bool>, std::int64_t> next_tag_;
  std::int64_t next_label_ = 1;
  std::string requirements_;
};

}  // namespace

void write_goal(std::ostream& out, std::int32_t ranks,
                const std::function<Schedule(std::int32_t)>& schedule_of, const Layouts& layouts,
                std::int32_t root) {
  out << "num_ranks " << ranks << '\n';
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Schedule schedule = schedule_of((rank - root + ranks) % ranks);
    out << "\nrank " << rank << " {\n";
    RankWriter(out, schedule, layouts, root).write();
    out << "}\n";
  }
}

}  // namespace anabranch
