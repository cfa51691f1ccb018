#include "mpi/bcast.hpp"

#include <bit>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "mpi/driver.hpp"
#include "mpi/functions.hpp"
#include "mpi/recording.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"
#include "select/quantity.hpp"

namespace anabranch::mpi {
namespace {

// Bytes of the signature, or -1 where the MPI should look at the arguments itself.
std::int64_t signature_bytes(const BcastCall& call) {
  if (call.count < 0 || call.datatype == MPI_DATATYPE_NULL || call.comm == MPI_COMM_NULL) return -1;
  MPI_Count size = 0;
  if (native.Type_size_x(call.datatype, &size) != MPI_SUCCESS || size < 0) return -1;
  return static_cast<std::int64_t>(size) * call.count;
}

Problem problem_of(const Communicator& communicator, std::int64_t size_bytes) {
  return {communicator.size, size_bytes, communicator.network, communicator.single_node,
          communicator.planned.trees()};
}

const Decision& decide_once(Communicator& communicator, const Settings& settings,
                            std::int64_t size_bytes) {
  constexpr std::size_t most_remembered = 1024;
  const std::uint64_t generation = settings_generation();
  if (communicator.settings_generation != generation) {
    communicator.decisions.clear();
    communicator.explained.clear();
    communicator.settings_generation = generation;
  }
  if (communicator.decisions.size() >= most_remembered) communicator.decisions.clear();
  const auto [entry, is_new] = communicator.decisions.try_emplace(size_bytes);
  if (is_new) {
    entry->second = decide(Collective::bcast, problem_of(communicator, size_bytes), settings);
  }
  return entry->second;
}

// Once for each size class (a power of two) of a communicator, by its first rank.
void explain(Communicator& communicator, std::int64_t size_bytes, const Decision& decision) {
  if (communicator.rank != 0) return;
  const auto size_class = std::bit_width(static_cast<std::uint64_t>(size_bytes));
  if (!communicator.explained.insert(size_class).second) return;
  std::fprintf(stderr, "anabranch: bcast of %lld B on %d ranks: %s\n",
               static_cast<long long>(size_bytes), communicator.size, describe(decision).c_str());
}

// Of a call that ends in the MPI before anything is known of the network.
void explain_native(const BcastCall& call, std::int64_t size_bytes, const Settings& settings) {
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return;
  explain(*communicator, size_bytes, decide_once(*communicator, settings, size_bytes));
}

// The message as bytes in signature order: the user's memory itself, or a packed copy of it.
class SignatureBytes {
 public:
  SignatureBytes(const BcastCall& call, bool is_contiguous, std::int64_t size_bytes,
                 MPI_Comm channel)
      : user_{call.buffer, call.count, call.datatype}, size_bytes_(size_bytes), channel_(channel) {
    if (is_contiguous) {
      address_ = static_cast<char*>(call.buffer);
    } else {
      packed_.reset(new char[static_cast<std::size_t>(size_bytes)]);
      address_ = packed_.get();
    }
  }
  char* address() const { return address_; }
  int fetch() const { return packed_ ? pack(user_, address_, size_bytes_, channel_) : MPI_SUCCESS; }
  int store() const {
    return packed_ ? unpack(address_, user_, size_bytes_, channel_) : MPI_SUCCESS;
  }

 private:
  TypedBuffer user_;
  std::int64_t size_bytes_;
  MPI_Comm channel_;
  std::unique_ptr<char[]> packed_;
  char* address_ = nullptr;
};

// By the root, where a rank is later than a message takes; then where one is twice as late.
void explain_lateness(Communicator& communicator, const Lateness& lateness,
                      const Decision& decision) {
  const double message_s = decision.predicted_s.value_or(0);
  if (lateness.rank < 0 || lateness.arrival_s < message_s ||
      lateness.arrival_s < 2 * communicator.explained_lateness_s) {
    return;
  }
  communicator.explained_lateness_s = lateness.arrival_s;
  std::fprintf(stderr,
               "anabranch: %s: rank %d came last, %s after the root %d, which was in it for %s\n",
               std::string(decision.choice.algorithm->id).c_str(), lateness.rank,
               format_duration(lateness.arrival_s).c_str(), communicator.rank,
               format_duration(lateness.end_s).c_str());
}

int run(const BcastCall& call, bool is_contiguous, std::int64_t size_bytes,
        Communicator& communicator, const Decision& decision, const Settings& settings) {
  const SignatureBytes bytes(call, is_contiguous, size_bytes, communicator.channel);
  const bool is_root = communicator.rank == call.root;
  if (is_root) {
    if (const int error = bytes.fetch()) return error;
  }
  const Problem problem = problem_of(communicator, size_bytes);
  Lateness lateness;
  std::optional<Recording> recording;
  if (!settings.trace.empty()) {
    recording.emplace(settings.trace,
                      Recording::Operation{communicator.number, communicator.operations,
                                           decision.choice.algorithm->id, size_bytes,
                                           communicator.size, communicator.rank, call.root});
  }
  ++communicator.operations;
  std::shared_ptr<const Schedule> schedule;
  Window window = settings.window;
  if (decision.choice.algorithm->form == Algorithm::Form::plan) {
    schedule = communicator.planned.schedule(call.root, communicator.rank, decision.blocks);
    window = communicator.planned.window(window);
  }
  const BroadcastPlan plan{decision.choice,
                           problem,
                           decision.blocks,
                           communicator.tags.next(),
                           window,
                           {settings.wait, settings.watchdog_s},
                           communicator.mail,
                           settings.explain ? &lateness : nullptr,
                           recording ? &*recording : nullptr,
                           std::move(schedule)};
  const int error =
      broadcast_bytes(bytes.address(), {communicator.channel, communicator.size, call.root},
                      communicator.rank, plan);
  if (settings.explain && is_root) explain_lateness(communicator, lateness, decision);
  if (error != MPI_SUCCESS || is_root) return error;
  return bytes.store();
}

// Whether this process may decide: its settings are read and agreed on.
bool is_ready(const BcastCall& call) {
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
Communicator* open_communicator(const BcastCall& call, int& error) {
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter || communicator->size == 1 ||
      call.root < 0 || call.root >= communicator->size) {
    return nullptr;
  }
  if (communicator->state == Communicator::Channel::not_tried) {
    error = open_channel(call.comm, *communicator);
  }
  return communicator->state == Communicator::Channel::open ? communicator : nullptr;
}

// What the MPI would refuse.
bool is_wrong(const BcastCall& call, const Shape& shape, MPI_Comm channel) {
  if (call.buffer == MPI_IN_PLACE) return true;
  if (call.buffer == nullptr && (shape.is_predefined || shape.is_contiguous)) return true;
  return !shape.is_predefined && !is_committed(call.datatype, channel);
}

Served serve(const BcastCall& call, int& error) {
  last_choice.algorithm = nullptr;
  const std::int64_t size_bytes = signature_bytes(call);
  if (size_bytes <= 0 || !is_ready(call)) return Served::by_the_mpi;
  const Settings& active = settings();
  if (stays_native(Collective::bcast, size_bytes, active)) {
    if (active.explain) explain_native(call, size_bytes, active);
    return Served::by_the_mpi;
  }
  Communicator* communicator = open_communicator(call, error);
  if (communicator == nullptr) {
    return error == MPI_SUCCESS ? Served::by_the_mpi : Served::here;
  }
  const Decision& decision = decide_once(*communicator, active, size_bytes);
  if (active.explain) explain(*communicator, size_bytes, decision);
  if (decision.choice.algorithm->form == Algorithm::Form::native) return Served::by_the_mpi;
  const Shape shape = shape_of(call.datatype);
  if (is_wrong(call, shape, communicator->channel)) return Served::by_the_mpi;
  error = run(call, shape.is_contiguous, size_bytes, *communicator, decision, active);
  if (error == MPI_SUCCESS) last_choice.set(decision.choice);
  return Served::here;
}

}  // namespace

Served bcast(const BcastCall& call, int& error) noexcept {
  Served served = Served::here;
  try {
    served = serve(call, error);
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (...) {
    error = MPI_ERR_INTERN;
  }
  if (error != MPI_SUCCESS) native.Comm_call_errhandler(call.comm, error);
  return served;
}

}  // namespace anabranch::mpi
