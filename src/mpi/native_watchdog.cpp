#include "mpi/native_watchdog.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>

#include "mpi/fork.hpp"
#include "mpi/functions.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"
#include "mpi/waiting.hpp"
#include "select/quantity.hpp"

namespace anabranch::mpi {

constinit std::atomic<bool> watches_native_calls{false};

namespace {

std::mutex mutex;
NativeCall* last_begun = nullptr;  // of all threads; each knows the one before it

std::string find_name() {
  if (!world_started()) return "process " + std::to_string(getpid());
  int rank = 0;
  int size = 0;
  native.Comm_rank(MPI_COMM_WORLD, &rank);
  native.Comm_size(MPI_COMM_WORLD, &size);
  return "rank " + std::to_string(rank) + " of " + std::to_string(size);
}

// Never destroyed: the thread lives as long as the process.
const std::string& own_name() {
  static const auto* name = new std::string(find_name());
  return *name;
}

void* look_again_and_again(void*) {
  constexpr double longest_sleep_s = 1;
  while (true) {
    const double watchdog_s = settings().watchdog_s;
    if (watchdog_s > 0) NativeCall::report_overdue(watchdog_s);
    const double sleep_s =
        watchdog_s > 0 ? std::min(watchdog_s / 8, longest_sleep_s) : longest_sleep_s;
    const auto whole_s = static_cast<time_t>(sleep_s);
    const timespec time{whole_s, static_cast<long>((sleep_s - static_cast<double>(whole_s)) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  }
}

// The signals of the program are for its own threads.
void start_thread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, look_again_and_again, nullptr) == 0) {
    pthread_detach(thread);
    watches_native_calls.store(true, std::memory_order_relaxed);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void watch_native_calls() {
  static std::once_flag once;
  std::call_once(once, start_thread);
}

void NativeCall::begin() {
  if (is_forked_child()) return;  // which has no such thread, and may have the lock for ever
  own_name();                     // asks the MPI, which the watchdog's thread must not
  const double now = now_s();
  const std::lock_guard lock(mutex);
  since_s_ = warned_s_ = now;
  previous_ = last_begun;
  last_begun = this;
}

void NativeCall::end() {
  if (is_forked_child()) return;
  const std::lock_guard lock(mutex);
  NativeCall** place = &last_begun;
  while (*place != this) place = &(*place)->previous_;
  *place = previous_;
}

void NativeCall::report_overdue(double watchdog_s) {
  const double now = now_s();
  const std::lock_guard lock(mutex);
  for (NativeCall* call = last_begun; call != nullptr; call = call->previous_) {
    if (now - call->warned_s_ < watchdog_s) continue;
    call->warned_s_ = now;
    std::fprintf(stderr,
                 "anabranch: watchdog: %s has been in %s, which is left to the MPI, for %s: some "
                 "other rank has not entered it, or its messages take long\n",
                 own_name().c_str(), call->name_, format_duration(now - call->since_s_).c_str());
  }
}

}  // namespace anabranch::mpi
