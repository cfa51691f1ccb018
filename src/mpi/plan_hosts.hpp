// Which nodes of a plan the ranks of a communicator are on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"

namespace anabranch::mpi {

// All ranks together. `host_of_rank` becomes the plan's node of each rank; empty where the plan
// does not know all hosts, and the first rank that it does not know says so. An MPI error code.
int find_plan_hosts(const Plan& plan, MPI_Comm channel, std::int32_t rank,
                    std::vector<std::int32_t>& host_of_rank);

// What tells nodes apart in Places: of a host's name.
std::int64_t number_of_host(std::string_view name);

// The plan's node of each of these, or nothing where it does not know all.
std::vector<std::int32_t> plan_nodes_of(const Plan& plan, std::span<const std::int64_t> hosts);

}  // namespace anabranch::mpi
