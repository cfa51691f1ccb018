// Messages that share the links of a network of SimGrid (S4U), with an actor for each rank that
// sends them, one between nodes and one within its node at a time. Another actor goes to the node
// of each message's receiver and takes it there.
//
// One more actor runs the simulation, in model/, and asks here when messages are through.
#pragma once

#include <simgrid/s4u.hpp>
#include <span>
#include <vector>

#include "model/fifo.hpp"
#include "model/flows.hpp"

namespace anabranch {

class SimgridFlows : public Flows {
 public:
  // host_of_rank: relative to the root, as the simulation counts ranks. To be used by the actor
  // that made it; its time begins at 0 then.
  explicit SimgridFlows(std::vector<simgrid::s4u::Host*> host_of_rank);
  ~SimgridFlows() override;

  void start(Index message, std::int32_t src, std::int32_t dst, std::int64_t size_bytes) override;
  double advance(double until_s, std::vector<Index>& ended) override;

 private:
  struct Job {
    Index message;
    std::int32_t dst;
    std::int64_t size_bytes;
  };
  // Two actors a rank, since messages to other nodes and within a node go beside each other.
  struct Sender {
    Fifo<Job> jobs;
    simgrid::s4u::SemaphorePtr has_jobs = simgrid::s4u::Semaphore::create(0);
    simgrid::s4u::SemaphorePtr has_left = simgrid::s4u::Semaphore::create(0);
    simgrid::s4u::Mailbox* mailbox = nullptr;
    std::int32_t dst = 0;  // of the message under way
    bool is_over = false;
  };

  Sender& sender(std::int32_t rank, bool is_within_node);
  void send(Sender& sender);
  void receive(Sender& sender);

  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<std::unique_ptr<Sender>> senders_;
  simgrid::s4u::SemaphorePtr has_ended_ = simgrid::s4u::Semaphore::create(0);
  std::vector<Index> ended_;
  double begin_s_ = simgrid::s4u::Engine::get_clock();
};

}  // namespace anabranch
