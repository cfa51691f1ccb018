// Messages that share links, so that how long one takes depends on what else is under way.
//
// A simulation with flows asks them when its messages are through, and knows by itself the rest:
// who may send, latencies and overhead. simgrid/ has them for whole networks.
#pragma once

#include <cstdint>
#include <vector>

namespace anabranch {

class Flows {
 public:
  using Index = std::uint32_t;  // of a message, until it has ended

  virtual ~Flows() = default;

  // The bytes of a message begin to leave the node of src, now.
  virtual void start(Index message, std::int32_t src, std::int32_t dst,
                     std::int64_t size_bytes) = 0;

  // Lets time pass until then (infinity: as long as it takes), or until some end before. Adds those
  // that have ended, and returns the time. Throws std::runtime_error where nothing will ever end.
  virtual double advance(double until_s, std::vector<Index>& ended) = 0;
};

}  // namespace anabranch
