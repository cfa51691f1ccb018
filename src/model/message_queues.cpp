#include "model/message_queues.hpp"

#include <algorithm>

namespace anabranch {

MessageQueues::Index MessageQueues::channel_between(std::int32_t src, std::int32_t dst) {
  const auto key = static_cast<std::uint64_t>(src) << 32 | static_cast<std::uint32_t>(dst);
  const auto [place, is_new] = channel_at_.try_emplace(key, static_cast<Index>(channels_.size()));
  if (is_new) channels_.push_back({src, dst, {}, {}, {}});
  return place->second;
}

void MessageQueues::send(std::int32_t src, std::int32_t dst, const SimulatedSend& send) {
  const Index channel = channel_between(src, dst);
  channels_[channel].sends.push(send);
  list(channel);
}

MessageQueues::Receipt MessageQueues::receive(std::int32_t src, std::int32_t dst, Ticket ticket) {
  const Index index = channel_between(src, dst);
  Channel& channel = channels_[index];
  if (channel.unmatched.empty()) {
    channel.receives.push(ticket);
    list(index);
    return {};
  }
  const Index waiting = channel.unmatched.pop();
  Message& message = messages_[waiting];
  message.matched = true;
  message.receive = ticket;
  if (message.arrived) free_messages_.push_back(waiting);
  return {message.arrived, message.is_end};
}

bool MessageQueues::can_start(const Channel& channel) const {
  return !channel.sends.empty() &&
         (machine_.delivery == Delivery::buffered || !channel.receives.empty());
}

bool MessageQueues::ports_free(const Channel& channel) {
  return at(channel.src).sending < machine_.ports && at(channel.dst).receiving < machine_.ports;
}

void MessageQueues::list(Index index) {
  Channel& channel = channels_[index];
  if (channel.listed || !can_start(channel)) return;
  channel.listed = true;
  at(channel.src).outgoing.push_back(index);
  at(channel.dst).incoming.push_back(index);
}

void MessageQueues::unlist(Index index) {
  Channel& channel = channels_[index];
  channel.listed = false;
  const auto remove = [index](std::vector<Index>& list) {
    *std::ranges::find(list, index) = list.back();
    list.pop_back();
  };
  remove(at(channel.src).outgoing);
  remove(at(channel.dst).incoming);
}

void MessageQueues::add_candidates(std::span<const Index> channels) {
  for (const Index index : channels) {
    const Channel& channel = channels_[index];
    if (!ports_free(channel)) continue;
    candidates_.push_back({channel.sends.front().round, channel.src, channel.dst, index});
  }
}

std::span<const MessageQueues::Started> MessageQueues::start(std::span<const std::int32_t> ranks) {
  started_.clear();
  bool again = true;
  while (again) {
    candidates_.clear();
    for (const std::int32_t rank : ranks) {
      add_candidates(at(rank).outgoing);
      add_candidates(at(rank).incoming);
    }
    std::ranges::sort(candidates_);
    const auto repeated = std::ranges::unique(candidates_);
    candidates_.erase(repeated.begin(), repeated.end());
    again = false;
    for (const Candidate& candidate : candidates_) {
      if (!ports_free(channels_[candidate.channel])) continue;
      started_.push_back(start_message(candidate.channel));
      again = machine_.ports > 1;
    }
  }
  return started_;
}

MessageQueues::Started MessageQueues::start_message(Index index) {
  Channel& channel = channels_[index];
  const SimulatedSend send = channel.sends.pop();
  const Index name = take_message();
  const bool matched = !channel.receives.empty();
  const Ticket receive = matched ? channel.receives.pop() : 0;
  messages_[name] = {index, send.ticket, receive, matched, false, send.is_end};
  if (!matched) channel.unmatched.push(name);
  ++at(channel.src).sending;
  ++at(channel.dst).receiving;
  if (!can_start(channel)) unlist(index);
  return {name, channel.src, channel.dst, send};
}

MessageQueues::Ended MessageQueues::end(Index name) {
  Message& message = messages_[name];
  const Channel& channel = channels_[message.channel];
  --at(channel.src).sending;
  --at(channel.dst).receiving;
  message.arrived = true;
  if (message.matched) free_messages_.push_back(name);
  return {
      channel.src, channel.dst, message.send, message.receive, {message.matched, message.is_end}};
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
