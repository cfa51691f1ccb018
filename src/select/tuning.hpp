// What `anabranch tune` has measured on a cluster: for ranges of sizes the choice that was the
// fastest, and where that holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "evidence/evidence.hpp"

namespace anabranch {

struct TunedRange {
  Collective collective = Collective::bcast;
  Scope where;          // sizes, ranks, nodes and ranks a node; rate and latency of the network
  Selection selection;  // native included
  double times_as_fast = 1;  // as native
  std::string reason;        // a clause, for who asks why
};

struct Tuning {
  std::string mpi_version;    // of the MPI that was measured, as MPI_Get_library_version says it
  std::string native_policy;  // of the MPI that was measured; empty: of one that nobody knows
  std::vector<TunedRange> ranges;

  // The first that holds; null where it says nothing. Calls with unequal parts were not measured.
  const TunedRange* find(const Situation& situation, std::string_view policy) const;
  // Why it says nothing of such calls, of whatever size; empty where it may. The network is known.
  std::string misfit(const Situation& situation) const;
  // Whether it may say something, by what is known of the call.
  bool may_say(const Situation& situation) const;
};

// Of the text of a file (schema anabranch/tuning/1) called `name`. Throws std::invalid_argument
// with one line that says what is wrong.
Tuning parse_tuning(std::string_view text, std::string_view name);

// The same file without its measurements, which no decision needs. Throws likewise.
std::string without_measurements(std::string_view text, std::string_view name);

}  // namespace anabranch
