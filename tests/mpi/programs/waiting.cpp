// One wait, on a clock of its own: waiting MODE YIELD_US POLL_US WAIT_US prints each sleep, as
// "sleep WAITED_US DURATION_US", and the numbers of polls and yields. MODE is a number of enum
// Wait. The functions of the system below stand in for the C library's.
#include "mpi/waiting.hpp"

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double time_us = 1e6;
double yield_us = 0;
int yields = 0;

}  // namespace

extern "C" {

int sched_yield() noexcept {
  ++yields;
  time_us += yield_us;
  return 0;
}

int clock_gettime(clockid_t, timespec* time) noexcept {
  time->tv_sec = static_cast<time_t>(time_us / 1e6);
  time->tv_nsec = static_cast<long>((time_us - static_cast<double>(time->tv_sec) * 1e6) * 1e3);
  return 0;
}

int clock_nanosleep(clockid_t, int, const timespec* time, timespec*) {
  const double duration_us = static_cast<double>(time->tv_nsec) / 1e3;
  std::printf("sleep %.3f %.3f\n", time_us - 1e6, duration_us);
  time_us += duration_us;
  return 0;
}
}

int main(int, char** arguments) {
  using namespace anabranch;
  const auto mode = static_cast<Wait>(std::atoi(arguments[1]));
  yield_us = std::atof(arguments[2]);
  const double poll_us = std::atof(arguments[3]);
  const double wait_us = std::atof(arguments[4]);
  mpi::Waiter waiter({mode, 0.01});
  waiter.begin();
  int polls = 0;
  int warnings = 0;
  for (; time_us - 1e6 < wait_us; ++polls) {
    time_us += poll_us;
    if (waiter.wait()) ++warnings;
  }
  std::printf("polls %d\nyields %d\nwarnings %d\n", polls, yields, warnings);
}
