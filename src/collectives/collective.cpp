#include "collectives/collective.hpp"

#include <array>

namespace anabranch {
namespace {

struct Row {
  Collective collective;
  std::string_view name;
  bool rooted;
};

constexpr std::array<Row, 10> rows = {{
    {Collective::bcast, "bcast", true},
    {Collective::scatter, "scatter", true},
    {Collective::gather, "gather", true},
    {Collective::allgather, "allgather", false},
    {Collective::reduce, "reduce", true},
    {Collective::allreduce, "allreduce", false},
    {Collective::reduce_scatter, "reduce_scatter", false},
    {Collective::alltoall, "alltoall", false},
    {Collective::scan, "scan", false},
    {Collective::exscan, "exscan", false},
}};

constexpr auto listed = [] {
  std::array<Collective, rows.size()> found{};
  for (std::size_t i = 0; i < rows.size(); ++i) found[i] = rows[i].collective;
  return found;
}();

}  // namespace

std::string_view name_of(Collective collective) {
  return rows[static_cast<std::size_t>(collective)].name;
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row.collective;
  }
  return std::nullopt;
}

std::span<const Collective> all_collectives() { return listed; }

bool is_rooted(Collective collective) { return rows[static_cast<std::size_t>(collective)].rooted; }

}  // namespace anabranch
