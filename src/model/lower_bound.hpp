// What no algorithm can be faster than: the limit that figures are compared with.
#pragma once

#include "algorithms/algorithm.hpp"
#include "collectives/collective.hpp"

namespace anabranch {

// Seconds in the one-port, full-duplex model on the problem's network, for parts of equal size;
// combining costs nothing. The larger of two times:
//
//   q alpha     the last rank learns from the first: each round at most doubles who knows
//   w beta      what the port carries that carries most
//
// w, for p > 1:
//   bcast, reduce             m: into, or out of, each rank but the root
//   scan, exscan              m: out of the first rank
//   scatter, gather           (p - 1) / p m: the root's port
//   allgather, alltoall,
//   reduce_scatter            (p - 1) / p m: every port
//   allreduce                 2 (p - 1) / p m: every port. Patarasuk, Yuan, Bandwidth optimal
//                             all-reduce algorithms for clusters of workstations, JPDC 2009
double lower_bound_s(Collective collective, const Problem& problem);

}  // namespace anabranch
