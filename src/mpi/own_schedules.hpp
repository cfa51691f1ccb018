// Schedules that serve one communicator only, or one root: they depend on where its ranks are, or
// on which is the first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "mpi/driver.hpp"

namespace anabranch::mpi {

class OwnSchedules {
 public:
  // Of an algorithm that goes by nodes. `node_of_rank` by absolute rank; empty: all share one.
  std::shared_ptr<const Schedule> on_nodes(const Choice& choice, std::int32_t blocks,
                                           std::span<const std::int64_t> node_of_rank,
                                           const Members& members, std::int32_t rank);
  // Of a reduction to a root other than the first rank that keeps the order of operands.
  std::shared_ptr<const Schedule> in_order(const Choice& choice, std::int32_t blocks,
                                           const Members& members, std::int32_t rank);

 private:
  using Key = std::tuple<const Algorithm*, std::int32_t, std::int32_t, std::vector<std::int64_t>>;
  template <typename Make>
  std::shared_ptr<const Schedule> find_or_make(const Choice& choice, std::int32_t blocks,
                                               const Members& members, Make make);

  std::map<Key, std::shared_ptr<const Schedule>> kept_;  // algorithm, root, blocks, values
};

}  // namespace anabranch::mpi
