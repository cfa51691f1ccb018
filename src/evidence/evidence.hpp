// What measurements say beyond the model: rows of evidence.json, each with where it holds and where
// it is from. Outside of its range a row says nothing, and the model decides.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "collectives/collective.hpp"

namespace anabranch {

// Both ends included.
struct Range {
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
  bool is_everything() const { return from <= 0 && to == std::numeric_limits<double>::infinity(); }
  bool has(double value) const { return from <= value && value <= to; }
};

// What rows look at, of a call or of a component of an algorithm. Nothing: not known yet.
struct Situation {
  Collective collective = Collective::bcast;
  bool is_within_node = false;  // a component of an algorithm by nodes
  double size_bytes = 0;        // Problem::size_bytes
  std::optional<double> part_bytes;
  std::optional<double> ranks;
  std::optional<bool> has_equal_parts;
  bool network_known = false;
  bool links_known = false;   // they were measured between nodes
  bool links_differ = false;  // by more than noise
  bool is_balanced = false;   // all ranks came together to earlier calls like this one
  std::optional<double> nodes;
  std::optional<double> ranks_a_node;  // of the node that has most
  std::optional<bool> in_blocks;       // the ranks of each node follow one another
  std::optional<double> bytes_per_s;
  std::optional<double> latency_s;
  std::optional<double> latencies_on_wire;  // that the message takes
  std::optional<double> plan_slices;        // of the trees of a plan that the message is; 0: none
  // By how much the cheapest candidate is clearly faster than native under the model; 0: it is not,
  // or nobody knows what native costs.
  std::optional<double> latencies_to_gain;
  std::optional<std::string_view>
      native_policy;  // of the MPI beneath; empty: not one that is known
};

enum class Holds : std::uint8_t { no, yes, unknown };

struct Scope {
  bool within_node = false;
  bool unequal_parts_only = false;
  bool unless_balanced = false;
  std::optional<bool> network_known = {};  // somebody measured or set it; nothing: either
  std::optional<bool> links_known = {};    // nothing: either
  std::optional<bool> links_differ = {};   // as far as they are known
  std::optional<bool> in_blocks = {};      // nothing: either
  Range size_bytes = {};
  Range part_bytes = {};
  Range ranks = {};
  Range nodes = {};
  Range ranks_a_node = {};
  Range bytes_per_s = {};
  Range latency_s = {};
  Range latencies_on_wire = {};
  Range plan_slices = {};
  Range latencies_to_gain = {};
  std::string_view native_policy = {};  // empty: any

  // `unknown` only if what is known does not say no.
  Holds hold(const Situation& situation) const;
};

// What is taken where the preferred algorithm cannot serve, or costs too much; next_row: the rows
// that follow say.
enum class Otherwise : std::uint8_t { native, cheapest, next_row };

// How many times as fast as native something was, and between which numbers that lies.
struct Gain {
  std::string_view mpi;     // and its version
  std::string_view policy;  // by which it chooses; empty: not one that is known
  int ranks = 0;
  std::int64_t size_bytes = 0;
  std::string_view ran;  // an algorithm with parameters
  double gain = 1;       // median of the ratios of pairs
  double low = 1;
  double high = 1;
  double predicted = 1;  // under the model, where it was measured
  std::string_view date;
};

struct Evidence {
  std::string_view name;
  std::optional<Collective> collective;  // nothing: all
  std::string_view prefers = {};         // the id of an algorithm; empty: native
  // How many times as much as the cheapest candidate under the model it may cost.
  double may_cost = std::numeric_limits<double>::infinity();
  Otherwise otherwise = Otherwise::native;
  Scope where;
  std::string_view reason;           // a clause, for who asks why
  std::string_view measured;         // where and when; or why nothing need be measured
  std::string_view command;          // that measures it; empty where nothing need be
  std::span<const Gain> gains = {};  // as `anabranch experiments evidence` measured them by it

  bool is_for_native() const { return prefers.empty(); }
  Holds holds(const Situation& situation) const;
  // Whether native was faster than what is preferred, beyond the noise: over an MPI that chooses
  // alike, at the nearest size, which is at most twice or half as long. predicted: how many times
  // as fast as native it is here under the model; what that is more than where it was measured
  // counts.
  bool was_slower(const Situation& situation, double predicted) const;
};

// In their order: the first one that holds counts.
std::span<const Evidence> all_evidence();

// A number that algorithms take from measurements.
struct TunedValue {
  std::string_view name;
  std::int64_t value;
  std::string_view unit;
  Scope where;  // elsewhere the model, where it says anything, decides
  std::string_view reason;
  std::string_view measured;
  std::string_view command;
};

namespace tuned {
extern const TunedValue lookahead_of_alltoall;
extern const TunedValue segment_of_alltoall;
extern const TunedValue drift_of_circulant;
extern const TunedValue percent_of_a_chain;
extern const TunedValue exclusive_send;
extern const TunedValue latencies_of_a_part_segment;
extern const TunedValue segments_within_eager_limit;
extern const TunedValue parts_worth_a_message;
}  // namespace tuned

std::span<const TunedValue* const> all_tuned_values();

}  // namespace anabranch
