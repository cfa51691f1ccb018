// Plans as the library reads them; those that it takes are fitted and run by all ranks.
#include "contract.hpp"
#include "plan/rank_trees.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Plan plan;
  if (!fuzz::read_or_refuse([&] { plan = parse_plan(fuzz::as_text(data, size), "plan.json"); })) {
    return 0;
  }
  std::vector<std::int32_t> node_of_rank;
  const auto nodes = static_cast<std::int32_t>(plan.nodes.size());
  for (std::int32_t rank = 0; rank < nodes + 2; ++rank) node_of_rank.push_back(rank % nodes);
  if (nodes > 16 || plan.order.size() > 64) return 0;
  for (const std::int32_t root : {plan.root, 0}) {
    const RankTrees trees = fit(plan, node_of_rank, root);
    for (std::int32_t rank = 0; rank < trees.ranks; ++rank) tree_schedule(trees, rank, 20);
  }
  return 0;
}
