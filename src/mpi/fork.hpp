// A child of fork has a copy of everything and is no rank: it must neither send nor write for its
// parent.
#pragma once

namespace anabranch::mpi {

// Whether this process was forked after the library was loaded.
bool is_forked_child();

}  // namespace anabranch::mpi
