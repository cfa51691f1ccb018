// Large-count functions over an MPI that has the classic ones only. Programs find them in this
// library where they look for them (mpi4py does), so all of them must be there.
#pragma once

#include <mpi.h>

#include <climits>
#include <concepts>
#include <cstdint>
#include <new>
#include <tuple>
#include <vector>

#include "interpose/table.hpp"
#include "mpi/call.hpp"
#include "mpi/functions.hpp"

namespace anabranch::interpose {

// What all arguments of a call are converted with.
struct Narrowing {
  const mpi::Call& call;
  int parts = 0;  // counts in an array that this rank gives; 0 where it need not give one
  bool fits = true;
  // Arrays of an input that is in place may be anything, unless the output has the same.
  bool is_meaningless(const void* each) const {
    const auto has = [&](const mpi::BufferArgument& buffer) {
      return buffer.counts.is_array_at(each) || buffer.displacements.is_array_at(each);
    };
    return call.input.address == MPI_IN_PLACE && has(call.input) && !has(call.output);
  }
  int of(std::int64_t value) {
    fits = fits && value <= INT_MAX && value >= INT_MIN;
    return static_cast<int>(value);
  }
};

// An argument of the large-count form as one of the classic.
template <typename Argument>
class Classic {
 public:
  Classic(Argument argument, Narrowing&) : argument_(argument) {}
  Argument get() const { return argument_; }

 private:
  Argument argument_;
};

template <>
class Classic<MPI_Count> {
 public:
  Classic(MPI_Count count, Narrowing& narrowing) : count_(narrowing.of(count)) {}
  int get() const { return count_; }

 private:
  int count_;
};

template <std::integral Integer>
  requires(sizeof(Integer) > sizeof(int))
class Classic<const Integer*> {
 public:
  Classic(const Integer* each, Narrowing& narrowing) {
    if (each == nullptr || narrowing.is_meaningless(each)) return;
    for (int i = 0; i < narrowing.parts; ++i) each_.push_back(narrowing.of(each[i]));
  }
  const int* get() const { return each_.empty() ? nullptr : each_.data(); }

 private:
  std::vector<int> each_;
};

inline Narrowing narrowing_of(const mpi::Call& call) {
  if (call.comm == MPI_COMM_NULL) return {.call = call};
  const mpi::GroupOfCall group = mpi::group_of(call);
  const bool gives_all = !is_rooted(call.collective) || mpi::is_root(group, call);
  return {.call = call, .parts = gives_all ? group.size : 0};
}

template <typename... Arguments>
int call_classic(Address function, const mpi::Call& call, Arguments... arguments) {
  try {
    Narrowing narrowing = narrowing_of(call);
    const std::tuple<Classic<Arguments>...> classic{Classic<Arguments>(arguments, narrowing)...};
    if (narrowing.fits) {
      return std::apply(
          [&](const auto&... each) {
            return reinterpret_cast<int (*)(decltype(each.get())...)>(function)(each.get()...);
          },
          classic);
    }
  } catch (const std::bad_alloc&) {
    mpi::native.Comm_call_errhandler(call.comm, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
  mpi::native.Comm_call_errhandler(call.comm, MPI_ERR_COUNT);
  return MPI_ERR_COUNT;
}

}  // namespace anabranch::interpose
