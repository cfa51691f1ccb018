// What each collective means: who holds which contribution of which block before and after it.
//
// Blocks per buffer, for p ranks and a message (for *: the part of one rank) cut into n blocks:
//
//   bcast                      output n: the root's before, everybody's after
//   scatter*                   input p n at the root       output n
//   gather*                    input n                     output p n at the root
//   allgather*                 input n                     output p n
//   reduce                     input n                     output n at the root
//   allreduce, scan, exscan    input n                     output n
//   reduce_scatter*            input p n                   output n
//   alltoall*                  input p n                   output p n
//
// In a buffer of p n blocks those of rank r begin at r n, r being relative to the root.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/collective.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

// What a block holds. A *piece* is a block of the whole problem under a number that all ranks
// share: only contributions to the same piece can be combined, and they have the same size. A
// contribution is made of what ranks first_rank .. last_rank (absolute) contribute to the piece,
// combined in this order; of one rank where data is only moved.
struct Contribution {
  std::int32_t piece = -1;
  std::int32_t first_rank = 0;
  std::int32_t last_rank = 0;

  friend bool operator==(const Contribution&, const Contribution&) = default;
};

// Which block sizes a rank knows beforehand.
enum class SizeKnowledge : std::uint8_t {
  everywhere,   // all
  own_buffers,  // those of the blocks in its own input and output, as in scatterv or gatherv
};

// All ranks here are absolute; block indices are those of the schedules.
class Semantics {
 public:
  // Throws std::invalid_argument where ranks < 1, blocks < 0, root is no rank, or a root other than
  // 0 is given for a collective that has none.
  Semantics(Collective collective, std::int32_t ranks, std::int32_t blocks, std::int32_t root = 0,
            SizeKnowledge sizes = SizeKnowledge::everywhere);

  Collective collective() const { return collective_; }
  std::int32_t ranks() const { return ranks_; }
  std::int32_t root() const { return root_; }

  // Blocks of the input or output buffer; 0 for scratch, of which an algorithm has what it wants.
  std::int32_t blocks_in(std::int32_t rank, Buffer buffer) const;

  // The piece for which a block of the input or output has room.
  std::int32_t piece_at(std::int32_t rank, Buffer buffer, std::int32_t block) const;
  std::int32_t pieces() const;

  // What the block holds at the start; nothing where it may hold anything.
  std::optional<Contribution> before(std::int32_t rank, Buffer buffer, std::int32_t block) const;
  // What the block must hold at the end; nothing where it may hold anything.
  std::optional<Contribution> after(std::int32_t rank, Buffer buffer, std::int32_t block) const;

  bool combines() const { return anabranch::combines(collective_); }

  SizeKnowledge sizes() const { return sizes_; }
  bool knows_size(std::int32_t rank, std::int32_t piece) const;

 private:
  bool is_root(std::int32_t rank) const { return rank == root_; }
  // The rank to which a block of a buffer of p n blocks belongs.
  std::int32_t owner(std::int32_t block) const;

  Collective collective_;
  std::int32_t ranks_;
  std::int32_t blocks_;
  std::int32_t root_;
  SizeKnowledge sizes_;
};

}  // namespace anabranch
