// The clock of one rank, and waiting for a time on it.
#pragma once

#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace anabranch::bench {

class Clock {
 public:
  Clock() { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }  // wake up on time

  // For tests: behave as another machine's clock.
  void skew(double shift_s, double drift) {
    shift_s_ = shift_s;
    drift_ = drift;
    skewed_from_s_ = monotonic_s();
  }

  double now_s() const {
    const double time_s = monotonic_s();
    return time_s + shift_s_ + drift_ * (time_s - skewed_from_s_);
  }

  // A timer alone is late by up to 0.1 ms, polling is not. But where ranks share a core, one that
  // polls (or yields, which gives up a whole slice) keeps others from starting on time.
  void wait_until(double time_s, bool cores_are_shared) const {
    const double polled_s = cores_are_shared ? 0 : 200e-6;
    const double sleep_s = time_s - now_s() - polled_s;
    if (sleep_s > 0) sleep_until_monotonic(monotonic_s() + sleep_s);
    while (now_s() < time_s) {
    }
  }

  static void sleep_for(double duration_s) { sleep_until_monotonic(monotonic_s() + duration_s); }

 private:
  static double monotonic_s() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  static void sleep_until_monotonic(double time_s) {
    const double whole_s = std::floor(time_s);
    const timespec time{static_cast<time_t>(whole_s), static_cast<long>((time_s - whole_s) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
    }
  }

  double shift_s_ = 0;
  double drift_ = 0;
  double skewed_from_s_ = 0;
};

}  // namespace anabranch::bench
