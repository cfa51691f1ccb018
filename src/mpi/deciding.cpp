#include "mpi/deciding.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <string>

#include "algorithms/situation.hpp"
#include "algorithms/size.hpp"
#include "mpi/checks.hpp"
#include "mpi/functions.hpp"
#include "mpi/state.hpp"
#include "select/quantity.hpp"
#include "select/rivals.hpp"

namespace anabranch::mpi {
namespace {

bool commutes(MPI_Op op) {
  if (is_predefined(op)) return true;
  int commutative = 0;
  return native.Op_commutative(op, &commutative) == MPI_SUCCESS && commutative != 0;
}

void forget_old(Communicator& communicator, std::uint64_t settings_hash) {
  forget_decisions(communicator);
  if (communicator.settings_hash == settings_hash) return;
  communicator.explained.clear();
  communicator.late_ranks.clear();
  communicator.forget_trials();
  communicator.settings_hash = settings_hash;
}

Problem problem_of(const DecisionKey& key, const Communicator& communicator,
                   const Settings& settings) {
  const bool is_as_before = !key.is_exact && communicator.known_to_sums.has_value();
  const Communicator::Known known =
      is_as_before ? *communicator.known_to_sums
                   : Communicator::Known{communicator.network, communicator.planned};
  return {.ranks = communicator.size,
          .size_bytes = key.size_bytes,
          .network = known.network,
          .planned = known.planned,
          .sizes = key.sizes,
          .equal_blocks = key.equal_blocks,
          .commutative = key.commutative,
          .any_order = key.is_exact || (settings.any_reduction_order && !settings.reproducible),
          .nodes = communicator.nodes,
          .native_policy = native_policy(),
          .links_known = communicator.links_known && !is_as_before,
          .links_differ = communicator.links_differ && !is_as_before};
}

// What decisions on the communicator go by, once it is known.
void explain_network(Communicator& communicator) {
  const Network& network = communicator.network;
  if (communicator.network_is_explained || !is_known(network)) return;
  communicator.network_is_explained = true;
  const auto link = [](double latency_s, double time_per_byte_s) {
    return format_duration(latency_s) + ", " + format_bandwidth(1 / time_per_byte_s);
  };
  std::string more;
  if (network.measured_overhead_s > 0) {
    more = ", overhead " + format_duration(network.measured_overhead_s) + ", eager limit " +
           format_size(network.eager_limit_bytes);
    const double within_s = network.latency_within_nodes_s;
    if (within_s != Network{}.latency_within_nodes_s) {
      more += "; within a node " + link(within_s, network.time_per_byte_within_nodes_s);
    }
    if (network.memory_time_per_byte_s > 0) {
      more += ", all together " + format_bandwidth(1 / network.memory_time_per_byte_s);
    }
    if (network.ports_a_node > 1) {
      std::array<char, 32> ports{};
      std::snprintf(ports.data(), ports.size(), "; %.1f ports a node", network.ports_a_node);
      more += ports.data();
    }
  }
  std::fprintf(stderr, "anabranch: %d ranks on %d node%s: latency %s%s\n", communicator.size,
               communicator.nodes.count, communicator.nodes.count == 1 ? "" : "s",
               link(network.latency_s, network.time_per_byte_s).c_str(), more.c_str());
}

// Why the tuning file has no part in such decisions, whatever the size; once.
void explain_tuning(const Call& call, const Problem& problem, Communicator& communicator) {
  const Tuning* tuning = settings().tuning.get();
  if (tuning == nullptr || !is_known(problem.network)) return;
  const DecisionKey any_size{
      .collective = call.collective, .equal_blocks = problem.equal_blocks, .size_bytes = -1};
  if (!communicator.explained.insert({call.name, any_size, false}).second) return;
  const std::string why = tuning->misfit(situation_of(call.collective, problem));
  if (why.empty()) return;
  std::fprintf(stderr, "anabranch: the tuning file '%s' says nothing of %s here: %s\n",
               settings().tuning_path.c_str(), call.name, why.c_str());
}

// The calls of one class: of sizes between two powers of two.
DecisionKey class_of(DecisionKey key) {
  key.size_bytes = std::bit_width(static_cast<std::uint64_t>(key.size_bytes));
  return key;
}

std::string subject_of(const DecisionKey& key) {
  const auto first = std::bit_floor(static_cast<std::uint64_t>(key.size_bytes));
  return std::string(name_of(key.collective)) + " of " +
         format_size(static_cast<std::int64_t>(first)) + " to " +
         format_size(static_cast<std::int64_t>(2 * first));
}

// Null where there is nobody to compare the choice with, or where sums would change their bits with
// the algorithm.
GuardedClass* guarded_class(const DecisionKey& key, const Decided& decided,
                            Communicator& communicator, const Settings& settings) {
  const auto& [problem, decision] = decided;
  // What is decided once more after a measurement has its rivals then.
  if (!key.is_exact || decision.link_probe_bytes > 0) return nullptr;
  if (!has_rivals(decision, problem, settings)) return nullptr;
  auto& guarded = communicator.guard.class_of(class_of(key));
  if (guarded != nullptr) return guarded.get();
  const double price_s = decision.predicted_s.value_or(0);
  // Whoever sends more waits for its receivers; and the price of a long call may be wrong.
  const bool is_eager = problem.size_bytes <= problem.network.eager_limit_bytes;
  guarded = std::make_unique<GuardedClass>(
      subject_of(key), rivals_of(decision, problem, settings),
      is_eager ? calls_a_turn(price_s, problem.network.latency_s) : 1);
  guarded->price_s.push_back(price_s);
  for (const Rival& rival : guarded->rivals) {
    guarded->price_s.push_back(price_of(*rival.algorithm, decision).value_or(0));
  }
  return guarded.get();
}

// Null where ranks keep their numbers.
SortedClass* sorted_class(const DecisionKey& key, const Decided& decided,
                          Communicator& communicator) {
  const auto& [problem, decision] = decided;
  const bool any_order = problem.commutative && problem.any_order;
  if (!decision.choice.algorithm->for_sorted_ranks || !any_order) return nullptr;
  auto& sorted = communicator.sorted_classes[class_of(key)];
  if (sorted == nullptr) sorted = std::make_unique<SortedClass>();
  return sorted.get();
}

std::shared_ptr<Balance> balance_of(const DecisionKey& key, Communicator& communicator) {
  auto& balance = communicator.balances[class_of(key)];
  if (balance == nullptr) balance = std::make_shared<Balance>();
  return balance;
}

// What serves such calls while nobody is late; null where the choice is no protocol, or where they
// would be native then.
std::shared_ptr<const Decided> decide_balanced(Collective collective, const Decided& decided,
                                               const Settings& settings) {
  const Decision& decision = decided.decision;
  const bool is_by_evidence = decision.basis == Basis::evidence && !decision.needs_network;
  if (!is_by_evidence || !decision.choice.algorithm->is_protocol()) return nullptr;
  Problem problem = decided.problem;
  problem.is_balanced = true;
  auto balanced =
      std::make_shared<const Decided>(Decided{problem, decide(collective, problem, settings)});
  return balanced->decision.choice.algorithm->has_schedule() ? balanced : nullptr;
}

Communicator::Remembered remember(const DecisionKey& key, Communicator& communicator,
                                  const Settings& settings) {
  Communicator::Remembered found;
  const Problem problem = problem_of(key, communicator, settings);
  found.decided =
      std::make_shared<const Decided>(Decided{problem, decide(key.collective, problem, settings)});
  found.guarded = guarded_class(key, *found.decided, communicator, settings);
  found.sorted = sorted_class(key, *found.decided, communicator);
  found.while_balanced = decide_balanced(key.collective, *found.decided, settings);
  if (found.while_balanced != nullptr) found.balance = balance_of(key, communicator);
  return found;
}

}  // namespace

bool is_exact(const Call& call) {
  return call.op == MPI_OP_NULL || combines_exactly(call.op, call.output.datatype);
}

void forget_decisions(Communicator& communicator) {
  communicator.decisions.clear();
  communicator.last_decision = nullptr;
}

std::optional<double> price_of(const Algorithm& rival, const Decision& decision) {
  const Candidate* candidate = find_candidate(decision.candidates, rival.id);
  if (candidate == nullptr) return std::nullopt;
  const auto unpriced_s = rival.is_native() ? decision.predicted_s : std::nullopt;
  return candidate->predicted_s ? candidate->predicted_s : unpriced_s;
}

std::shared_ptr<const Decided> decided_for(const Rival& rival,
                                           Communicator::Remembered& remembered) {
  for (const auto& [other, decided] : remembered.rivals) {
    if (other == rival) return decided;
  }
  const auto& [problem, decision] = *remembered.decided;
  auto other = decision_for(rival, decision, problem);
  auto decided = other ? std::make_shared<const Decided>(Decided{problem, *std::move(other)})
                       : std::shared_ptr<const Decided>();
  remembered.rivals.emplace_back(rival, decided);
  return decided;
}

Communicator::Remembered& decide_once(const Call& call, const Measure& measure,
                                      Communicator& communicator, const SettingsInForce& in_force) {
  constexpr std::size_t max_remembered = 1024;
  if (communicator.settings_hash != in_force.hash ||
      communicator.decisions.size() >= max_remembered) {
    forget_old(communicator, in_force.hash);
  }
  const DecisionKey key{.collective = call.collective,
                        .sizes = call.sizes,
                        .equal_blocks = measure.equal_parts,
                        .commutative = call.op == MPI_OP_NULL || commutes(call.op),
                        .is_exact = is_exact(call),
                        .size_bytes = measure.size_bytes};
  auto*& last = communicator.last_decision;
  if (last == nullptr || last->first != key) last = &*communicator.decisions.try_emplace(key).first;
  Communicator::Remembered& remembered = last->second;
  if (remembered.decided == nullptr) remembered = remember(key, communicator, in_force.settings);
  return remembered;
}

void explain(const Call& call, const Decided& decided, Communicator& communicator) {
  if (communicator.rank != 0) return;
  const Problem& problem = decided.problem;
  const DecisionKey kind{.collective = call.collective,
                         .sizes = problem.sizes,
                         .equal_blocks = problem.equal_blocks,
                         .commutative = problem.commutative,
                         .size_bytes = static_cast<std::int64_t>(
                             std::bit_width(static_cast<std::uint64_t>(problem.size_bytes)))};
  if (!communicator.explained.insert({call.name, kind, problem.is_balanced}).second) return;
  explain_network(communicator);
  const bool is_known = call.sizes == SizeKnowledge::everywhere;
  std::string size;
  if (is_known || is_announced(problem)) size = " of " + std::to_string(problem.size_bytes) + " B";
  if (is_announced(problem)) size += ", as the root told,";
  const std::string order = problem.commutative ? "" : ", not commutative,";
  std::fprintf(stderr, "anabranch: %s%s%s on %d ranks: %s\n", call.name, size.c_str(),
               order.c_str(), communicator.size, describe(decided.decision).c_str());
  explain_tuning(call, problem, communicator);
}

void explain_balance(const Call& call, const Decided& decided, const Balance& balance,
                     const Communicator& communicator) {
  const std::string id(decided.decision.choice.algorithm->id);
  const std::string what = balance.calls_after_look() > 0
                               ? "all ranks came together, so the next calls go without " + id
                               : "a rank came late, so the next calls go by " + id;
  std::fprintf(stderr, "anabranch: %s of %lld B on %d ranks: %s (after %lld served calls)\n",
               call.name, static_cast<long long>(decided.problem.size_bytes), communicator.size,
               what.c_str(), static_cast<long long>(communicator.served));
}

void explain(const GuardedClass& guarded, const Trial::Verdict& verdict,
             const Communicator& communicator) {
  if (communicator.rank != 0) return;
  std::vector<std::string> names = {"the choice"};
  for (const Rival& rival : guarded.rivals) {
    names.emplace_back(rival.algorithm->is_native() ? "native" : rival.algorithm->id);
  }
  std::fprintf(stderr, "anabranch: %s on %d ranks: %s\n", guarded.subject.c_str(),
               communicator.size, text_of(verdict, names).c_str());
}

}  // namespace anabranch::mpi
