// Messages as bytes in the order of their type signature, whatever the datatypes on each rank are.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace anabranch::mpi {

// (buffer, count, datatype) as a caller gives them.
struct TypedBuffer {
  void* address = nullptr;
  std::int64_t count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

struct Shape {
  bool is_predefined = false;
  // Whether elements lie in memory just as in the signature: no gaps and no other order. Size and
  // extent alone do not tell (an indexed type may permute), so the type's making is read.
  bool is_contiguous = false;
};

Shape shape_of(MPI_Datatype datatype);

// There is no function of MPI that tells, so one is made to check: it packs nothing. `channel` is a
// private communicator.
bool is_committed(MPI_Datatype datatype, MPI_Comm channel);

// Between the user's buffer and its bytes; `channel` is a private communicator. MPI error codes.
int pack(const TypedBuffer& from, char* to, std::int64_t size_bytes, MPI_Comm channel);
int unpack(const char* from, const TypedBuffer& to, std::int64_t size_bytes, MPI_Comm channel);

// More elements than an int counts, as one element of a derived type: for functions of an MPI
// without the large-count form.
class OneElement {
 public:
  OneElement(std::int64_t count, MPI_Datatype datatype);
  ~OneElement();
  OneElement(const OneElement&) = delete;
  OneElement& operator=(const OneElement&) = delete;
  MPI_Datatype datatype() const { return datatype_; }
  int error() const { return error_; }

 private:
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  int error_ = MPI_SUCCESS;
};

}  // namespace anabranch::mpi
