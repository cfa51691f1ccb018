#include "verify/violation.hpp"

namespace anabranch::verify {

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::malformed:
      return "malformed";
    case Fault::peer:
      return "peer";
    case Fault::block_range:
      return "block_range";
    case Fault::round_range:
      return "round_range";
    case Fault::never_received:
      return "never_received";
    case Fault::never_sent:
      return "never_sent";
    case Fault::rounds_differ:
      return "rounds_differ";
    case Fault::mismatch:
      return "mismatch";
    case Fault::not_held:
      return "not_held";
    case Fault::combined_twice:
      return "combined_twice";
    case Fault::overwritten:
      return "overwritten";
    case Fault::unordered:
      return "unordered";
    case Fault::size_unknown:
      return "size_unknown";
    case Fault::result:
      return "result";
    case Fault::deadlock:
      return "deadlock";
    case Fault::wrong_call:
      return "wrong_call";
    case Fault::disagreement:
      return "disagreement";
    case Fault::one_port:
      return "one_port";
    case Fault::redundant:
      return "redundant";
  }
  return "unknown";
}

}  // namespace anabranch::verify
