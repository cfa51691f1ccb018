#include "mpi/fork.hpp"

#include <pthread.h>

#include <atomic>

namespace anabranch::mpi {
constinit std::atomic<bool> forked{false};

namespace {

// Noted by the child itself: asking for the process id at each call would be a system call.
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });

}  // namespace

}  // namespace anabranch::mpi
