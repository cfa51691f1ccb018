#include "interpose/entries.hpp"

#include <mpi.h>

#include <climits>

#include "mpi/bcast.hpp"
#include "mpi/datatype.hpp"
#include "mpi/functions.hpp"
#include "mpi/start.hpp"

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

// ---- start of MPI

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

// ---- MPI_Bcast

template <const Table& beneath>
int bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  int error = MPI_SUCCESS;
  if (mpi::bcast({buffer, count, datatype, root, comm}, error) == mpi::Served::here) return error;
  return as<decltype(MPI_Bcast)>(beneath.Bcast)(buffer, count, datatype, root, comm);
}

// Of an MPI that has the classic form only.
int native_bcast_large(Address classic, const mpi::BcastCall& call) {
  const auto below = as<decltype(MPI_Bcast)>(classic);
  if (call.count <= INT_MAX) {
    return below(call.buffer, static_cast<int>(call.count), call.datatype, call.root, call.comm);
  }
  const mpi::OneElement all(call.count, call.datatype);
  if (all.error() == MPI_SUCCESS) {
    return below(call.buffer, 1, all.datatype(), call.root, call.comm);
  }
  mpi::native.Comm_call_errhandler(call.comm, all.error());
  return all.error();
}

template <const Table& beneath>
int bcast_large(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  int error = MPI_SUCCESS;
  const mpi::BcastCall call{buffer, count, datatype, root, comm};
  if (mpi::bcast(call, error) == mpi::Served::here) return error;
  if (beneath.Bcast_c == nullptr) return native_bcast_large(beneath.Bcast, call);
  using Large = int(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
  return as<Large>(beneath.Bcast_c)(buffer, count, datatype, root, comm);
}

template <typename Function>
void put(Address& slot, Function* function) {
  slot = reinterpret_cast<Address>(function);
}

template <const Table& beneath>
void offer_under_one_name(Table& offered) {
  put(offered.Init, init<beneath>);
  put(offered.Init_thread, init_thread<beneath>);
  put(offered.Bcast, bcast<beneath>);
  put(offered.Bcast_c, bcast_large<beneath>);
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
