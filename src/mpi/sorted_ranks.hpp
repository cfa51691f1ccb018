// Ranks in the order in which they come, for algorithms that go by a prediction of that.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "mpi/decision_key.hpp"
#include "mpi/sum_beside.hpp"
#include "select/arrival_order.hpp"

namespace anabranch::mpi {

struct Communicator;

// The calls of a class that such an algorithm serves.
struct SortedClass {
  ArrivalOrder order;
  std::unique_ptr<SumBeside> sum = std::make_unique<SumBeside>();

  // This rank was in the call for so long. The caller works on the record.
  void end_call(double in_call_s, const Communicator& communicator);
};

using SortedClasses =
    std::unordered_map<DecisionKey, std::unique_ptr<SortedClass>, HashOfDecisionKey>;

}  // namespace anabranch::mpi
