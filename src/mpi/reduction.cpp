#include "mpi/reduction.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

// second = first op second.
int combine_into(char* first, char* second, std::int64_t count, const Element& element, MPI_Op op) {
  for (std::int64_t done = 0; done < count; done += INT_MAX) {
    const auto now = static_cast<int>(std::min<std::int64_t>(count - done, INT_MAX));
    const std::int64_t offset = done * element.extent_bytes;
    const int error =
        native.Reduce_local(first + offset, second + offset, now, element.datatype, op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

// Within memory of the library's, where no message to this rank is needed.
void copy_ours(const char* from, std::span<const Iovec> to, const Element& element) {
  for (const Iovec& iovec : to) {
    const std::int64_t size_bytes = (iovec.count - 1) * element.extent_bytes + element.width_bytes;
    std::memcpy(iovec.address + element.lower_bytes, from + element.lower_bytes,
                static_cast<std::size_t>(size_bytes));
    from += iovec.count * element.extent_bytes;
  }
}

}  // namespace

int combine(std::span<const Iovec> mine, char* theirs, OperandOrder order, const Element& element,
            MPI_Op op, bool are_ours, MPI_Comm channel, int tag) {
  const bool mine_first = order == OperandOrder::mine_first;
  char* their_piece = theirs;
  for (const Iovec& iovec : mine) {
    char* first = mine_first ? iovec.address : their_piece;
    char* second = mine_first ? their_piece : iovec.address;
    if (const int error = combine_into(first, second, iovec.count, element, op)) return error;
    their_piece += iovec.count * element.extent_bytes;
  }
  if (!mine_first) return MPI_SUCCESS;
  const bool lie_apart = element.width_bytes <= element.extent_bytes;
  if (are_ours && lie_apart) {
    copy_ours(theirs, mine, element);
    return MPI_SUCCESS;
  }
  const Iovec result{theirs, count_of(mine)};
  return copy_iovecs({&result, 1}, mine, element, channel, tag);
}

}  // namespace anabranch::mpi
