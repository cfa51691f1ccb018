// Messages that share the links of a network of SimGrid (S4U). Each rank has actors that send them,
// as many as it has messages under way at once, and with each of these another that goes to the
// node of the receiver and takes the message there.
//
// One more actor runs the simulation, in model/, and asks here when messages are through.
#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <vector>

#include "model/flows.hpp"

namespace anabranch {

class SimgridFlows : public Flows {
 public:
  // The host and the group of each rank: relative to the root, as the simulation counts ranks.
  // copy_rate: at most that of one message within a host, B/s, which its memory would carry faster.
  // To be used by the actor that made it; its time begins at 0 then.
  SimgridFlows(std::vector<simgrid::s4u::Host*> host_of_rank,
               std::vector<std::int32_t> group_of_rank, double copy_rate);
  ~SimgridFlows() override;

  void start(Index message, std::int32_t src, std::int32_t dst, std::int64_t size_bytes) override;
  double advance(double until_s, std::vector<Index>& ended) override;

  // Of the messages between ranks of two nodes that have started, and of two groups.
  std::int64_t network_bytes() const { return network_bytes_; }
  std::int64_t global_bytes() const { return global_bytes_; }

 private:
  struct Sender {
    std::int32_t rank = 0;
    simgrid::s4u::Mailbox* mailbox = nullptr;
    simgrid::s4u::SemaphorePtr has_work = simgrid::s4u::Semaphore::create(0);
    simgrid::s4u::SemaphorePtr has_left = simgrid::s4u::Semaphore::create(0);
    bool is_over = false;
    // Of the message under way.
    Index message = 0;
    std::int32_t dst = 0;
    std::int64_t size_bytes = 0;
  };

  Sender& idle_sender(std::int32_t rank);
  void send(Sender& sender);
  void receive(Sender& sender);
  simgrid::s4u::Host* host_of(std::int32_t rank) const {
    return hosts_[static_cast<std::size_t>(rank)];
  }

  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<std::int32_t> groups_;  // by rank
  double copy_rate_;
  std::int64_t network_bytes_ = 0;
  std::int64_t global_bytes_ = 0;
  std::vector<std::unique_ptr<Sender>> senders_;
  std::vector<std::vector<Sender*>> idle_;  // by rank
  simgrid::s4u::SemaphorePtr has_ended_ = simgrid::s4u::Semaphore::create(0);
  std::vector<Index> ended_;
  double begin_s_ = simgrid::s4u::Engine::get_clock();
};

}  // namespace anabranch
