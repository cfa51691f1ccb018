// The table that ANABRANCH_SUMMARY prints, and the rows that the ranks send to rank 0 for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anabranch::mpi {

// Calls of one function that one algorithm served, in the form in which it is sent.
struct SummaryRow {
  char function[24] = {};   // "scatterv"
  char algorithm[40] = {};  // "linear" or "native"
  // Of a call that all ranks of a communicator make, one of them counts these.
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double predicted_s = 0;  // of calls of which native's price is known as well
  double native_s = 0;
  // Of all ranks.
  double time_s = 0;     // sum
  double longest_s = 0;  // of one rank

  bool is_of(const SummaryRow& other) const;
  void add(const SummaryRow& other);
};

// Of all ranks that handed in what they had.
struct Summary {
  int ranks = 1;
  std::vector<int> missing_ranks;  // that did not come in time
  std::vector<SummaryRow> rows;    // in any order; each function and algorithm once

  void add(const SummaryRow& row);
};

// Lines of at most 100 columns. `patience_s`: how long the missing ranks were waited for.
std::string text_of(Summary summary, double patience_s);

}  // namespace anabranch::mpi
