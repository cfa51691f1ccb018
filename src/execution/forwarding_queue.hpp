// Blocks that a rank passes on as they come, to one peer after the other: first to the one that has
// most of the message, who was there first and leaves sooner so. Peers on the same node, which
// memory serves, and the others, which the port does, do not wait for each other.
//
// Where they are paced, some go by synchronous sends: else what an MPI has taken and not yet sent
// would stand in the port before the next control messages, up to a whole message of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace anabranch {

class ForwardingQueue {
 public:
  // Every second one is synchronous, and two may be under way: four blocks at most stand in the
  // port before the next control messages.
  static constexpr std::int32_t pace = 2;

  struct Message {
    std::uint32_t forwarding = 0;  // for `complete`
    std::int32_t peer = 0;
    std::int32_t block = 0;
    bool is_end = false;  // a message without blocks
    bool is_synchronous = false;
  };

  // Of a message in so many blocks; with as many sends under way at most.
  ForwardingQueue(std::int32_t blocks, std::int32_t max_sends)
      : blocks_(blocks), max_sends_(max_sends) {}

  // See Protocol::pass_to, stop_passing_to.
  void add(std::int32_t peer, std::int32_t first, std::int32_t peer_window, bool is_paced,
           bool is_near);
  std::int32_t stop(std::int32_t peer);

  bool any() const { return first_ < forwarding_.size(); }
  std::int32_t under_way_to(std::int32_t peer) const;

  // What may be sent now by a rank that has the blocks before `prefix`, if anything.
  std::optional<Message> next(std::int32_t prefix);
  void complete(std::uint32_t forwarding) { --forwarding_[forwarding].under_way; }
  void drop_those_through();

  void describe_state(std::vector<std::int32_t>& state) const;

 private:
  struct Forwarding {
    std::int32_t peer = -1;
    std::int32_t next = 0;
    std::int32_t under_way = 0;
    std::int32_t peer_window = 0;
    std::int32_t ends = 0;  // still to be sent
    bool stopped = false;
    bool is_paced = true;
    bool is_near = false;  // on the same node
  };

  // Nothing where none is under way.
  std::optional<std::size_t> most_advanced(bool is_near) const;
  std::optional<Message> next_of(std::size_t place, std::int32_t prefix);
  bool is_through(const Forwarding& forwarding) const;

  std::int32_t blocks_;
  std::int32_t max_sends_;
  std::vector<Forwarding> forwarding_;
  std::size_t first_ = 0;  // those before are through
};

}  // namespace anabranch
