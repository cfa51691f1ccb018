// How pipelined algorithms cut a message: the parameter `segment` and its default.
#pragma once

#include "algorithms/algorithm.hpp"

namespace anabranch {

// A pipeline of n blocks takes fill_rounds + rounds_per_block * n rounds, each of which moves at
// most one block over each port. Where ranks that fall out of step share ports, it takes
// drift_rounds more: only prices with a gap count them, and shorter segments make them cheap.
struct Pipeline {
  std::int64_t fill_rounds = 0;
  std::int64_t rounds_per_block = 1;
  std::int64_t drift_rounds = 0;
  // Of those to fill it and of the first block's, in how many the latency of a message passes: a
  // rank sends to one after another without waiting for it. 0: in all.
  std::int64_t latency_rounds = 0;

  // Of so many blocks.
  std::int64_t rounds(std::int64_t blocks) const { return fill_rounds + rounds_per_block * blocks; }
};

// Of the schedule: a rank alone needs none.
std::int32_t pipeline_rounds(std::int32_t ranks, Pipeline pipeline, std::int32_t blocks);

// Blocks of at most segment_bytes that hold the message: at least one, at most maximum_blocks.
std::int32_t segment_count(std::int64_t size_bytes, std::int64_t segment_bytes);

// The segment size that is fastest under the model, in whole frames: at least one. Segments above
// the eager limit are counted with their handshake; none where that was measured to be slow
// (evidence.json).
std::int64_t best_segment_bytes(const Problem& problem, Pipeline pipeline);

// The problem with how long handshakes take, a round trip where nobody measured it, and how long
// segments may be. In the range of the lab handshakes count for nothing: how much what is preferred
// there may cost was found so. Changes nothing the second time.
Problem with_handshakes(Problem problem);

// The most whole frames in so many bytes, but at least one, B.
std::int64_t whole_frames(std::int64_t size_bytes);

// Of a pipeline of so many equal blocks. Without a gap, rounds of a message each follow each other,
// in step. With one the latency of all blocks but the first passes while others travel.
double pipeline_time_s(const Problem& problem, Pipeline pipeline, std::int32_t blocks);

// Time of the given number of rounds, each moving one of `blocks` equal blocks.
double rounds_time_s(const Problem& problem, double rounds, std::int32_t blocks);

// How the messages of the rank that has most to do follow each other.
struct Turns {
  double messages = 0;
  double waits = 0;         // so many wait for another one to arrive, the first one among them
  bool is_exchange = true;  // the rank receives as many as it sends
};
// Time of such messages of so many bytes each.
double turns_time_s(const Network& network, Turns turns, double message_bytes);

constexpr Parameter segment_parameter(std::int64_t (*default_value)(const Problem&)) {
  return {
      .name = "segment",
      .summary = "bytes of a segment; a message of m bytes is cut into ceil(m / segment) blocks",
      .minimum = 1,
      .maximum = std::int64_t{1} << 40,
      .default_value = default_value};
}

// Algorithm::blocks of a pipelined algorithm whose first parameter is `segment`.
inline std::int32_t segmented_blocks(const Problem& problem, Values values) {
  return segment_count(problem.size_bytes, values[0]);
}
// Algorithm::blocks of an algorithm that does not cut the message.
inline std::int32_t one_block(const Problem&, Values) { return 1; }
// .. of one that cuts it in halves.
inline std::int32_t two_blocks(const Problem&, Values) { return 2; }

}  // namespace anabranch
