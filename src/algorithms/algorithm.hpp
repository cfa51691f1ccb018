// An algorithm is a value: one descriptor, of which everything else (verification, prices, tests,
// documentation, command line, benchmarks) is made by looping over the registry.
//
// To add one, write algorithms/<collective>/<name>.cpp with its descriptor and maker, and one row
// in list.inc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/group.hpp"
#include "collectives/collective.hpp"
#include "collectives/semantics.hpp"
#include "execution/execution.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// The Hockney model: a message of m bytes takes latency_s + m * time_per_byte_s, and each rank
// sends one and receives one at a time (one-port, full-duplex).
struct Network {
  double latency_s = 0;
  double time_per_byte_s = 0;
  // The longest message that the MPI sends without a handshake (rendezvous).
  std::int64_t eager_limit_bytes = 8192;
  double overhead_s = 0;   // of a message beside its latency, that either rank is busy with it
  double handshake_s = 0;  // of a longer message than the eager limit, beside its latency
  // Of a message within a node. What is assumed where nobody measured it: shared memory.
  double latency_within_nodes_s = 5e-7;
  double time_per_byte_within_nodes_s = 1e-10;
  // g of LogGP: how long a message keeps its ranks from the next one, if its bytes do not for
  // longer. 0: nobody knows, so that a port counts as busy until the message is there.
  double gap_s = 0;
  // Of all messages within a node together. 0: no limit besides that of each.
  double memory_time_per_byte_s = 0;
  // How many messages a node sends to others at full speed at once, and as many that it receives.
  double ports_a_node = 1;
  // o of LogP, as somebody measured it; 0: nobody has. It is part of the latency above.
  double measured_overhead_s = 0;

  // Of a message beside its bytes.
  double start_s(double message_bytes) const {
    const bool is_eager = message_bytes <= static_cast<double>(eager_limit_bytes);
    return latency_s + 2 * overhead_s + (is_eager ? 0 : handshake_s);
  }
  // How many turns so many messages of a node at once take.
  double turns_at_ports(double messages) const { return std::max(messages / ports_a_node, 1.0); }
  // Until a message has arrived.
  double message_s(double bytes) const { return start_s(bytes) + bytes * time_per_byte_s; }
  // Where every message starts in as long as one of so many bytes does here.
  Network starting_as(double message_bytes) const {
    Network alike = *this;
    alike.latency_s = start_s(message_bytes);
    alike.overhead_s = 0;
    alike.handshake_s = 0;
    return alike;
  }
  // Messages take as long, but either rank is busy with one for the measured overhead only, and
  // then goes on with the next. Where nobody has measured that, an eighth of the latency is
  // assumed.
  Network with_overhead() const {
    Network split = *this;
    split.overhead_s =
        measured_overhead_s > 0 ? std::min(measured_overhead_s, latency_s / 2) : latency_s / 8;
    split.latency_s = latency_s - 2 * split.overhead_s;
    split.gap_s = 2 * split.overhead_s;
    return split;
  }
  // Until a rank can go on with the next message of those that wait for nothing else. Where it only
  // sends or only receives, it is busy with one end of each.
  double turn_s(double bytes, bool is_exchange) const {
    if (gap_s == 0) return message_s(bytes);
    return std::max(is_exchange ? gap_s : gap_s / 2, bytes * time_per_byte_s);
  }
};

bool is_known(const Network& network);

// What all ranks of a call know alike.
struct Problem {
  std::int32_t ranks = 1;
  // m, the bytes of the larger buffer of one rank. bcast, reduce, allreduce, scan, exscan: the
  // message. scatter, gather: all of it, at the root. allgather: the result. reduce_scatter: what a
  // rank contributes. alltoall: what a rank sends to all. Where the message is of parts, one per
  // rank (has_parts), a part has part_bytes().
  std::int64_t size_bytes = 0;
  Network network;  // between nodes, of which the ranks of one share its ports
  PlannedTrees planned = {};
  // Which sizes of parts a rank knows. Unlike own_buffers, `everywhere` says nothing of whether
  // they are equal. With own_buffers, size_bytes is what the root has told, or 0.
  SizeKnowledge sizes = SizeKnowledge::everywhere;
  bool equal_blocks = true;  // the parts of all ranks have one size
  bool commutative = true;   // the MPI_Op, of collectives that combine
  // Operands may be combined in another order in each run: no bit changes with it, or the user
  // wants that.
  bool any_order = true;
  NodeCounts nodes = {};
  // The longest segments that are made by default; 0: not found out yet (with_handshakes).
  std::int64_t longest_segment_bytes = 0;
  // The policies by which the MPI beneath serves calls: "mpich5", as in bcast/mpich5. Empty: not
  // known. Static, as it is compared and kept with decisions.
  std::string_view native_policy = {};
  // Whether links between nodes were measured one by one, and found to differ.
  bool links_known = false;
  bool links_differ = false;
  // Whether all ranks came together to earlier calls like this one (select/balance.hpp).
  bool is_balanced = false;

  std::int64_t part_bytes() const { return (size_bytes + ranks - 1) / ranks; }
};

struct Parameter {
  std::string_view name;
  std::string_view summary;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  // The value that is best for a problem under the model; a constant for most.
  std::int64_t (*default_value)(const Problem&) = nullptr;
  // The value is an index into all_algorithms(), written as the algorithm's name; -1 is auto.
  bool is_algorithm = false;
  // Of those algorithms; nothing: that of the algorithm whose parameter this is.
  std::optional<Collective> algorithms_of = std::nullopt;
};

// So that rounds, of which some algorithms take two per block, can be counted.
constexpr std::int32_t maximum_blocks = std::int32_t{1} << 29;

// One value per parameter of the descriptor, in its order.
using Values = std::span<const std::int64_t>;

std::string format_value(const Parameter& parameter, std::int64_t value);

struct Choice;
class ScheduleCache;

// What an execution needs to know beyond its group, blocks and values.
struct Conditions {
  Problem problem;
  Window window;
  std::int32_t tag = 0;
  ScheduleCache* cache = nullptr;  // of schedules; null: none. It must outlive the execution
  // Of earlier collectives, sent to ranks that have not arrived in them yet.
  std::int64_t pushed_bytes = 0;
  // How far apart ranks that come together are expected to come: whoever gathers them waits for so
  // long at least. 0: nobody knows.
  double expected_spread_s = 0;
};

// How an algorithm comes to what a rank does. Pure. All kinds of makers see the same: a group, into
// how many blocks a message (or a part) is cut, and the values of the parameters.
using MakeSchedule = Schedule (*)(const Group&, std::int32_t blocks, Values);
// For what can only be found out on the way, as who arrives when.
using MakeProtocol = std::unique_ptr<Execution> (*)(const Group&, std::int32_t blocks, Values,
                                                    const Conditions&);
// A policy: it picks another entry by size and count.
using PickAnother = Choice (*)(const Problem&);
// The MPI beneath does it.
struct Native {};
using Maker = std::variant<MakeSchedule, MakeProtocol, PickAnother, Native>;

struct Algorithm {
  std::string_view id;       // "bcast/chain": collective, slash, file name
  std::string_view summary;  // one line
  std::string_view source;   // paper and section
  std::string_view cost;     // the formula as text; p ranks, m bytes, n blocks, q = ceil(log2 p)
  Collective collective = Collective::bcast;
  std::span<const Parameter> parameters = {};
  std::int32_t minimum_ranks = 1;
  std::int32_t maximum_ranks = INT32_MAX;
  bool commutative_only = false;  // combines in any order, not in that of absolute ranks
  // .. in the order in which ranks arrive, which may be another one in each run.
  bool combines_by_arrival = false;
  bool equal_blocks_only = false;  // counts on parts of one size
  bool needs_nodes = false;        // is made by where the ranks of the group are
  bool needs_plan = false;         // follows the trees of a plan for the hosts of the group
  bool may_use_places = false;     // serves any group, and goes by either where it is known
  // Hardly ever do two ranks of a node send at once, or receive: one message moves at a time, or
  // the port of one rank carries them all.
  bool uses_ports_in_turn = false;
  // The same where the ranks of each node follow one another.
  bool uses_ports_in_turn_in_blocks = false;
  // Where they do: the share of the bytes that leaves their node. Null: all, or nearly.
  double (*share_between_nodes)(const Problem&) = nullptr;
  // What it saves is distance between ranks, which no price counts: of equals it comes last.
  bool saves_distance = false;
  // Takes ranks to come in the order of their numbers: they get new ones, as earlier calls told,
  // where the order of operands makes no difference. For collectives without a root or parts.
  bool for_sorted_ranks = false;
  bool for_comparison = false;  // what others take: never a default, as nobody measured a gain
  // own_buffers: also serves ranks that know the sizes of their own parts only; if there is a
  // parameter `sizes`, where that is 1 (blocks carry their sizes) and not where it is 0.
  SizeKnowledge knowledge = SizeKnowledge::everywhere;

  // Into how many blocks a message is cut. Null: not at all, as nothing is known of what runs.
  std::int32_t (*blocks)(const Problem&, Values) = nullptr;
  Maker make = Native{};
  // Time from the start of all to the end of the last rank, s. With blocks of one size it is what
  // the model says of ranks that keep to the order of rounds (windows of one message) ..
  double (*cost_s)(const Problem&, Values) = nullptr;
  // .. and at most this many times shorter or longer than what it says of ranks that run ahead of
  // it.
  double cost_slack = 1;
  // The formula is an upper bound, also of ranks in the order of rounds: of these the model says at
  // most cost_slack times shorter and never longer; of those that run ahead at most a third longer,
  // or as much as an exchange among its components loses by itself.
  bool cost_is_bound = false;

  // "chain" of bcast/chain.
  std::string_view name() const { return id.substr(id.find('/') + 1); }

  bool runs_on(std::int32_t ranks) const {
    return minimum_ranks <= ranks && ranks <= maximum_ranks;
  }
  bool serves(SizeKnowledge sizes, Values values) const;

  bool is_native() const { return std::holds_alternative<Native>(make); }
  bool is_policy() const { return std::holds_alternative<PickAnother>(make); }
  bool is_protocol() const { return std::holds_alternative<MakeProtocol>(make); }
  // What all ranks do is known beforehand.
  bool has_schedule() const { return std::holds_alternative<MakeSchedule>(make); }
  // .. from the number of ranks alone.
  bool serves_any_group() const { return has_schedule() && !needs_nodes && !needs_plan; }
  // Whether others can be composed of it: a schedule of the collective, for parts of any size.
  bool can_be_component(Collective of) const {
    return serves_any_group() && collective == of && !equal_blocks_only;
  }
};

// An algorithm with values for its parameters.
struct Choice {
  const Algorithm* algorithm = nullptr;
  std::vector<std::int64_t> values;
  bool operator==(const Choice&) const = default;
};

// Why the choice cannot serve the problem: a clause, as "bcast/chain cannot run on 3 ranks".
std::optional<std::string> refusal(const Choice& choice, const Problem& problem);

// All algorithms, ordered by id.
std::span<const Algorithm* const> all_algorithms();
const Algorithm* find_algorithm(std::string_view id);
// Its place among them, by which parameters and control messages name it; null where there is none.
std::int64_t index_of(const Algorithm& algorithm);
const Algorithm* algorithm_at(std::int64_t index);

// The choice with every parameter at its default for the problem.
Choice with_defaults(const Algorithm& algorithm, const Problem& problem);
// Follows policies until an algorithm with a schedule (or native) is reached.
Choice resolve(Choice choice, const Problem& problem);

// Reads "bcast/chain" or "bcast/chain:segment=4KiB". Values not given stay at their defaults for
// each problem. Throws std::invalid_argument with one line that names the valid choices.
struct Selection {
  const Algorithm* algorithm = nullptr;
  std::vector<std::pair<std::size_t, std::int64_t>> fixed;  // parameter index, value
  Choice at(const Problem& problem) const;
  std::string text() const;
};
Selection parse_selection(Collective collective, std::string_view text);

}  // namespace anabranch
