// Pieces of memory as one message of the MPI's.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace anabranch::mpi {

// What messages are counted in: bytes where data is only moved, the user's datatype where it is
// combined. One lies `extent_bytes` behind the other; the first begins `lower_bytes` behind the
// address and has `width_bytes`, which may be less or more than the extent.
struct Element {
  MPI_Datatype datatype = MPI_BYTE;
  std::int64_t extent_bytes = 1;
  std::int64_t lower_bytes = 0;
  std::int64_t width_bytes = 1;
  std::int64_t size_bytes = 1;  // of its signature
  bool is_predefined = true;
  // Whether elements lie in memory just as in the signature: no gaps and no other order.
  bool is_contiguous = true;
};

// Neighbouring units in memory.
struct Iovec {
  char* address = nullptr;
  std::int64_t count = 0;
};

std::int64_t count_of(std::span<const Iovec> iovecs);

// (address, count, datatype) for functions of the MPI. More than one iovec, or more than 2^31
// units, need a derived datatype, which lives as long as this object.
class Message {
 public:
  explicit Message(std::span<const Iovec> iovecs, const Element& element = {});
  explicit Message(Iovec iovec, const Element& element = {})
      : Message(std::span<const Iovec>(&iovec, 1), element) {}
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  char* address() const { return address_; }
  int count() const { return count_; }
  MPI_Datatype datatype() const { return datatype_; }
  int error() const { return error_; }

 private:
  void derive(std::span<const Iovec> iovecs, const Element& element);

  char* address_ = nullptr;
  int count_ = 0;
  MPI_Datatype datatype_ = MPI_BYTE;
  bool owned_ = false;
  int error_ = MPI_SUCCESS;
};

// Copies iovecs onto as many units of others, by a message to this rank, so that memory of a device
// is not touched from the host. `channel` is private. An MPI error code.
int copy_iovecs(std::span<const Iovec> from, std::span<const Iovec> to, const Element& element,
                MPI_Comm channel, int tag);

}  // namespace anabranch::mpi
