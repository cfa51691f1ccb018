// What can be measured: how each function of MPI is called. Everything else about it (who has which
// buffers, what is in them before and after) follows from what its collective means.
#pragma once

#include <mpi.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.hpp"

namespace anabranch::bench {

// The arguments of one rank. `count` is of the message or, where a buffer has a part for each rank,
// of this rank's part, in elements; `counts` and `displacements` say the same to functions that
// want lists.
struct Call {
  const void* input = nullptr;
  void* output = nullptr;
  int count = 0;
  const std::vector<int>& counts;
  const std::vector<int>& displacements;
  MPI_Datatype type = MPI_BYTE;
  int root = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
};

struct Function {
  std::string_view name;  // the function, without MPI_ and in lower case
  Collective collective;  // whose setting says which algorithm serves it
  void (*call)(const Call&);
};

inline constexpr std::array<Function, 15> functions = {{
    {"bcast", Collective::bcast,
     [](const Call& c) { MPI_Bcast(c.output, c.count, c.type, c.root, c.comm); }},
    {"scatter", Collective::scatter,
     [](const Call& c) {
       MPI_Scatter(c.input, c.count, c.type, c.output, c.count, c.type, c.root, c.comm);
     }},
    {"scatterv", Collective::scatter,
     [](const Call& c) {
       MPI_Scatterv(c.input, c.counts.data(), c.displacements.data(), c.type, c.output, c.count,
                    c.type, c.root, c.comm);
     }},
    {"gather", Collective::gather,
     [](const Call& c) {
       MPI_Gather(c.input, c.count, c.type, c.output, c.count, c.type, c.root, c.comm);
     }},
    {"gatherv", Collective::gather,
     [](const Call& c) {
       MPI_Gatherv(c.input, c.count, c.type, c.output, c.counts.data(), c.displacements.data(),
                   c.type, c.root, c.comm);
     }},
    {"allgather", Collective::allgather,
     [](const Call& c) {
       MPI_Allgather(c.input, c.count, c.type, c.output, c.count, c.type, c.comm);
     }},
    {"allgatherv", Collective::allgather,
     [](const Call& c) {
       MPI_Allgatherv(c.input, c.count, c.type, c.output, c.counts.data(), c.displacements.data(),
                      c.type, c.comm);
     }},
    {"reduce", Collective::reduce,
     [](const Call& c) {
       MPI_Reduce(c.input, c.output, c.count, c.type, MPI_SUM, c.root, c.comm);
     }},
    {"allreduce", Collective::allreduce,
     [](const Call& c) { MPI_Allreduce(c.input, c.output, c.count, c.type, MPI_SUM, c.comm); }},
    {"reduce_scatter", Collective::reduce_scatter,
     [](const Call& c) {
       MPI_Reduce_scatter(c.input, c.output, c.counts.data(), c.type, MPI_SUM, c.comm);
     }},
    {"reduce_scatter_block", Collective::reduce_scatter,
     [](const Call& c) {
       MPI_Reduce_scatter_block(c.input, c.output, c.count, c.type, MPI_SUM, c.comm);
     }},
    {"alltoall", Collective::alltoall,
     [](const Call& c) {
       MPI_Alltoall(c.input, c.count, c.type, c.output, c.count, c.type, c.comm);
     }},
    {"alltoallv", Collective::alltoall,
     [](const Call& c) {
       MPI_Alltoallv(c.input, c.counts.data(), c.displacements.data(), c.type, c.output,
                     c.counts.data(), c.displacements.data(), c.type, c.comm);
     }},
    {"scan", Collective::scan,
     [](const Call& c) { MPI_Scan(c.input, c.output, c.count, c.type, MPI_SUM, c.comm); }},
    {"exscan", Collective::exscan,
     [](const Call& c) { MPI_Exscan(c.input, c.output, c.count, c.type, MPI_SUM, c.comm); }},
}};

// Throws std::invalid_argument with one line that says what is valid.
inline const Function& function_named(std::string_view name) {
  std::string valid;
  for (const Function& function : functions) {
    if (function.name == name) return function;
    valid += (valid.empty() ? "" : ", ") + std::string(function.name);
  }
  throw std::invalid_argument("--function: give " + valid + ", not '" + std::string(name) + "'");
}

}  // namespace anabranch::bench
