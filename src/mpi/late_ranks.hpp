// What roots of protocols see of late ranks, and what ANABRANCH_EXPLAIN tells of it.
#pragma once

#include <cstdint>
#include <map>

#include "mpi/driver.hpp"
#include "select/decision.hpp"

namespace anabranch::mpi {

// Of the calls with this rank as the root that one protocol served, kept with their communicator.
class LateRanks {
 public:
  // A call is over. Prints who came last, where that is later than a message takes; then where one
  // is twice as late; and after 8, 16, 32.. calls, how often that was.
  void explain(const ArrivalSkew& skew, const Decision& decision, std::int32_t root);

 private:
  struct Late {
    std::int64_t calls = 0;
    double after_root_s = 0;  // sum
  };

  void print_one(const ArrivalSkew& skew, const Decision& decision, std::int32_t root) const;
  void print_all(const Decision& decision, std::int32_t root) const;

  std::int64_t calls_ = 0;
  double in_calls_s_ = 0;              // that the root spent in those with a late rank
  double longest_s_ = 0;               // that was told of
  std::map<std::int32_t, Late> late_;  // by the rank that came last
};

}  // namespace anabranch::mpi
