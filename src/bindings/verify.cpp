#include "bindings/verify.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/execution.hpp"
#include "bindings/protocols.hpp"
#include "collectives/relative_rank.hpp"
#include "collectives/semantics.hpp"
#include "verify/campaign.hpp"
#include "verify/mutation.hpp"
#include "verify/verifier.hpp"
#include "verify/violation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

using Schedules = std::vector<Schedule>;

// What came of a check: counts, or the fault and why.
struct Verdict {
  std::optional<verify::Counts> counts;
  std::string fault;
  std::string reason;
};

template <typename Work>
Verdict verdict_of(Work work) {
  try {
    return {work(), {}, {}};
  } catch (const verify::Violation& violation) {
    return {std::nullopt, std::string(name_of(violation.fault())), violation.what()};
  }
}

verify::Demands demands_of(bool operand_order, bool one_port, bool no_redundant) {
  return {operand_order, one_port, no_redundant};
}

Verdict check_schedules(const Schedules& schedules, const Semantics& semantics, bool operand_order,
                        bool one_port, bool no_redundant,
                        const std::optional<std::vector<verify::Behaviour>>& behaviours) {
  const auto chosen =
      behaviours ? std::span<const verify::Behaviour>(*behaviours) : verify::default_behaviours();
  return verdict_of([&]() -> std::optional<verify::Counts> {
    return verify::check(schedules, semantics, demands_of(operand_order, one_port, no_redundant),
                         chosen);
  });
}

// The networks alone take schedules as they are: refuse what only the static checks can report.
void check_shapes(const Schedules& schedules, const Semantics& semantics) {
  const auto ranks = static_cast<std::size_t>(semantics.ranks());
  if (schedules.size() != ranks) throw std::invalid_argument("there must be a schedule per rank");
}

Verdict run_collectives(const std::vector<std::tuple<Schedules, Semantics>>& collectives,
                        const verify::Behaviour& behaviour, bool operand_order,
                        std::int32_t tag_upper_bound, std::int32_t in_flight) {
  if (tag_upper_bound < 0) throw std::invalid_argument("the upper bound of tags is at least 0");
  if (in_flight < 1) throw std::invalid_argument("at least one collective is in flight");
  std::vector<verify::CollectiveCase> cases;
  for (const auto& [schedules, semantics] : collectives) {
    check_shapes(schedules, semantics);
    cases.push_back({schedules, semantics});
  }
  return verdict_of([&]() -> std::optional<verify::Counts> {
    verify::run_collectives(cases, demands_of(operand_order, false, false), behaviour,
                            tag_upper_bound, in_flight);
    return std::nullopt;
  });
}

Verdict run_with_slow_action(const Schedules& schedules, const Semantics& semantics,
                             std::int32_t rank, std::uint32_t operation, std::int32_t iteration,
                             const verify::Behaviour& behaviour, bool operand_order,
                             bool only_combining) {
  check_shapes(schedules, semantics);
  const verify::CollectiveCase one{schedules, semantics};
  verify::SlowAction order(rank, operation, iteration, only_combining);
  return verdict_of([&]() -> std::optional<verify::Counts> {
    verify::run_collectives({&one, 1}, demands_of(operand_order, false, false), behaviour.sends,
                            behaviour.window, order, 0, 1);
    return std::nullopt;
  });
}

// In every order of events, as long as there are at most so many.
std::tuple<Verdict, std::int64_t, bool> explore(
    const std::vector<std::tuple<Schedules, Semantics>>& collectives,
    const verify::Behaviour& behaviour, bool operand_order, std::int32_t tag_upper_bound,
    std::int32_t in_flight, std::int64_t max_runs) {
  std::vector<verify::CollectiveCase> cases;
  for (const auto& [schedules, semantics] : collectives) {
    check_shapes(schedules, semantics);
    cases.push_back({schedules, semantics});
  }
  verify::EveryOrder order;
  for (std::int64_t run = 1;; ++run) {
    Verdict verdict = verdict_of([&]() -> std::optional<verify::Counts> {
      verify::run_collectives(cases, demands_of(operand_order, false, false), behaviour.sends,
                              behaviour.window, order, tag_upper_bound, in_flight);
      return std::nullopt;
    });
    const bool more = order.advance();
    if (!verdict.fault.empty() || !more || run == max_runs) return {verdict, run, !more};
  }
}

Schedules mutated(Schedules schedules, const verify::Mutation& mutation) {
  if (mutation.rank < 0 || static_cast<std::size_t>(mutation.rank) >= schedules.size()) {
    throw std::out_of_range("the mutation is of other schedules");
  }
  auto& changed = schedules[static_cast<std::size_t>(mutation.rank)];
  if (mutation.operation >= changed.operations.size()) {
    throw std::out_of_range("the mutation is of other schedules");
  }
  changed = verify::mutated(changed, mutation);
  return schedules;
}

verify::CampaignReport verify_algorithm(const Algorithm& algorithm, std::int32_t ranks,
                                        const std::vector<std::int32_t>& block_counts,
                                        std::int32_t thorough_ranks, bool one_port,
                                        bool no_redundant) {
  verify::Campaign campaign;
  campaign.thorough_ranks = thorough_ranks;
  campaign.block_counts = block_counts;
  campaign.demands = demands_of(true, one_port, no_redundant);
  return verify::verify_algorithm(algorithm, ranks, campaign);
}

void bind_semantics(nb::module_& module) {
  nb::class_<Contribution>(module, "Contribution",
                           "A piece, with what ranks first_rank .. last_rank contribute to it.")
      .def_ro("piece", &Contribution::piece)
      .def_ro("first_rank", &Contribution::first_rank)
      .def_ro("last_rank", &Contribution::last_rank);
  nb::class_<Semantics>(module, "Semantics", "What a collective means; see semantics.hpp.")
      .def(nb::init<Collective, std::int32_t, std::int32_t, std::int32_t, SizeKnowledge>(),
           "collective"_a, "ranks"_a, "blocks"_a, "root"_a = 0,
           "sizes"_a = SizeKnowledge::everywhere)
      .def("blocks_in", &Semantics::blocks_in, "rank"_a, "buffer"_a)
      .def("piece_at", &Semantics::piece_at, "rank"_a, "buffer"_a, "block"_a)
      .def_prop_ro("pieces", &Semantics::pieces)
      .def("before", &Semantics::before, "rank"_a, "buffer"_a, "block"_a)
      .def("after", &Semantics::after, "rank"_a, "buffer"_a, "block"_a)
      .def_prop_ro("combines", &Semantics::combines)
      .def("knows_size", &Semantics::knows_size, "rank"_a, "piece"_a);
  module.def("relative_rank", &relative_rank, "rank"_a, "root"_a, "ranks"_a);
  module.def("absolute_rank", &absolute_rank, "relative"_a, "root"_a, "ranks"_a);
}

void bind_behaviour(nb::module_& module) {
  using verify::Behaviour;
  auto behaviour =
      nb::class_<Behaviour>(module, "Behaviour", "How ranks and network behave; see verifier.hpp.");
  nb::enum_<Behaviour::Order>(behaviour, "Order")
      .value("first_in_first_out", Behaviour::Order::first_in_first_out)
      .value("last_in_first_out", Behaviour::Order::last_in_first_out)
      .value("random", Behaviour::Order::random)
      .value("slow_rank", Behaviour::Order::slow_rank);
  behaviour
      .def(
          "__init__",
          [](Behaviour* self, bool synchronous, std::int32_t receives, std::int32_t sends,
             Behaviour::Order order, std::uint64_t seed, std::int32_t slow_rank) {
            const auto kind = synchronous ? verify::Sends::synchronous : verify::Sends::eager;
            new (self) Behaviour{kind, Window{receives, sends}, order, seed, slow_rank};
          },
          "synchronous"_a = true, "receives"_a = 1, "sends"_a = 1,
          "order"_a = Behaviour::Order::first_in_first_out, "seed"_a = 0, "slow_rank"_a = 0)
      .def("__repr__", &Behaviour::text);
  module.def("default_behaviours", [] {
    const auto all = verify::default_behaviours();
    return std::vector<Behaviour>(all.begin(), all.end());
  });
}

void bind_checks(nb::module_& module) {
  using verify::Counts;
  nb::class_<Counts>(module, "Counts", "What a schedule costs, counted.")
      .def_ro("rounds", &Counts::rounds)
      .def_ro("transfers", &Counts::transfers, "Messages.")
      .def_ro("blocks_moved", &Counts::blocks_moved)
      .def_ro("redundant_blocks", &Counts::redundant_blocks,
              "Blocks that reach a rank that has them already.")
      .def_ro("scratch_blocks", &Counts::scratch_blocks, "Of the rank that has most.")
      .def_ro("sends_in_a_round", &Counts::sends_in_a_round, "Of one rank, at most.")
      .def_ro("receives_in_a_round", &Counts::receives_in_a_round, "Of one rank, at most.")
      .def_ro("sends", &Counts::sends, "Messages, by rank.")
      .def_ro("receives", &Counts::receives, "Messages, by rank.");
  nb::class_<verify::Message>(module, "Message", "Ranks are absolute.")
      .def_ro("round", &verify::Message::round)
      .def_ro("src", &verify::Message::src)
      .def_ro("dst", &verify::Message::dst)
      .def_ro("reduces", &verify::Message::reduces, "The receiver combines it with what it has.")
      .def_ro("pieces", &verify::Message::pieces, "What it carries, in its order.");
  module.def(
      "messages_of",
      [](const Schedules& schedules, const Semantics& semantics) {
        try {
          return verify::messages_of(schedules, semantics);
        } catch (const verify::Violation& violation) {
          throw std::invalid_argument(violation.what());
        }
      },
      "schedules"_a, "semantics"_a,
      "All messages, by round, then receiver; for schedules that hold the semantics.");
  nb::class_<Verdict>(module, "Verdict", "Counts, or the fault and one sentence why.")
      .def_ro("counts", &Verdict::counts)
      .def_ro("fault", &Verdict::fault)
      .def_ro("reason", &Verdict::reason)
      .def_prop_ro("ok", [](const Verdict& self) { return self.fault.empty(); })
      .def("__repr__", [](const Verdict& self) {
        return self.fault.empty() ? "<ok>" : "<" + self.fault + ": " + self.reason + ">";
      });
  module.def("check_schedules", &check_schedules, "schedules"_a, "semantics"_a,
             "operand_order"_a = true, "one_port"_a = false, "no_redundant"_a = false,
             "behaviours"_a = nb::none(),
             "Holds the schedules of all relative ranks to a semantics. Without behaviours given, "
             "runs them over all the default ones.");
  module.def("run_collectives", &run_collectives, "collectives"_a, "behaviour"_a,
             "operand_order"_a = true, "tag_upper_bound"_a = 0, "in_flight"_a = 1,
             "All ranks run these (schedules, semantics) one after the other on one communicator.");
  module.def("run_with_slow_action", &run_with_slow_action, "schedules"_a, "semantics"_a, "rank"_a,
             "operation"_a, "iteration"_a, "behaviour"_a, "operand_order"_a = true,
             "only_combining"_a = false,
             "Runs the schedules while one instance on one absolute rank takes for ever.");
  module.def(
      "explore", &explore, "collectives"_a, "behaviour"_a, "operand_order"_a = true,
      "tag_upper_bound"_a = 0, "in_flight"_a = 1, "max_runs"_a = 1'000'000,
      "Runs them in every order of events. Returns (verdict, runs, whether these were all).");
}

void bind_mutations(nb::module_& module) {
  using verify::Mutation;
  nb::class_<Mutation>(module, "Mutation", "A small fault; see mutation.hpp.")
      .def_prop_ro("kind", [](const Mutation& self) { return name_of(self.kind); })
      .def_ro("rank", &Mutation::rank)
      .def_ro("operation", &Mutation::operation)
      .def_ro("amount", &Mutation::amount)
      .def_ro("block_set", &Mutation::block_set)
      .def("__repr__", &Mutation::text);
  module.def(
      "mutations_of", [](const Schedules& schedules) { return verify::mutations_of(schedules); },
      "schedules"_a);
  module.def("mutated", &mutated, "schedules"_a, "mutation"_a, "The schedules with the fault.");
}

void bind_campaign(nb::module_& module) {
  using verify::CampaignReport;
  using verify::CaseReport;
  nb::class_<CaseReport>(module, "CaseReport")
      .def_ro("ranks", &CaseReport::ranks)
      .def_ro("blocks", &CaseReport::blocks)
      .def_ro("algorithm", &CaseReport::algorithm, "Where a policy picked it; else empty.")
      .def_ro("values", &CaseReport::values)
      .def_ro("counts", &CaseReport::counts);
  nb::class_<CampaignReport>(module, "CampaignReport")
      .def_ro("cases", &CampaignReport::cases)
      .def_ro("runs", &CampaignReport::runs, "Over symbolic networks.")
      .def_ro("messages", &CampaignReport::messages, "In all those runs.")
      .def_ro("failed_case", &CampaignReport::failed_case, "Empty where all is well.")
      .def_ro("fault", &CampaignReport::fault)
      .def_ro("reason", &CampaignReport::reason);
  module.def("verify_algorithm", &verify_algorithm, "algorithm"_a, "ranks"_a,
             "block_counts"_a = std::vector<std::int32_t>{}, "thorough_ranks"_a = 16,
             "one_port"_a = false, "no_redundant"_a = false,
             nb::call_guard<nb::gil_scoped_release>(),
             "Verifies an algorithm for one number of ranks, up to its first failure.");
}

}  // namespace

void bind_verify(nb::module_& module) {
  bind_semantics(module);
  bind_execution(module);
  bind_behaviour(module);
  bind_checks(module);
  bind_mutations(module);
  bind_campaign(module);
  bind_protocols(module);
}

}  // namespace anabranch
