#include "mpi/message.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::int64_t largest_count = INT_MAX;

bool are_same(std::span<const Iovec> a, std::span<const Iovec> b) {
  return std::ranges::equal(a, b, [](const Iovec& one, const Iovec& other) {
    return one.address == other.address && one.count == other.count;
  });
}

}  // namespace

std::int64_t count_of(std::span<const Iovec> iovecs) {
  std::int64_t count = 0;
  for (const Iovec& iovec : iovecs) count += iovec.count;
  return count;
}

Message::Message(std::span<const Iovec> iovecs, const Element& element)
    : datatype_(element.datatype) {
  if (iovecs.empty()) return;
  address_ = iovecs.front().address;
  if (iovecs.size() == 1 && iovecs.front().count <= largest_count) {
    count_ = static_cast<int>(iovecs.front().count);
  } else {
    derive(iovecs, element);
  }
}

void Message::derive(std::span<const Iovec> iovecs, const Element& element) {
  constexpr std::int64_t longest = 1 << 30;
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  for (const Iovec& iovec : iovecs) {
    for (std::int64_t done = 0; done < iovec.count; done += longest) {
      lengths.push_back(static_cast<int>(std::min(longest, iovec.count - done)));
      displacements.push_back(
          static_cast<MPI_Aint>(iovec.address + done * element.extent_bytes - address_));
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

int copy_iovecs(std::span<const Iovec> from, std::span<const Iovec> to, const Element& element,
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
