// Calls for which there is one decision, as long as the settings stay.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "collectives/collective.hpp"
#include "collectives/semantics.hpp"

namespace anabranch::mpi {

struct DecisionKey {
  Collective collective = Collective::bcast;
  SizeKnowledge sizes = SizeKnowledge::everywhere;
  bool equal_blocks = true;
  bool commutative = true;
  bool is_exact = true;  // the result has the same bits, in whichever order operands are combined
  std::int64_t size_bytes = 0;
  auto operator<=>(const DecisionKey&) const = default;
};

struct HashOfDecisionKey {
  std::size_t operator()(const DecisionKey& key) const {
    std::size_t kind = static_cast<std::size_t>(key.collective);
    kind = kind << 1 | static_cast<std::size_t>(key.sizes);
    for (const bool flag : {key.equal_blocks, key.commutative, key.is_exact}) {
      kind = kind << 1 | static_cast<std::size_t>(flag);
    }
    return static_cast<std::size_t>(key.size_bytes) * 256 + kind;
  }
};

}  // namespace anabranch::mpi
