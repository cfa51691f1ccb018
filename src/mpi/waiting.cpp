#include "mpi/waiting.hpp"

#include <sched.h>

#include <ctime>

namespace anabranch::mpi {
namespace {

// A yield with nobody else to run takes well below this.
constexpr double lonely_yield_s = 2e-6;
// Between two yields of a rank that was alone at the last one.
constexpr std::uint32_t polls_when_alone = 20;
constexpr long sleep_ns = 100'000;
// So often the watchdog looks at the clock.
constexpr std::uint32_t polls_per_look = 64;

}  // namespace

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void Waiter::begin() {
  polls_ = 0;
  since_s_ = 0;
}

bool Waiter::wait() {
  ++polls_;
  switch (waiting_.mode) {
    case Wait::spin:
      break;
    case Wait::yield:
      sched_yield();
      break;
    case Wait::sleep: {
      const timespec time{0, sleep_ns};
      clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
      break;
    }
    case Wait::automatic:
      yield();
      break;
  }
  return watchdog_due();
}

void Waiter::yield() {
  if (polls_to_yield_ > 0) {
    --polls_to_yield_;
    return;
  }
  const double before_s = now_s();
  sched_yield();
  if (now_s() - before_s < lonely_yield_s) polls_to_yield_ = polls_when_alone;
}

bool Waiter::watchdog_due() {
  if (waiting_.watchdog_s <= 0 || polls_ % polls_per_look != 0) return false;
  const double now = now_s();
  if (since_s_ == 0) since_s_ = now;
  if (now - since_s_ < waiting_.watchdog_s) return false;
  since_s_ = now;
  return true;
}

}  // namespace anabranch::mpi
