#include "mpi/own_schedules.hpp"

#include "algorithms/ordered_root.hpp"

namespace anabranch::mpi {

template <typename Make>
std::shared_ptr<const Schedule> OwnSchedules::find_or_make(const Choice& choice,
                                                           std::int32_t blocks,
                                                           const Members& members, Make make) {
  constexpr std::size_t most_kept = 64;
  const Key key{choice.algorithm, members.root, blocks, choice.values};
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  if (kept_.size() >= most_kept) kept_.clear();
  return kept_[key] = std::make_shared<const Schedule>(make());
}

std::shared_ptr<const Schedule> OwnSchedules::on_nodes(const Choice& choice, std::int32_t blocks,
                                                       std::span<const std::int64_t> node_of_rank,
                                                       const Members& members, std::int32_t rank) {
  return find_or_make(choice, blocks, members, [&] {
    std::vector<std::int64_t> nodes(static_cast<std::size_t>(members.size));
    for (std::int32_t i = 0; i < members.size && !node_of_rank.empty(); ++i) {
      nodes[static_cast<std::size_t>(members.relative(i))] =
          node_of_rank[static_cast<std::size_t>(i)];
    }
    return choice.algorithm->generate_on_nodes(nodes, members.relative(rank), blocks,
                                               choice.values);
  });
}

std::shared_ptr<const Schedule> OwnSchedules::in_order(const Choice& choice, std::int32_t blocks,
                                                       const Members& members, std::int32_t rank) {
  return find_or_make(choice, blocks, members, [&] {
    return ordered_reduction(*choice.algorithm, members.size, members.relative(rank), members.root,
                             blocks, choice.values);
  });
}

}  // namespace anabranch::mpi
