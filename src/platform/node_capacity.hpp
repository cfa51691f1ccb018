// What a node carries when its ranks send at the same time, from how long that took.
#pragma once

#include <cstdint>

namespace anabranch::platform {

// Messages from one node to another, or within one, all at once; and what one takes by itself.
struct MessagesAtOnce {
  std::int32_t count = 1;
  std::int64_t bytes = 0;      // of each
  double took_s = 0;           // from the word to begin to the news that all are there
  double of_bytes_s = 0;       // that much longer than messages of a byte each
  double time_per_byte_s = 0;  // of one by itself
};

// How many messages the ports of a node carry at full speed at once: at least one, and at most as
// many as there were. Rather too few, as what it takes to begin and to end counts.
double ports_a_node(const MessagesAtOnce& measured);

// Per byte of all messages within a node together, s; 0: no limit was seen besides that of each,
// as they took up to a third longer than one. Rather too little, as only what is more than messages
// of a byte take counts.
double memory_time_per_byte_s(const MessagesAtOnce& measured);

}  // namespace anabranch::platform
