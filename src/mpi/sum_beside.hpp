// Sums over all ranks of a communicator, formed while the ranks go on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/waiting.hpp"

namespace anabranch::mpi {

class SumBeside {
 public:
  SumBeside() = default;
  SumBeside(const SumBeside&) = delete;
  SumBeside& operator=(const SumBeside&) = delete;

  bool is_under_way() const { return request_ != MPI_REQUEST_NULL; }
  // Must stay where it is until it is not under way any more. Both return an MPI error code.
  int begin(std::span<const std::int64_t> own, MPI_Comm channel);
  int look();
  std::span<const std::int64_t> sums() const { return sums_; }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<std::int64_t> sums_;
};

using SumsBeside = std::vector<std::unique_ptr<SumBeside>>;

// Takes them in before their channel goes. Where a rank does not come within `patience_s`, the rest
// is left where it is; nothing: waits for ever. Calls `tell` as advance_while does. Returns an MPI
// error code.
int finish(SumsBeside sums, const Waiting& waiting, std::optional<double> patience_s,
           const std::function<void()>& tell);

}  // namespace anabranch::mpi
