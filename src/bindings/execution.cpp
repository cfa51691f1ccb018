#include "bindings/execution.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "execution/header.hpp"
#include "execution/members.hpp"
#include "execution/schedule_execution.hpp"
#include "execution/tags.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

using Sizes = std::vector<std::int64_t>;

// An action with its block sets, which Python may keep for longer than the schedule lives.
struct LoneAction {
  Action action;
  std::vector<BlockSet> block_sets;  // moved on by the shift
  std::vector<BlockSet> sources;
};

// Tickets under way are known, so that a wrong one is an exception in Python.
class Driven {
 public:
  Driven(const Schedule& schedule, std::int32_t receives, std::int32_t sends, std::int32_t tag)
      : execution_(schedule, Window{receives, sends}, tag) {}

  std::optional<LoneAction> next() {
    LoneAction found;
    if (!execution_.next(found.action)) return std::nullopt;
    for (BlockSet set : found.action.block_sets) {
      set.first += found.action.block_shift;
      found.block_sets.push_back(set);
    }
    found.sources.assign(found.action.sources.begin(), found.action.sources.end());
    const Ticket ticket = found.action.ticket;
    if (under_way_.size() <= ticket) under_way_.resize(ticket + 1);
    under_way_[ticket] = true;
    return found;
  }

  void complete(Ticket ticket) {
    if (ticket >= under_way_.size() || !under_way_[ticket]) {
      throw std::invalid_argument("nothing is under way with this ticket");
    }
    under_way_[ticket] = false;
    execution_.complete(ticket);
  }

  bool done() const { return execution_.done(); }

 private:
  ScheduleExecution execution_;
  std::vector<bool> under_way_;
};

}  // namespace

void bind_execution(nb::module_& module) {
  auto action = nb::class_<LoneAction>(module, "Action", "What may start now; see execution.hpp.");
  nb::enum_<Action::Kind>(action, "Kind")
      .value("send", Action::Kind::send)
      .value("receive", Action::Kind::receive)
      .value("receive_bounce", Action::Kind::receive_bounce)
      .value("reduce_local", Action::Kind::reduce_local)
      .value("copy", Action::Kind::copy)
      .value("end", Action::Kind::end)
      .value("send_control", Action::Kind::send_control)
      .value("receive_control", Action::Kind::receive_control)
      .value("wait", Action::Kind::wait);
  action.def_prop_ro("kind", [](const LoneAction& self) { return self.action.kind; })
      .def_prop_ro("peer", [](const LoneAction& self) { return self.action.peer; })
      .def_prop_ro("is_exclusive", [](const LoneAction& self) { return self.action.is_exclusive; })
      .def_prop_ro("tag", [](const LoneAction& self) { return self.action.tag; })
      .def_prop_ro("round", [](const LoneAction& self) { return self.action.round; })
      .def_prop_ro("ticket", [](const LoneAction& self) { return self.action.ticket; })
      .def_prop_ro("operation", [](const LoneAction& self) { return self.action.operation; })
      .def_prop_ro("iteration", [](const LoneAction& self) { return self.action.iteration; })
      .def_ro("block_sets", &LoneAction::block_sets)
      .def_ro("sources", &LoneAction::sources);
  nb::class_<Driven>(module, "ScheduleExecution", "Runs a schedule; see schedule_execution.hpp.")
      .def(nb::init<const Schedule&, std::int32_t, std::int32_t, std::int32_t>(), "schedule"_a,
           "receives"_a, "sends"_a, "tag"_a = 0, nb::keep_alive<1, 2>())
      .def("next", &Driven::next, "An action that may start now, or None before a completion.")
      .def("complete", &Driven::complete, "ticket"_a)
      .def_prop_ro("done", &Driven::done);
  module.def(
      "read_header",
      [](nb::bytes message, bool has_total,
         std::int64_t size_count) -> std::optional<std::pair<std::optional<std::int64_t>, Sizes>> {
        auto header = read_header({message.c_str(), message.size()}, has_total, size_count);
        if (!header) return std::nullopt;
        return std::pair(header->total_bytes, std::move(header->sizes));
      },
      "message"_a, "has_total"_a, "size_count"_a,
      "The total and the sizes of blocks, in bytes, that a message begins with; None where it is "
      "too short for them or they are not those of what follows.");
  module.def(
      "written_members",
      [](const std::vector<std::int32_t>& members) {
        std::vector<std::int32_t> numbers;
        add_members(numbers, members);
        return numbers;
      },
      "members"_a, "The members of a group, ascending from 0, as a control message has them.");
  module.def(
      "read_members",
      [](const std::vector<std::int32_t>& numbers, std::int32_t ranks) {
        return read_members(numbers, ranks);
      },
      "numbers"_a, "ranks"_a,
      "The members of a group of so many ranks; None where no group has these numbers.");
  nb::class_<TagSequence>(module, "TagSequence", "Tags of the collectives on a communicator.")
      .def(nb::init<std::int32_t>(), "upper_bound"_a = TagSequence::guaranteed_upper_bound)
      .def("next", &TagSequence::next)
      .def("next_is_free", &TagSequence::next_is_free,
           "Whether no collective of this rank has the next tag.")
      .def("give_back", &TagSequence::give_back, "tag"_a, "The collective with the tag is over.");
}

}  // namespace anabranch
