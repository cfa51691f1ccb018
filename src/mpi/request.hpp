// One collective under way on this rank. It owns all that it needs (arguments, decision, buffers,
// execution, messages), so it may outlive the call that began it: a blocking call is begun, and
// advanced until it is done.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mpi/buffers.hpp"
#include "mpi/communicator.hpp"
#include "mpi/driver.hpp"
#include "mpi/state.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

class Request {
 public:
  // The size of the problem is 0 where only the root knows it; then the decision is led. `balance`
  // learns whether all ranks came together; null: nobody asks. `order`: that of the ranks, where
  // the algorithm is for sorted ranks and somebody knows it.
  Request(std::shared_ptr<Communicator> communicator, const Call& call,
          std::shared_ptr<const Decided> decided, std::shared_ptr<const SettingsInForce> in_force,
          std::shared_ptr<Balance> balance = nullptr,
          std::shared_ptr<const RankOrder> order = nullptr);
  // Must be done, or have never begun.
  ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // Takes the communicator's next tag, and starts what can start, unless the MPI would refuse the
  // arguments: then it is done, without an error, and false. The caller works on the record.
  bool begin();
  // Takes in what has come, without waiting. True if something moved; false also where another
  // thread works on the communicator's record.
  bool advance();
  bool done() const { return phase_ == Phase::done; }
  int error() const { return error_; }  // an MPI error code, once it is done
  const Decision& decision() const { return decided_->decision; }
  Waiting waiting() const { return {settings().wait, settings().watchdog_s}; }

  // One line on stderr: that this rank makes no progress, and what it waits for.
  void report_no_progress() const;

 private:
  enum class Phase : std::uint8_t {
    made,
    awaits_size,  // the first message tells the size that only the root knew
    running,
    done,
  };

  const Settings& settings() const { return in_force_->settings; }

  int begin_or_fail();
  int run();
  int advance_or_fail(bool& moved);
  int await_size(bool& moved);
  int learn_size();
  int finish();
  void note_balance();
  void end(int error);

  std::shared_ptr<Communicator> communicator_;
  std::shared_ptr<const SettingsInForce> in_force_;
  std::shared_ptr<const Decided> decided_;
  std::shared_ptr<Balance> balance_;
  RankView view_;
  std::int32_t tag_ = -1;  // none yet
  Elements elements_;
  int error_ = MPI_SUCCESS;  // what describing the arguments gave, until it begins
  Buffers buffers_;
  AnnouncedSize announced_;
  Found first_;  // while it awaits the size
  std::unique_ptr<Execution> execution_;
  std::optional<Recording> recording_;
  std::optional<Driver> driver_;
  std::atomic<Phase> phase_{Phase::made};
};

}  // namespace anabranch::mpi
