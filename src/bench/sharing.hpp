// Ranks that share processors, as in an emulated cluster: how to disturb each other least.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace anabranch::bench {

inline int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Asks for slices of 0.1 ms (Linux 6.12 or newer; older ones ignore it). With the usual ones of
// 3 ms a rank that polls inside the MPI keeps its neighbours from running for that long, and a rank
// that yields gives up that much.
inline void ask_for_short_slices() {
  struct {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime_ns;
    std::uint64_t deadline_ns;
    std::uint64_t period_ns;
  } attributes{};
  attributes.size = sizeof(attributes);
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  attributes.runtime_ns = 100'000;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace anabranch::bench
