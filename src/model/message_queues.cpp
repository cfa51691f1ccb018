#include "model/message_queues.hpp"

#include <algorithm>

namespace anabranch {

MessageQueues::Index MessageQueues::channel_between(std::int32_t src, std::int32_t dst) {
  const auto key = static_cast<std::uint64_t>(src) << 32 | static_cast<std::uint32_t>(dst);
  const auto [place, is_new] = channel_at_.try_emplace(key, static_cast<Index>(channels_.size()));
  if (is_new) channels_.push_back({src, dst, resources_.route(src, dst), {}, {}, {}});
  return place->second;
}

void MessageQueues::send(std::int32_t src, std::int32_t dst, const SimulatedSend& send) {
  const Index channel = channel_between(src, dst);
  channels_[channel].sends.push(send);
  list(channel);
}

std::optional<MessageQueues::Receipt> MessageQueues::receive(std::int32_t src, std::int32_t dst,
                                                             Ticket ticket) {
  const Index index = channel_between(src, dst);
  Channel& channel = channels_[index];
  if (channel.unmatched.empty()) {
    channel.receives.push(ticket);
    list(index);
    return std::nullopt;
  }
  const Index waiting = channel.unmatched.pop();
  Message& message = messages_[waiting];
  message.is_matched = true;
  message.receive = ticket;
  if (!message.has_arrived) return std::nullopt;
  free_messages_.push_back(waiting);
  return receipt_of(message);
}

bool MessageQueues::can_start(const Channel& channel) const {
  return !channel.sends.empty() && !channel.is_busy &&
         (machine_.delivery == Delivery::buffered || !channel.receives.empty() ||
          channel.sends.front().size_bytes <= machine_.eager_bytes);
}

void MessageQueues::list(Index index) {
  Channel& channel = channels_[index];
  if (channel.is_listed || !can_start(channel)) return;
  channel.is_listed = true;
  newly_listed_.push_back(index);
  for (const auto resource : channel.route.all()) waiting_[resource].push_back(index);
}

void MessageQueues::unlist(Index index) {
  Channel& channel = channels_[index];
  channel.is_listed = false;
  for (const auto resource : channel.route.all()) {
    std::vector<Index>& list = waiting_[resource];
    *std::ranges::find(list, index) = list.back();
    list.pop_back();
  }
}

void MessageQueues::add_candidates(std::span<const Index> channels) {
  for (const Index index : channels) {
    const Channel& channel = channels_[index];
    if (!channel.is_listed || !resources_.are_free(channel.route)) continue;
    candidates_.push_back({channel.sends.front().round, channel.src, channel.dst, index});
  }
}

// All others waited before, and what they wait for is still occupied.
void MessageQueues::find_candidates() {
  candidates_.clear();
  add_candidates(newly_listed_);
  for (const auto resource : freed_) add_candidates(waiting_[resource]);
  std::ranges::sort(candidates_);
  const auto repeated = std::ranges::unique(candidates_);
  candidates_.erase(repeated.begin(), repeated.end());
}

std::span<const MessageQueues::Started> MessageQueues::start() {
  started_.clear();
  bool again = true;
  while (again) {
    find_candidates();
    again = false;
    for (const Candidate& candidate : candidates_) {
      if (!resources_.are_free(channels_[candidate.channel].route)) continue;
      started_.push_back(start_message(candidate.channel));
      again = machine_.ports > 1;  // else nothing more can go the same way
    }
  }
  newly_listed_.clear();
  freed_.clear();
  return started_;
}

MessageQueues::Started MessageQueues::start_message(Index index) {
  Channel& channel = channels_[index];
  const SimulatedSend send = channel.sends.pop();
  const Index name = take_message();
  const bool is_matched = !channel.receives.empty();
  const Ticket receive = is_matched ? channel.receives.pop() : 0;
  messages_[name] = {index, send, receive, is_matched, false};
  if (!is_matched) channel.unmatched.push(name);
  resources_.occupy(channel.route);
  channel.is_busy = machine_.flows != nullptr;
  if (!can_start(channel)) unlist(index);
  return {name, channel.src, channel.dst, send};
}

MessageQueues::Left MessageQueues::leave(Index name) {
  const Message& message = messages_[name];
  Channel& channel = channels_[message.channel];
  resources_.release(channel.route);
  const auto route = channel.route.all();
  freed_.insert(freed_.end(), route.begin(), route.end());
  channel.is_busy = false;
  list(message.channel);
  return {channel.src, channel.dst, message.send.ticket, message.send.completes_at_peer};
}

// Nothing: nobody has asked for it yet.
std::optional<MessageQueues::Receipt> MessageQueues::arrive(Index name) {
  Message& message = messages_[name];
  message.has_arrived = true;
  if (!message.is_matched) return std::nullopt;
  free_messages_.push_back(name);
  return receipt_of(message);
}

MessageQueues::Receipt MessageQueues::receipt_of(const Message& message) const {
  const Channel& channel = channels_[message.channel];
  const SimulatedSend& send = message.send;
  return {channel.src, channel.dst,           send.round, send.ticket, message.receive,
          send.is_end, send.completes_at_peer};
}

MessageQueues::Index MessageQueues::take_message() {
  if (free_messages_.empty()) {
    messages_.emplace_back();
    return static_cast<Index>(messages_.size() - 1);
  }
  const Index name = free_messages_.back();
  free_messages_.pop_back();
  return name;
}

}  // namespace anabranch
