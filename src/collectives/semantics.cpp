#include "collectives/semantics.hpp"

#include <stdexcept>
#include <string>

#include "collectives/relative_rank.hpp"

namespace anabranch {

Semantics::Semantics(Collective collective, std::int32_t ranks, std::int32_t blocks,
                     std::int32_t root, SizeKnowledge sizes)
    : collective_(collective), ranks_(ranks), blocks_(blocks), root_(root), sizes_(sizes) {
  if (ranks < 1) throw std::invalid_argument("a collective needs at least 1 rank");
  if (blocks < 0) throw std::invalid_argument("a message cannot have fewer than 0 blocks");
  if (root < 0 || root >= ranks) {
    throw std::invalid_argument("root " + std::to_string(root) + " is not one of " +
                                std::to_string(ranks) + " ranks (0 to " +
                                std::to_string(ranks - 1) + ")");
  }
  if (root != 0 && !is_rooted(collective)) {
    throw std::invalid_argument(std::string(name_of(collective)) + " has no root");
  }
}

std::int32_t Semantics::blocks_in(std::int32_t rank, Buffer buffer) const {
  if (buffer == Buffer::scratch) return 0;
  const bool input = buffer == Buffer::input;
  const std::int32_t all = ranks_ * blocks_;
  switch (collective_) {
    case Collective::bcast:
      return input ? 0 : blocks_;
    case Collective::scatter:
      if (!input) return blocks_;
      return is_root(rank) ? all : 0;
    case Collective::gather:
      if (input) return blocks_;
      return is_root(rank) ? all : 0;
    case Collective::allgather:
      return input ? blocks_ : all;
    case Collective::reduce:
      return input || is_root(rank) ? blocks_ : 0;
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return blocks_;
    case Collective::reduce_scatter:
      return input ? all : blocks_;
    case Collective::alltoall:
      return all;
  }
  return 0;
}

std::int32_t Semantics::owner(std::int32_t block) const {
  return absolute_rank(block / blocks_, root_, ranks_);
}

std::int32_t Semantics::piece_at(std::int32_t rank, Buffer buffer, std::int32_t block) const {
  const bool input = buffer == Buffer::input;
  switch (collective_) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return block;
    case Collective::scatter:
    case Collective::reduce_scatter:
      return (input ? owner(block) : rank) * blocks_ + block % blocks_;
    case Collective::gather:
    case Collective::allgather:
      return (input ? rank : owner(block)) * blocks_ + block % blocks_;
    case Collective::alltoall: {
      const std::int32_t other = owner(block);
      const std::int32_t pair = input ? rank * ranks_ + other : other * ranks_ + rank;
      return pair * blocks_ + block % blocks_;
    }
  }
  return block;
}

std::int32_t Semantics::pieces() const {
  switch (collective_) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return blocks_;
    case Collective::scatter:
    case Collective::gather:
    case Collective::allgather:
    case Collective::reduce_scatter:
      return ranks_ * blocks_;
    case Collective::alltoall:
      return ranks_ * ranks_ * blocks_;
  }
  return 0;
}

std::optional<Contribution> Semantics::before(std::int32_t rank, Buffer buffer,
                                              std::int32_t block) const {
  const bool given = collective_ == Collective::bcast ? buffer == Buffer::output && is_root(rank)
                                                      : buffer == Buffer::input;
  if (!given) return std::nullopt;
  return Contribution{piece_at(rank, buffer, block), rank, rank};
}

std::optional<Contribution> Semantics::after(std::int32_t rank, Buffer buffer,
                                             std::int32_t block) const {
  if (buffer == Buffer::input) return before(rank, buffer, block);
  if (buffer == Buffer::scratch) return std::nullopt;
  const std::int32_t piece = piece_at(rank, buffer, block);
  switch (collective_) {
    case Collective::bcast:
    case Collective::scatter:
      return Contribution{piece, root_, root_};
    case Collective::gather:
    case Collective::allgather:
    case Collective::alltoall:
      return Contribution{piece, owner(block), owner(block)};
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
      return Contribution{piece, 0, ranks_ - 1};
    case Collective::scan:
      return Contribution{piece, 0, rank};
    case Collective::exscan:
      if (rank == 0) return std::nullopt;
      return Contribution{piece, 0, rank - 1};
  }
  return std::nullopt;
}

bool Semantics::knows_size(std::int32_t rank, std::int32_t piece) const {
  if (sizes_ == SizeKnowledge::everywhere) return true;
  switch (collective_) {
    case Collective::scatter:
    case Collective::gather:
      return is_root(rank) || piece / blocks_ == rank;
    case Collective::alltoall: {
      const std::int32_t pair = piece / blocks_;
      return pair / ranks_ == rank || pair % ranks_ == rank;
    }
    default:
      return true;  // every piece has a place in a buffer of every rank
  }
}

}  // namespace anabranch
