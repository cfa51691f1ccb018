// Messages as bytes in the order of their type signature, whatever the datatypes on each rank are.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/message.hpp"

namespace anabranch::mpi {

// Of a datatype of the user's. Size and extent alone do not tell whether it is contiguous (an
// indexed type may permute), so the type's making is read. An MPI error code.
int describe(MPI_Datatype datatype, Element& element);

// There is no function of MPI that tells, so one is made to check: it packs nothing. `channel` is a
// private communicator.
bool is_committed(MPI_Datatype datatype, MPI_Comm channel);

// Between elements of the user's and their bytes; `channel` is a private communicator. MPI error
// codes.
int pack(const Iovec& from, const Element& element, char* to, MPI_Comm channel);
int unpack(const char* from, const Iovec& to, const Element& element, MPI_Comm channel);

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
