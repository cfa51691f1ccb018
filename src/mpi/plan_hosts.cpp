#include "mpi/plan_hosts.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>

#include "mpi/functions.hpp"
#include "mpi/host.hpp"
#include "select/settings.hpp"

namespace anabranch::mpi {
namespace {

// Plans may have the names with or without their domains.
std::int32_t node_called(const Plan& plan, const std::string& host) {
  const std::int32_t node = plan.node_of(host);
  return node != no_node ? node : plan.node_of(host.substr(0, host.find('.')));
}

}  // namespace

std::int64_t number_of_host(std::string_view name) {
  return static_cast<std::int64_t>(hash_bytes(name) >> 12);  // 52 bits: exact as a double
}

std::vector<std::int32_t> plan_nodes_of(const Plan& plan, std::span<const std::int64_t> hosts) {
  std::unordered_map<std::int64_t, std::int32_t> node_of;
  for (const std::string& name : plan.nodes) {
    node_of.try_emplace(number_of_host(name), static_cast<std::int32_t>(node_of.size()));
  }
  std::vector<std::int32_t> nodes;
  for (const std::int64_t host : hosts) {
    const auto found = node_of.find(host);
    if (found == node_of.end()) return {};
    nodes.push_back(found->second);
  }
  return nodes;
}

int find_plan_hosts(const Plan& plan, MPI_Comm channel, std::int32_t rank,
                    std::vector<std::int32_t>& host_of_rank) {
  int size = 1;
  native.Comm_size(channel, &size);
  const std::int32_t own = node_called(plan, host_name());
  host_of_rank.resize(static_cast<std::size_t>(size));
  const int error =
      native.Allgather(&own, 1, MPI_INT32_T, host_of_rank.data(), 1, MPI_INT32_T, channel);
  if (error != MPI_SUCCESS) return error;
  const auto stranger = std::ranges::find(host_of_rank, no_node);
  if (stranger == host_of_rank.end()) return MPI_SUCCESS;
  if (stranger - host_of_rank.begin() == rank) {
    std::fprintf(stderr,
                 "anabranch: the plan does not know the host '%s' of rank %d: broadcasts among "
                 "these %d ranks go without it\n",
                 host_name().c_str(), rank, size);
  }
  host_of_rank.clear();
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
