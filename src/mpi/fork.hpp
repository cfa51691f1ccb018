// A child of fork has a copy of everything and is no rank: it must neither send nor write for its
// parent.
#pragma once

#include <atomic>

namespace anabranch::mpi {

// Whether this process was forked after the library was loaded.
extern constinit std::atomic<bool> forked;
inline bool is_forked_child() { return forked.load(std::memory_order_relaxed); }

}  // namespace anabranch::mpi
