#include "interpose/entries.hpp"

#include <mpi.h>

#include <algorithm>
#include <climits>

#include "interpose/calls.hpp"
#include "interpose/classic.hpp"
#include "mpi/datatype.hpp"
#include "mpi/functions.hpp"
#include "mpi/guard.hpp"
#include "mpi/native_watchdog.hpp"
#include "mpi/serve.hpp"
#include "mpi/start.hpp"
#include "mpi/summary.hpp"

namespace anabranch::interpose {
namespace {

Table next;            // of MPI_ functions
Table next_profiling;  // of PMPI_ functions

template <typename Function>
Function* as(Address address) {
  return reinterpret_cast<Function*>(address);
}

// Each function exists once for its MPI_ name and once for its PMPI_ name: `beneath` is what the
// calls under that name go on to.

// ---- start and end of MPI

template <const Table& beneath>
int init(int* argc, char*** argv) {
  const int error = as<decltype(MPI_Init)>(beneath.Init)(argc, argv);
  if (error == MPI_SUCCESS) mpi::start_world();
  return error;
}

template <const Table& beneath>
int init_thread(int* argc, char*** argv, int required, int* provided) {
  const auto below = as<decltype(MPI_Init_thread)>(beneath.Init_thread);
  const int error = below(argc, argv, required, provided);
  if (error == MPI_SUCCESS) mpi::start_world();
  return error;
}

template <const Table& beneath>
int abort(MPI_Comm comm, int error_code) {
  mpi::note_abort();
  return as<decltype(MPI_Abort)>(beneath.Abort)(comm, error_code);
}

// ---- collectives

// While it lives, the MPI serves the call.
class LeftToTheMpi {
 public:
  explicit LeftToTheMpi(const mpi::Call& call) : watched_(call), before_(call_under_way) {
    call_under_way = &call;
  }
  ~LeftToTheMpi() { call_under_way = before_; }
  LeftToTheMpi(const LeftToTheMpi&) = delete;
  LeftToTheMpi& operator=(const LeftToTheMpi&) = delete;

  int returned(int error) {
    timed_.end(error);
    return error;
  }
  // Whether a tool beneath hands the same call of this thread on, by the function's other name.
  static bool is_same(const mpi::Call& call) {
    return call_under_way != nullptr && call_under_way->name == call.name &&
           call_under_way->comm == call.comm;
  }

 private:
  static constinit thread_local const mpi::Call* call_under_way;
  mpi::NativeCall watched_;
  mpi::NativeTurn timed_;
  const mpi::Call* before_;
};
constinit thread_local const mpi::Call* LeftToTheMpi::call_under_way = nullptr;

// Serves the calls that `make` describes; others go to a slot of the table. `is_classic`: the slot
// of the classic form, for calls of the large-count form.
template <const Table& beneath, Address Table::* slot, bool is_classic, typename... Arguments>
struct Entry {
  template <mpi::Call (*make)(Arguments...)>
  static int serve(Arguments... arguments) {
    const mpi::Call call = make(arguments...);
    if (&beneath == &next_profiling && LeftToTheMpi::is_same(call)) [[unlikely]] {
      return go_on(call, arguments...);
    }
    return mpi::counted(call, [&] {
      int error = MPI_SUCCESS;
      if (mpi::serve(call, error) == mpi::Served::here) return error;
      LeftToTheMpi under_way(call);
      return under_way.returned(go_on(call, arguments...));
    });
  }
  static int go_on(const mpi::Call& call, Arguments... arguments) {
    if constexpr (is_classic) {
      return call_classic(beneath.*slot, call, arguments...);
    } else {
      return as<int(Arguments...)>(beneath.*slot)(arguments...);
    }
  }
};

template <const Table& beneath, Address Table::* slot, auto make, bool is_classic = false,
          typename... Arguments>
Address entry_of(mpi::Call (*)(Arguments...)) {
  return reinterpret_cast<Address>(
      &Entry<beneath, slot, is_classic, Arguments...>::template serve<make>);
}

// Of the functions that the MPI has; the large-count ones also over the classic.
template <const Table& beneath, Address Table::* classic, Address Table::* large, auto make,
          auto make_large>
void put_collective(Table& offered) {
  if (beneath.*classic == nullptr) return;
  offered.*classic = entry_of<beneath, classic, make>(make);
  offered.*large = beneath.*large != nullptr
                       ? entry_of<beneath, large, make_large>(make_large)
                       : entry_of<beneath, classic, make_large, true>(make_large);
}

// ---- MPI_Bcast_c of an MPI that has the classic form only

template <const Table& beneath>
int bcast_as_classic(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                     MPI_Comm comm) {
  const auto below = as<decltype(MPI_Bcast)>(beneath.Bcast);
  if (count <= INT_MAX) {
    // Less than 0 is refused, and stays so.
    const auto narrow = static_cast<int>(std::max<MPI_Count>(count, -1));
    return below(buffer, narrow, datatype, root, comm);
  }
  const mpi::OneElement all(count, datatype);
  if (all.error() == MPI_SUCCESS) return below(buffer, 1, all.datatype(), root, comm);
  mpi::native.Comm_call_errhandler(comm, all.error());
  return all.error();
}

template <const Table& beneath>
int bcast_large(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const mpi::Call call = Calls<MPI_Count>::Bcast(buffer, count, datatype, root, comm);
  return mpi::counted(call, [&] {
    int error = MPI_SUCCESS;
    if (mpi::serve(call, error) == mpi::Served::here) return error;
    LeftToTheMpi under_way(call);
    return under_way.returned(bcast_as_classic<beneath>(buffer, count, datatype, root, comm));
  });
}

template <typename Function>
void put(Address& slot, Function* function) {
  slot = reinterpret_cast<Address>(function);
}

template <const Table& beneath>
void offer_under_one_name(Table& offered) {
  put(offered.Init, init<beneath>);
  put(offered.Init_thread, init_thread<beneath>);
  put(offered.Abort, abort<beneath>);
#define ANABRANCH_COLLECTIVE(name, arguments)                                \
  put_collective<beneath, &Table::name, &Table::name##_c, &Calls<int>::name, \
                 &Calls<MPI_Count>::name>(offered);
#include "interpose/functions.inc"
#undef ANABRANCH_COLLECTIVE
  if (beneath.Bcast_c == nullptr) put(offered.Bcast_c, bcast_large<beneath>);
}

}  // namespace

const char* offer(const Beneath& beneath, Functions& offered) {
  if (const char* missing = mpi::load_functions(beneath.mpi_handle)) return missing;
  next = beneath.next.mpi;
  next_profiling = beneath.next.pmpi;
  offer_under_one_name<next>(offered.mpi);
  offer_under_one_name<next_profiling>(offered.pmpi);
  return nullptr;
}

}  // namespace anabranch::interpose
