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

void report_no_progress(const Members& members, const std::string& name, const std::string& what) {
  int rank = 0;
  native.Comm_rank(members.channel, &rank);
  std::fprintf(stderr, "anabranch: watchdog: rank %d of %d makes no progress in %s, root %d:%s\n",
               rank, members.size, name.c_str(), members.root, what.c_str());
}

void Driver::report(const std::string& name) const {
  std::string what;
  for (const Pending& pending : pending_) what += text_of(pending);
  for (const Action& action : not_yet_received_) what += text_of(pending_of(action));
  if (listening_.is_on) what += " hears from any rank";
  report_no_progress(members_, name, what.empty() ? " nothing is under way" : what);
}

}  // namespace anabranch::mpi
