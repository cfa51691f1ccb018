#include "mpi/serve.hpp"

#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "mpi/buffers.hpp"
#include "mpi/checks.hpp"
#include "mpi/communicator.hpp"
#include "mpi/deciding.hpp"
#include "mpi/functions.hpp"
#include "mpi/led.hpp"
#include "mpi/operation.hpp"
#include "mpi/recording.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

// Whether the call is native whatever the network is, on the communicator that it is called on.
bool is_native_everywhere(const Call& call, const Measure& measure, const Settings& settings) {
  const bool is_short = measure.size_bytes <= native_up_to_bytes(call.collective);
  if (is_short && !settings.explain) return true;
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return true;
  const Problem problem = problem_of(call, measure, *communicator);
  const Decision& decision = decide_once(call.collective, problem, *communicator, settings);
  const bool is_settled = decision.is_native && !decision.needs_network;
  if (is_settled && settings.explain) explain(call, problem, *communicator, decision);
  return is_settled;
}

// A call that is not left to the MPI, so far.
struct Service {
  Role role;
  Problem problem;
  Communicator& communicator;
  const Settings& settings;
  std::int32_t tag = 0;
  const Lead* lead = nullptr;  // where the root tells the size

  Waiting waiting() const { return {settings.wait, settings.watchdog_s}; }
};

CollectiveOperation operation_of(const Service& service, const Decision& decision) {
  const auto& [call, members, rank] = service.role;
  Communicator& communicator = service.communicator;
  CollectiveOperation operation{.choice = decision.choice,
                                .problem = service.problem,
                                .blocks = decision.blocks,
                                .tag = service.tag,
                                .window = service.settings.window,
                                .waiting = service.waiting(),
                                .mail = communicator.mail,
                                .combining = call.operation,
                                .places = communicator.places,
                                .lead = service.lead};
  return operation;
}

int run(const Service& service, Buffers& buffers, const Decision& decision) {
  const auto& [role, problem, communicator, settings, tag, lead] = service;
  if (const int error = buffers.fetch(decision.blocks)) return error;
  CollectiveOperation operation = operation_of(service, decision);
  operation.scratch_sizes = buffers.scratch_sizes();
  Lateness lateness;
  if (settings.explain) operation.lateness = &lateness;
  std::optional<Recording> recording;
  if (!settings.trace.empty()) {
    recording.emplace(settings.trace,
                      Recording::Operation{communicator.number, communicator.operations,
                                           decision.choice.algorithm->id, problem.size_bytes,
                                           communicator.size, communicator.rank, role.members.root,
                                           lead != nullptr ? lead->begin_s : 0});
    operation.recording = &*recording;
  }
  ++communicator.operations;
  const int error = run_operation(operation, buffers.memory(), role.members, role.rank);
  if (settings.explain && role.is_root()) explain_lateness(communicator, lateness, decision);
  return error != MPI_SUCCESS ? error : buffers.store();
}

// Whether this process may decide: its settings are read and agreed on.
bool is_ready(const Call& call) {
  if (world_started()) return true;
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return false;
  if (!communicator->settings_compared) {
    start_on(call.comm);
    communicator->settings_compared = true;
  }
  return true;
}

// The call's communicator if all its ranks may be served, null if the call is the MPI's to serve.
// Sets `error` when opening its channel failed.
Communicator* open_communicator(const Call& call, int& error) {
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter || communicator->size == 1) return nullptr;
  if (call.root < 0 || call.root >= communicator->size) return nullptr;
  if (communicator->state == Communicator::Channel::not_tried) {
    error = open_channel(call.comm, *communicator);
  }
  return communicator->state == Communicator::Channel::open ? communicator : nullptr;
}

// The sizes that all ranks know, where the call may be served at all.
std::optional<Measure> measure_if_served(const Call& call) {
  if (call.comm == MPI_COMM_NULL) return std::nullopt;
  Measure measured;
  if (has_parts(call.collective)) {
    const Communicator* communicator = record_of(call.comm);
    if (communicator == nullptr || communicator->is_inter) return std::nullopt;
    measured = measure(call, communicator->rank, communicator->size);
  } else {
    measured = measure(call, 0, 1);
  }
  const bool is_nothing = measured.size_bytes == 0 && call.sizes == SizeKnowledge::everywhere;
  if (measured.size_bytes < 0 || is_nothing) return std::nullopt;
  return measured;
}

// The root decides, and its messages tell the others what about. A rank whose arguments are wrong
// takes a tag like the others, who may not know of it, and gets the MPI's error. What it is sent
// then lies in the MPI, and whom it should pass it on to waits, as for any rank that does not call.
Served serve_led(Service service, int& error) {
  const Role& role = service.role;
  service.tag = service.communicator.tags.next();
  const Shapes shapes = shapes_of(role);
  if (is_wrong(role, shapes)) return Served::by_the_mpi;
  Buffers buffers(role, shapes);
  Lead lead;
  if (role.is_root()) {
    lead.total_bytes = measure_own(role.call, role.rank, role.members.size).size_bytes;
  } else {
    error = take_lead(buffers.memory(), role.members, service.tag, service.waiting(),
                      role.call.name, lead);
    if (error != MPI_SUCCESS) return Served::here;
  }
  service.lead = &lead;
  service.problem.size_bytes = lead.total_bytes;
  const Decision& decision =
      decide_once(role.call.collective, service.problem, service.communicator, service.settings);
  if (service.settings.explain) explain(role.call, service.problem, service.communicator, decision);
  error = run(service, buffers, decision);
  if (error == MPI_SUCCESS) last_choice.set(decision.choice);
  return Served::here;
}

Served serve_or_throw(const Call& call, int& error) {
  last_choice.algorithm = nullptr;
  // The first test, before anything is asked of the MPI.
  const bool is_never_served =
      native_up_to_bytes(call.collective) == std::numeric_limits<std::int64_t>::max();
  if (world_started() && is_never_served && !settings().explain) return Served::by_the_mpi;
  const std::optional<Measure> measured = measure_if_served(call);
  if (!measured || !is_ready(call)) return Served::by_the_mpi;
  const Settings& active = settings();
  if (is_native_everywhere(call, *measured, active)) return Served::by_the_mpi;
  Communicator* communicator = open_communicator(call, error);
  if (communicator == nullptr) {
    return error == MPI_SUCCESS ? Served::by_the_mpi : Served::here;
  }
  Service service{
      {call, {communicator->channel, communicator->size, call.root}, communicator->rank},
      problem_of(call, *measured, *communicator),
      *communicator,
      active};
  const Decision& decision = decide_once(call.collective, service.problem, *communicator, active);
  if (decision.is_led) return serve_led(service, error);
  if (active.explain) explain(call, service.problem, *communicator, decision);
  if (decision.is_native) return Served::by_the_mpi;
  const Shapes shapes = shapes_of(service.role);
  if (is_wrong(service.role, shapes)) return Served::by_the_mpi;
  service.tag = communicator->tags.next();
  Buffers buffers(service.role, shapes);
  error = run(service, buffers, decision);
  if (error == MPI_SUCCESS) last_choice.set(decision.choice);
  return Served::here;
}

}  // namespace

Served serve(const Call& call, int& error) noexcept {
  Served served = Served::here;
  try {
    served = serve_or_throw(call, error);
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (...) {
    error = MPI_ERR_INTERN;
  }
  if (error != MPI_SUCCESS) native.Comm_call_errhandler(call.comm, error);
  return served;
}

}  // namespace anabranch::mpi
