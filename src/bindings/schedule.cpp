#include "bindings/schedule.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <stdexcept>

#include "collectives/layouts.hpp"
#include "schedule/builder.hpp"
#include "schedule/goal.hpp"
#include "schedule/layout.hpp"
#include "schedule/schedule.hpp"
#include "schedule/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

// An operation taken out of its schedule.
struct LoneOperation {
  Operation operation;
  std::vector<BlockSet> block_sets;
  std::vector<BlockSet> sources;
  std::vector<std::uint32_t> dependencies;
};

template <typename T>
std::vector<T> as_list(std::span<const T> items) {
  return {items.begin(), items.end()};
}

std::vector<std::int32_t> indices(const BlockSet& set, std::int32_t shift) {
  std::vector<std::int32_t> found;
  for (std::int32_t i = 0; i < set.count; ++i) found.push_back(set.at(i) + shift);
  return found;
}

std::vector<LoneOperation> operations_of(const Schedule& schedule) {
  std::vector<LoneOperation> found;
  found.reserve(schedule.operations.size());
  for (const Operation& operation : schedule.operations) {
    LoneOperation lone{operation, as_list(schedule.block_sets_of(operation)), {}, {}};
    if (operation.kind == Kind::copy) lone.sources = as_list(schedule.sources_of(operation));
    lone.dependencies = as_list(schedule.dependencies_of(operation));
    found.push_back(std::move(lone));
  }
  return found;
}

std::int32_t checked_instances_needed(const Schedule& schedule, std::uint32_t earlier,
                                      std::uint32_t later, std::int32_t iteration) {
  const auto count = schedule.operations.size();
  if (earlier >= count || later >= count || iteration < 0 ||
      iteration >= schedule.operations[later].repeat.count) {
    throw std::out_of_range("no such operation or instance in this schedule");
  }
  return instances_needed(schedule, earlier, later, iteration);
}

// Schedules of relative ranks 0, 1, ..
std::string goal_text(const std::vector<const Schedule*>& schedules, const Layouts& layouts,
                      std::int32_t root) {
  const auto ranks = static_cast<std::int32_t>(schedules.size());
  if (ranks == 0 || root < 0 || root >= ranks) {
    throw std::invalid_argument("root is out of range");
  }
  for (const Schedule* schedule : schedules) {
    if (schedule == nullptr || schedule->ranks != ranks) {
      throw std::invalid_argument("there must be one schedule per rank");
    }
  }
  std::ostringstream out;
  write_goal(
      out, ranks, [&](std::int32_t rank) { return *schedules[static_cast<std::size_t>(rank)]; },
      layouts, root);
  return out.str();
}

void bind_values(nb::module_& module) {
  nb::enum_<Buffer>(module, "Buffer")
      .value("input", Buffer::input)
      .value("output", Buffer::output)
      .value("scratch", Buffer::scratch);
  nb::enum_<Kind>(module, "Kind")
      .value("send", Kind::send)
      .value("receive", Kind::receive)
      .value("reduce", Kind::reduce)
      .value("copy", Kind::copy);
  nb::enum_<OperandOrder>(module, "OperandOrder")
      .value("mine_first", OperandOrder::mine_first)
      .value("theirs_first", OperandOrder::theirs_first);

  nb::class_<BlockSet>(module, "BlockSet", "Blocks first, first + stride, .. (count of them).")
      .def(
          "__init__",
          [](BlockSet* self, std::int32_t first, std::int32_t count, std::int32_t stride,
             Buffer buffer) { new (self) BlockSet{first, count, stride, buffer}; },
          "first"_a, "count"_a = 1, "stride"_a = 1, "buffer"_a = Buffer::output)
      .def_ro("first", &BlockSet::first)
      .def_ro("count", &BlockSet::count)
      .def_ro("stride", &BlockSet::stride)
      .def_ro("buffer", &BlockSet::buffer)
      .def("__repr__", nb::overload_cast<const BlockSet&>(&text_of))
      .def("indices", &indices, "shift"_a = 0, "The blocks, each moved on by `shift`.");
  nb::class_<Repeat>(module, "Repeat", "Instances of an operation: how many, and how they move on.")
      .def(
          "__init__",
          [](Repeat* self, std::int32_t count, std::int32_t block_step, std::int32_t round_step) {
            new (self) Repeat{count, block_step, round_step};
          },
          "count"_a = 1, "block_step"_a = 1, "round_step"_a = 1)
      .def_ro("count", &Repeat::count)
      .def_ro("block_step", &Repeat::block_step)
      .def_ro("round_step", &Repeat::round_step);
}

void bind_schedules(nb::module_& module) {
  nb::class_<LoneOperation>(module, "Operation", "One operation of a schedule; see schedule.hpp.")
      .def_prop_ro("kind", [](const LoneOperation& self) { return self.operation.kind; })
      .def_prop_ro("order", [](const LoneOperation& self) { return self.operation.order; })
      .def_prop_ro("carries_sizes",
                   [](const LoneOperation& self) { return self.operation.carries_sizes; })
      .def_prop_ro("combines", [](const LoneOperation& self) { return self.operation.combines; })
      .def_prop_ro("is_exclusive",
                   [](const LoneOperation& self) { return self.operation.is_exclusive; })
      .def_prop_ro("max_ahead", [](const LoneOperation& self) { return self.operation.max_ahead; })
      .def_prop_ro("peer", [](const LoneOperation& self) { return self.operation.peer; })
      .def_prop_ro("round", [](const LoneOperation& self) { return self.operation.round; })
      .def_prop_ro("repeat", [](const LoneOperation& self) { return self.operation.repeat; })
      .def_ro("block_sets", &LoneOperation::block_sets, "Blocks of the message, in its order.")
      .def_ro("sources", &LoneOperation::sources, "Where a copy copies from.")
      .def_ro("dependencies", &LoneOperation::dependencies,
              "Indices of the operations that it waits for.");

  nb::class_<Schedule>(module, "Schedule", "What one rank does; ranks are relative to the root.")
      .def_ro("ranks", &Schedule::ranks)
      .def_ro("rank", &Schedule::rank)
      .def_ro("rounds", &Schedule::rounds)
      .def(
          "block_count",
          [](const Schedule& self, Buffer buffer) {
            return self.block_count[static_cast<std::size_t>(buffer)];
          },
          "buffer"_a, "Blocks in a buffer.")
      .def_prop_ro("operations", &operations_of)
      .def_prop_ro("size_bytes", &Schedule::size_bytes, "Memory held.")
      .def("text", nb::overload_cast<const Schedule&>(&text_of), "A line per operation.")
      .def("instances_needed", &checked_instances_needed, "earlier"_a, "later"_a, "iteration"_a,
           "How many instances of `earlier` must be complete before one of `later` may start.");
}

void bind_builder(nb::module_& module) {
  using BlockSets = std::vector<BlockSet>;
  nb::class_<Builder>(module, "Builder", "Writes a schedule; see builder.hpp.")
      .def(nb::init<std::int32_t, std::int32_t, std::int32_t, std::int32_t>(), "ranks"_a, "rank"_a,
           "rounds"_a, "output_blocks"_a)
      .def("input", &Builder::input, "blocks"_a, nb::rv_policy::reference)
      .def("scratch", &Builder::scratch, "blocks"_a, nb::rv_policy::reference)
      .def("send", nb::overload_cast<std::int32_t, std::int32_t, BlockSet, Repeat>(&Builder::send),
           "round"_a, "peer"_a, "blocks"_a, "repeat"_a = Repeat{})
      .def("receive",
           nb::overload_cast<std::int32_t, std::int32_t, BlockSet, Repeat>(&Builder::receive),
           "round"_a, "peer"_a, "blocks"_a, "repeat"_a = Repeat{})
      .def("reduce",
           nb::overload_cast<std::int32_t, std::int32_t, BlockSet, OperandOrder, Repeat>(
               &Builder::reduce),
           "round"_a, "peer"_a, "blocks"_a, "order"_a = OperandOrder::mine_first,
           "repeat"_a = Repeat{})
      .def("copy", &Builder::copy, "round"_a, "destination"_a, "source"_a)
      .def("combine", &Builder::combine, "round"_a, "destination"_a, "source"_a)
      .def(
          "send_block_sets",
          [](Builder& self, std::int32_t round, std::int32_t peer, const BlockSets& block_sets) {
            self.send(round, peer, block_sets);
          },
          "round"_a, "peer"_a, "block_sets"_a, "One message of several block sets.")
      .def(
          "receive_block_sets",
          [](Builder& self, std::int32_t round, std::int32_t peer, const BlockSets& block_sets) {
            self.receive(round, peer, block_sets);
          },
          "round"_a, "peer"_a, "block_sets"_a, "One message of several block sets.")
      .def(
          "reduce_block_sets",
          [](Builder& self, std::int32_t round, std::int32_t peer, const BlockSets& block_sets,
             OperandOrder order) { self.reduce(round, peer, block_sets, order); },
          "round"_a, "peer"_a, "block_sets"_a, "order"_a = OperandOrder::mine_first,
          "One message of several block sets.")
      .def("carry_sizes", &Builder::carry_sizes)
      .def("go_alone", &Builder::go_alone)
      .def("stay_within", &Builder::stay_within, "rounds"_a)
      .def(
          "append",
          [](Builder& self, const Schedule& other, std::int32_t first_round,
             const std::vector<std::int32_t>& members) {
            self.append(other, first_round, members);
          },
          "other"_a, "first_round"_a, "members"_a = std::vector<std::int32_t>{})
      .def(
          "finish", [](Builder& self) { return std::move(self).finish(); },
          "The schedule with its dependencies. The builder is used up.");
}

void bind_layout(nb::module_& module) {
  nb::class_<ByteRange>(module, "ByteRange")
      .def_ro("offset_bytes", &ByteRange::offset_bytes)
      .def_ro("size_bytes", &ByteRange::size_bytes);
  nb::class_<Layout>(module, "Layout", "Which bytes a block is.")
      .def_static("uniform", &Layout::uniform, "total_bytes"_a, "blocks"_a, "element_bytes"_a = 1)
      .def_static("of_sizes", &Layout::of_sizes, "sizes_bytes"_a)
      .def("of", &Layout::of, "first"_a, "count"_a = 1, "Bytes of neighbouring blocks.")
      .def_prop_ro("total_bytes", &Layout::total_bytes);
  module.def("even_layouts", &even_layouts, "collective"_a, "ranks"_a, "blocks"_a, "size_bytes"_a,
             "Of input, output and scratch where all parts have one size; see layouts.hpp.");
  module.def(
      "without_exclusive_sends",
      [](Schedule schedule) {
        for (Operation& operation : schedule.operations) operation.is_exclusive = false;
        return schedule;
      },
      "schedule"_a, "The same, with sends that need not go alone.");
  module.def("goal_text", &goal_text, "schedules"_a, "layouts"_a, "root"_a = 0,
             "GOAL of all ranks' schedules, in the order of relative ranks; see goal.hpp.");
}

}  // namespace

void bind_schedule(nb::module_& module) {
  bind_values(module);
  bind_schedules(module);
  bind_builder(module);
  bind_layout(module);
}

}  // namespace anabranch
