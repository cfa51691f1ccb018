#include "mpi/waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <ctime>

namespace anabranch::mpi {
namespace {

// A yield with nobody else to run is one system call; another process in between takes two switches
// of context and what it does.
constexpr double lonely_yield_s = 2e-6;
// Between two yields of a rank that was alone at the last one.
constexpr std::uint32_t polls_when_alone = 20;
// What comes during a sleep is found late by half of it on average: by this share of the time that
// it took to come, not more.
constexpr double share_slept = 1.0 / 8;
// Below this a sleep costs the core more than it gives: the timer and two switches of context.
constexpr double shortest_sleep_s = 20e-6;
// After a long wait for one that is late, the message that comes then passes several ranks that
// have waited as long, and each adds half of its sleep.
constexpr double longest_sleep_s = 200e-6;
constexpr double fixed_sleep_s = 100e-6;
// So often the watchdog looks at the clock.
constexpr std::uint32_t polls_per_look = 64;

void sleep_for(double duration_s) {
  const timespec time{0, static_cast<long>(duration_s * 1e9)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void Waiter::begin() {
  if (since_s_ > 0) last_wait_s_ = now_s() - since_s_;
  polls_ = 0;
  core_is_wanted_ = false;
  since_s_ = 0;
  warned_s_ = 0;
}

bool Waiter::wait() {
  ++polls_;
  switch (waiting_.mode) {
    case Wait::spin:
      break;
    case Wait::yield:
      sched_yield();
      break;
    case Wait::sleep:
      sleep_for(fixed_sleep_s);
      break;
    case Wait::automatic:
      adapt();
      break;
  }
  return watchdog_due();
}

void Waiter::adapt() {
  if (polls_to_yield_ > 0) {
    --polls_to_yield_;
    return;
  }
  if (!core_is_wanted_) return yield();
  // A wait is likely to take as long as the one before.
  const double wait_s = std::max(now_s() - since_s_, last_wait_s_);
  const double sleep_s = std::min(share_slept * wait_s, longest_sleep_s);
  if (sleep_s < shortest_sleep_s) return yield();
  sleep_for(sleep_s);
}

void Waiter::yield() {
  const double before_s = now_s();
  if (since_s_ == 0) since_s_ = before_s;
  sched_yield();
  core_is_wanted_ = now_s() - before_s >= lonely_yield_s;
  if (!core_is_wanted_) polls_to_yield_ = polls_when_alone;
}

bool Waiter::watchdog_due() {
  if (waiting_.watchdog_s <= 0 || polls_ % polls_per_look != 0) return false;
  const double now = now_s();
  if (warned_s_ == 0) warned_s_ = now;
  if (now - warned_s_ < waiting_.watchdog_s) return false;
  warned_s_ = now;
  return true;
}

}  // namespace anabranch::mpi
