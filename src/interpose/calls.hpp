// The calls of each function, from its arguments: one entry per function, for its classic form
// (Count is int) and its large-count form (Count is MPI_Count).
#pragma once

#include <mpi.h>

#include <type_traits>

#include "mpi/call.hpp"

namespace anabranch::interpose {

template <typename Count>
struct Calls {
  using Call = mpi::Call;
  using Type = MPI_Datatype;
  using Counts = const Count*;
  using Places = std::conditional_t<std::is_same_v<Count, int>, const int*, const MPI_Aint*>;
  using In = const void*;
  using Out = void*;

  static constexpr int no_root = 0;

  // What is read is not written to, though the form of calls is one.
  static void* of(In buffer) { return const_cast<void*>(buffer); }

  static Call Bcast(Out buffer, Count count, Type type, int root, MPI_Comm comm) {
    return moving("bcast", Collective::bcast, {}, {buffer, count, type}, root, comm);
  }

  static Call Scatter(In in, Count in_count, Type in_type, Out out, Count out_count, Type out_type,
                      int root, MPI_Comm comm) {
    return moving("scatter", Collective::scatter, {of(in), in_count, in_type},
                  {out, out_count, out_type}, root, comm);
  }

  static Call Scatterv(In in, Counts in_counts, Places in_places, Type in_type, Out out,
                       Count out_count, Type out_type, int root, MPI_Comm comm) {
    Call call = moving("scatterv", Collective::scatter, {of(in), in_counts, in_type, in_places},
                       {out, out_count, out_type}, root, comm);
    call.sizes = SizeKnowledge::own_buffers;
    return call;
  }

  static Call Gather(In in, Count in_count, Type in_type, Out out, Count out_count, Type out_type,
                     int root, MPI_Comm comm) {
    return moving("gather", Collective::gather, {of(in), in_count, in_type},
                  {out, out_count, out_type}, root, comm);
  }

  static Call Gatherv(In in, Count in_count, Type in_type, Out out, Counts out_counts,
                      Places out_places, Type out_type, int root, MPI_Comm comm) {
    Call call = moving("gatherv", Collective::gather, {of(in), in_count, in_type},
                       {out, out_counts, out_type, out_places}, root, comm);
    call.sizes = SizeKnowledge::own_buffers;
    return call;
  }

  static Call Allgather(In in, Count in_count, Type in_type, Out out, Count out_count,
                        Type out_type, MPI_Comm comm) {
    return moving("allgather", Collective::allgather, {of(in), in_count, in_type},
                  {out, out_count, out_type}, no_root, comm);
  }

  static Call Allgatherv(In in, Count in_count, Type in_type, Out out, Counts out_counts,
                         Places out_places, Type out_type, MPI_Comm comm) {
    return moving("allgatherv", Collective::allgather, {of(in), in_count, in_type},
                  {out, out_counts, out_type, out_places}, no_root, comm);
  }

  static Call Alltoall(In in, Count in_count, Type in_type, Out out, Count out_count, Type out_type,
                       MPI_Comm comm) {
    return moving("alltoall", Collective::alltoall, {of(in), in_count, in_type},
                  {out, out_count, out_type}, no_root, comm);
  }

  static Call Alltoallv(In in, Counts in_counts, Places in_places, Type in_type, Out out,
                        Counts out_counts, Places out_places, Type out_type, MPI_Comm comm) {
    Call call = moving("alltoallv", Collective::alltoall, {of(in), in_counts, in_type, in_places},
                       {out, out_counts, out_type, out_places}, no_root, comm);
    call.sizes = SizeKnowledge::own_buffers;
    return call;
  }

  static Call Reduce(In in, Out out, Count count, Type type, MPI_Op op, int root, MPI_Comm comm) {
    Call call = combining("reduce", Collective::reduce, in, out, count, type, op, comm);
    call.root = root;
    return call;
  }

  static Call Allreduce(In in, Out out, Count count, Type type, MPI_Op op, MPI_Comm comm) {
    return combining("allreduce", Collective::allreduce, in, out, count, type, op, comm);
  }

  static Call Scan(In in, Out out, Count count, Type type, MPI_Op op, MPI_Comm comm) {
    return combining("scan", Collective::scan, in, out, count, type, op, comm);
  }

  static Call Exscan(In in, Out out, Count count, Type type, MPI_Op op, MPI_Comm comm) {
    return combining("exscan", Collective::exscan, in, out, count, type, op, comm);
  }

  static Call Reduce_scatter(In in, Out out, Counts counts, Type type, MPI_Op op, MPI_Comm comm) {
    return combining("reduce_scatter", Collective::reduce_scatter, in, out, counts, type, op, comm);
  }

  static Call Reduce_scatter_block(In in, Out out, Count count, Type type, MPI_Op op,
                                   MPI_Comm comm) {
    return combining("reduce_scatter_block", Collective::reduce_scatter, in, out, count, type, op,
                     comm);
  }

 private:
  static Call moving(const char* name, Collective collective, const mpi::BufferArgument& input,
                     const mpi::BufferArgument& output, int root, MPI_Comm comm) {
    return {.name = name,
            .collective = collective,
            .input = input,
            .output = output,
            .root = root,
            .comm = comm};
  }

  static Call combining(const char* name, Collective collective, In in, Out out,
                        mpi::Numbers counts, Type type, MPI_Op op, MPI_Comm comm) {
    return {.name = name,
            .collective = collective,
            .input = {of(in), counts, type},
            .output = {out, counts, type},
            .op = op,
            .comm = comm};
  }
};

}  // namespace anabranch::interpose
