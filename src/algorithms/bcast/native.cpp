// The broadcast of the MPI beneath, whatever it is.
//
// When: it is the faster one, or the call is one that cannot be served otherwise.
// Cost: unknown; measured by the benchmark and the tuner.
#include "algorithms/algorithm.hpp"

namespace anabranch {

extern const Algorithm bcast_native = {
    .id = "bcast/native",
    .summary = "the broadcast of the MPI beneath",
    .source = "the MPI library",
    .cost = "that of the MPI library",
    .collective = Collective::bcast,
    .form = Algorithm::Form::native,
};

}  // namespace anabranch
