#include "collectives/collective.hpp"

#include <array>

namespace anabranch {
namespace {

struct Row {
  Collective collective;
  std::string_view name;
  bool rooted;
  bool parts;
  bool combines;
};

constexpr std::array<Row, 10> rows = {{
    {Collective::bcast, "bcast", true, false, false},
    {Collective::scatter, "scatter", true, true, false},
    {Collective::gather, "gather", true, true, false},
    {Collective::allgather, "allgather", false, true, false},
    {Collective::reduce, "reduce", true, false, true},
    {Collective::allreduce, "allreduce", false, false, true},
    {Collective::reduce_scatter, "reduce_scatter", false, true, true},
    {Collective::alltoall, "alltoall", false, true, false},
    {Collective::scan, "scan", false, false, true},
    {Collective::exscan, "exscan", false, false, true},
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

bool has_parts(Collective collective) { return rows[static_cast<std::size_t>(collective)].parts; }

bool combines(Collective collective) { return rows[static_cast<std::size_t>(collective)].combines; }

}  // namespace anabranch
