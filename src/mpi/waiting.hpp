// What a rank does while no message is there: poll, give the processor away, or sleep.
//
// Alone on its core a rank should poll. With more ranks than cores (on one node, or on an emulated
// cluster, where the MPI cannot know) each poll takes the processor from the rank that has the
// data. Which it is shows when the processor is given away: a yield that takes long ran somebody
// else. But a rank that yields wants the core back at once: where many wait, those that have work
// stand in line with all that have none. So a rank that finds its core wanted sleeps, the longer
// the longer it has waited already, or did the last time.
#pragma once

#include <cstdint>

#include "select/settings.hpp"

namespace anabranch::mpi {

// Of a clock that only goes on, s.
double now_s();

struct Waiting {
  Wait mode = Wait::automatic;
  double watchdog_s = 0;  // 0: off
};

class Waiter {
 public:
  explicit Waiter(const Waiting& waiting) : waiting_(waiting) {}

  // Something came: a new wait begins.
  void begin();

  // Between two polls that found nothing. True when the watchdog's time has passed, once each time.
  bool wait();

 private:
  bool watchdog_due();
  void adapt();
  void yield();

  Waiting waiting_;
  std::uint32_t polls_ = 0;
  std::uint32_t polls_to_yield_ = 0;
  bool core_is_wanted_ = false;  // by others, as a yield of this wait has shown
  double since_s_ = 0;           // of this wait, from the first look at the clock on; 0: none yet
  double last_wait_s_ = 0;       // how long the wait before took
  double warned_s_ = 0;          // since then the watchdog has nothing to say; 0: as for since_s_
};

}  // namespace anabranch::mpi
