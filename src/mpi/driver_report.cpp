// What the watchdog prints when nothing moves.
#include <cstdio>

#include "mpi/driver.hpp"
#include "mpi/functions.hpp"

namespace anabranch::mpi {

std::string Driver::text_of(const Pending& pending) {
  const std::string peer = "rank " + std::to_string(pending.peer);
  const std::string round = " (round " + std::to_string(pending.round) + ")";
  switch (pending.kind) {
    case Action::Kind::hear:
      return " hears from " + peer;
    case Action::Kind::tell:
    case Action::Kind::end:
      return " tells " + peer;
    case Action::Kind::send:
      return " sends to " + peer + round;
    default:
      return " receives from " + peer + round;
  }
}

void Driver::report(const std::string& name) const {
  int rank = 0;
  native.Comm_rank(members_.channel, &rank);
  std::string text = "anabranch: watchdog: rank " + std::to_string(rank) + " of " +
                     std::to_string(members_.size) + " makes no progress in " + name + ", root " +
                     std::to_string(members_.root) + ":";
  for (const Pending& pending : pending_) {
    text += text_of(pending);
  }
  if (listening_.is_on) text += " hears from any rank";
  if (pending_.empty() && !listening_.is_on) text += " nothing is under way";
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace anabranch::mpi
