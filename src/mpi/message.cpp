#include "mpi/message.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::int64_t largest_count = INT_MAX;

bool are_same(std::span<const Piece> a, std::span<const Piece> b) {
  return std::ranges::equal(a, b, [](const Piece& one, const Piece& other) {
    return one.address == other.address && one.count == other.count;
  });
}

}  // namespace

std::int64_t count_of(std::span<const Piece> pieces) {
  std::int64_t count = 0;
  for (const Piece& piece : pieces) count += piece.count;
  return count;
}

Message::Message(std::span<const Piece> pieces, const Element& element)
    : datatype_(element.datatype) {
  if (pieces.empty()) return;
  address_ = pieces.front().address;
  if (pieces.size() == 1 && pieces.front().count <= largest_count) {
    count_ = static_cast<int>(pieces.front().count);
  } else {
    derive(pieces, element);
  }
}

void Message::derive(std::span<const Piece> pieces, const Element& element) {
  constexpr std::int64_t longest = 1 << 30;
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  for (const Piece& piece : pieces) {
    for (std::int64_t done = 0; done < piece.count; done += longest) {
      lengths.push_back(static_cast<int>(std::min(longest, piece.count - done)));
      displacements.push_back(
          static_cast<MPI_Aint>(piece.address + done * element.extent_bytes - address_));
    }
  }
  error_ = native.Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                       displacements.data(), element.datatype, &datatype_);
  if (error_ != MPI_SUCCESS) return;
  owned_ = true;
  count_ = 1;
  error_ = native.Type_commit(&datatype_);
}

Message::~Message() {
  if (owned_) native.Type_free(&datatype_);
}

int copy_pieces(std::span<const Piece> from, std::span<const Piece> to, const Element& element,
                MPI_Comm channel, int tag) {
  if (are_same(from, to)) return MPI_SUCCESS;
  const Message source(from, element);
  const Message target(to, element);
  if (source.error() != MPI_SUCCESS) return source.error();
  if (target.error() != MPI_SUCCESS) return target.error();
  int rank = 0;
  if (const int error = native.Comm_rank(channel, &rank)) return error;
  return native.Sendrecv(source.address(), source.count(), source.datatype(), rank, tag,
                         target.address(), target.count(), target.datatype(), rank, tag, channel,
                         MPI_STATUS_IGNORE);
}

}  // namespace anabranch::mpi
