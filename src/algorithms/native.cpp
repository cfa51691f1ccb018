// The collectives of the MPI beneath, whatever they are: one descriptor each.
//
// When: they are the faster ones, or the call is one that cannot be served otherwise.
#include "algorithms/descriptors.hpp"

namespace anabranch {

#define ANABRANCH_NATIVE(name)                       \
  extern const Algorithm name##_native = {           \
      .id = #name "/native",                         \
      .summary = "the " #name " of the MPI beneath", \
      .source = "the MPI library",                   \
      .cost = "that of the MPI library",             \
      .collective = Collective::name,                \
      .make = Native{},                              \
  };
ANABRANCH_NATIVE(bcast)
ANABRANCH_NATIVE(scatter)
ANABRANCH_NATIVE(gather)
ANABRANCH_NATIVE(allgather)
ANABRANCH_NATIVE(reduce)
ANABRANCH_NATIVE(allreduce)
ANABRANCH_NATIVE(reduce_scatter)
ANABRANCH_NATIVE(alltoall)
ANABRANCH_NATIVE(scan)
ANABRANCH_NATIVE(exscan)
#undef ANABRANCH_NATIVE

}  // namespace anabranch
