// One step of a measurement, and what comes of each kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anabranch::bench {

struct Step {
  enum class Kind : std::uint8_t {
    synchronise,
    operate,
    count_traffic,
    one_way,
    round_trip,
    finish
  };
  Kind kind = Kind::finish;
  std::int32_t algorithm = 0;  // index into the options
  std::int64_t size_bytes = 0;
  std::int64_t call = 0;  // its number, for the data
  int calls = 1;          // in a row
  // Of the default: the guard is on. The first such call of a size begins anew.
  enum class Learns : std::uint8_t { nothing, first, further };
  Learns learns = Learns::nothing;
  bool is_primed = false;   // an untimed call of the same kind goes before it
  bool is_delayed = false;  // each rank is told how much later than the start it arrives
  double lead_s = 0;
};

// What a rank saw of a call.
struct Seen {
  double arrival_s = 0;
  double exit_s = 0;
  double slack_s = 0;  // from hearing of the start to the start
  std::int64_t first_wrong = -1;
};

struct Operated {
  double start_s = 0;  // agreed, on rank 0's clock
  std::vector<Seen> seen;
  std::string ran;  // what served it
};

// Offsets to add to each rank's clock to get rank 0's, from the shortest of several round trips.
struct Offsets {
  double time_s = 0;  // when, on rank 0's clock
  std::vector<double> offset_s;
  std::vector<double> round_trip_s;
};

struct OneWay {
  double start_s = 0;     // on rank 0's clock
  double sent_s = 0;      // on rank 0's clock
  double received_s = 0;  // on the peer's clock
};

}  // namespace anabranch::bench
