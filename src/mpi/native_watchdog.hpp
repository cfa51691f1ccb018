// The watchdog of calls that are left to the MPI: nothing of the library's polls in them, so a
// thread of its own looks how long they take.
#pragma once

#include <atomic>

#include "mpi/call.hpp"

namespace anabranch::mpi {

// Once the watchdog has been set.
extern constinit std::atomic<bool> watches_native_calls;

// Begins to watch, unless it is done already.
void watch_native_calls();

// While it lives, the MPI serves the call. The watchdog says so where it takes long.
class NativeCall {
 public:
  explicit NativeCall(const Call& call) : name_(call.name) {
    if (watches_native_calls.load(std::memory_order_relaxed)) [[unlikely]]
      begin();
  }
  ~NativeCall() {
    if (since_s_ > 0) [[unlikely]]
      end();
  }
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;

  // By the watchdog's thread: reports the calls for which it is time to.
  static void report_overdue(double watchdog_s);

 private:
  void begin();
  void end();

  const char* name_;
  double since_s_ = 0;   // 0: not watched
  double warned_s_ = 0;  // or begun
  NativeCall* previous_ = nullptr;
};

}  // namespace anabranch::mpi
