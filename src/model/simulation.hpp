// What a collective costs on a machine: its executions, run in simulated time.
//
// The same objects run on real MPI, so what is priced is what runs. A message starts as soon as the
// machine allows (machine.hpp); where several compete for a port, or for the memory of a node, the
// one of the earliest round goes first, then that of the lowest sender. Neither idles for the sake
// of a later message.
// Messages without bytes are skipped, as on real MPI; copying and combining cost nothing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "algorithms/group.hpp"
#include "execution/execution.hpp"
#include "model/machine.hpp"
#include "schedule/layout.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// What the ranks bring along. Ranks are relative to the root, as in schedules.
struct Circumstances {
  std::vector<double> arrival_s;  // empty: all at 0
  Window window;                  // of each execution
  bool trace = false;
  std::shared_ptr<const Places> places = nullptr;  // for algorithms that go by them
  std::int32_t calls = 1;  // in a row; exits and traffic are those after the last
};

struct Transfer {
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::int32_t round = 0;
  std::uint32_t operation = 0;  // in the sender's schedule: the send and its instance
  std::int32_t iteration = 0;
  std::int64_t size_bytes = 0;
  double start_s = 0;  // from when to when it holds ports or memory
  double end_s = 0;    // 0 with flows, which tell it later
};

struct Traffic {
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
};

struct Outcome {
  std::vector<double> exit_s;
  std::vector<Traffic> traffic;
  double completion_s = 0;          // last exit - last arrival
  double total_s = 0;               // sum over the ranks of exit - arrival
  std::vector<Transfer> transfers;  // by start; only with Circumstances::trace
};

// One execution per rank. Throws std::invalid_argument where the counts of ranks differ,
// std::runtime_error on deadlock.
Outcome simulate(std::span<Execution* const> executions, const Layouts& layouts,
                 const Machine& machine, const Circumstances& circumstances);

Outcome simulate(std::span<const Schedule* const> schedules, const Layouts& layouts,
                 const Machine& machine, const Circumstances& circumstances = {});

// What the choice does on the ranks of the problem. For everything but native; several calls in a
// row only of schedules.
Outcome simulate(const Choice& choice, const Problem& problem, const Machine& machine,
                 const Circumstances& circumstances = {});

}  // namespace anabranch
