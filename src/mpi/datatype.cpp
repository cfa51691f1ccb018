#include "mpi/datatype.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::int64_t largest_count = INT_MAX;

// How a datatype was made: its combiner, and as much of the rest as it takes to get at the one
// datatype that a copy or a contiguous type is made of.
class Making {
 public:
  explicit Making(MPI_Datatype datatype) : datatype_(datatype) {
#if MPI_VERSION >= 4
    // The classic form is an error for types made with large counts.
    is_large_ = native.Type_get_envelope_c != nullptr && native.Type_get_contents_c != nullptr;
    if (is_large_) {
      known_ = native.Type_get_envelope_c(datatype, &integers_, &addresses_, &counts_, &datatypes_,
                                          &combiner_) == MPI_SUCCESS;
      return;
    }
#endif
    int integers = 0, addresses = 0, datatypes = 0;
    known_ = native.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner_) ==
             MPI_SUCCESS;
    integers_ = integers;
    addresses_ = addresses;
    datatypes_ = datatypes;
  }

  bool is_predefined() const {
    return known_ &&
           (combiner_ == MPI_COMBINER_NAMED || combiner_ == MPI_COMBINER_F90_REAL ||
            combiner_ == MPI_COMBINER_F90_COMPLEX || combiner_ == MPI_COMBINER_F90_INTEGER);
  }
  bool repeats_one_datatype() const {
    return known_ && (combiner_ == MPI_COMBINER_DUP || combiner_ == MPI_COMBINER_CONTIGUOUS);
  }

  // The caller frees it unless it is predefined.
  bool inner(MPI_Datatype& inner) const {
    std::vector<int> integers(room(integers_));
    std::vector<MPI_Aint> addresses(room(addresses_));
#if MPI_VERSION >= 4
    if (is_large_) {
      std::vector<MPI_Count> counts(room(counts_));
      return native.Type_get_contents_c(datatype_, integers_, addresses_, counts_, 1,
                                        integers.data(), addresses.data(), counts.data(),
                                        &inner) == MPI_SUCCESS;
    }
#endif
    return native.Type_get_contents(datatype_, static_cast<int>(integers_),
                                    static_cast<int>(addresses_), 1, integers.data(),
                                    addresses.data(), &inner) == MPI_SUCCESS;
  }

 private:
  static std::size_t room(MPI_Count count) {
    return static_cast<std::size_t>(std::max<MPI_Count>(count, 1));
  }

  MPI_Datatype datatype_;
  MPI_Count integers_ = 0;
  MPI_Count addresses_ = 0;
  MPI_Count counts_ = 0;
  MPI_Count datatypes_ = 0;
  int combiner_ = MPI_COMBINER_NAMED;
  bool known_ = false;
  bool is_large_ = false;
};

// Of a datatype that is not predefined: whether all that it is made of is one without gaps.
bool repeats_contiguous(const Making& making) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  if (!making.repeats_one_datatype() || !making.inner(inner)) return false;
  Element of_inner;
  const bool is_described = describe(inner, of_inner) == MPI_SUCCESS;
  if (is_described && !of_inner.is_predefined) native.Type_free(&inner);
  return is_described && of_inner.is_contiguous;
}

// What MPI_Pack cannot do: a single element that is too large for its int sizes, and (in MPICH
// before 4.1) types with absolute addresses.
bool is_for_pack(const char* address, std::int64_t size_bytes) {
  return address != nullptr && size_bytes <= largest_count;
}

// Does it by a message to oneself, which nobody else sends on a private communicator.
int copy_through_message(const void* from, int from_count, MPI_Datatype from_type, void* to,
                         int to_count, MPI_Datatype to_type, MPI_Comm channel) {
  int rank = 0;
  if (const int error = native.Comm_rank(channel, &rank)) return error;
  return native.Sendrecv(from, from_count, from_type, rank, 0, to, to_count, to_type, rank, 0,
                         channel, MPI_STATUS_IGNORE);
}

// Calls step(elements_address, element_count, bytes_offset, bytes) for iovecs that fit into ints.
template <typename Step>
int in_iovecs(const Iovec& iovec, const Element& element, Step step) {
  if (iovec.count == 0 || element.size_bytes == 0) return MPI_SUCCESS;
  const std::int64_t per_piece = std::max<std::int64_t>(1, largest_count / element.size_bytes);
  for (std::int64_t done = 0; done < iovec.count; done += per_piece) {
    const std::int64_t elements = std::min(per_piece, iovec.count - done);
    char* address = iovec.address + done * element.extent_bytes;
    const int error = step(address, static_cast<int>(elements), done * element.size_bytes,
                           elements * element.size_bytes);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

int describe(MPI_Datatype datatype, Element& element) {
  MPI_Aint lower = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_extent = 0;
  MPI_Count size = 0;
  int error = native.Type_get_extent(datatype, &lower, &extent);
  if (error == MPI_SUCCESS)
    error = native.Type_get_true_extent(datatype, &true_lower, &true_extent);
  if (error == MPI_SUCCESS) error = native.Type_size_x(datatype, &size);
  if (error != MPI_SUCCESS) return error;
  const Making making(datatype);
  element = {.datatype = datatype,
             .extent_bytes = extent,
             .lower_bytes = true_lower,
             .width_bytes = true_extent,
             .size_bytes = static_cast<std::int64_t>(size),
             .is_predefined = making.is_predefined()};
  element.is_contiguous = element.is_predefined
                              ? lower == 0 && size == static_cast<MPI_Count>(extent)
                              : repeats_contiguous(making);
  return MPI_SUCCESS;
}

bool is_committed(MPI_Datatype datatype, MPI_Comm channel) {
  char nothing = 0;
  int position = 0;
  return native.Pack(&nothing, 0, datatype, &nothing, 0, &position, channel) == MPI_SUCCESS;
}

int pack(const Iovec& from, const Element& element, char* to, MPI_Comm channel) {
  return in_iovecs(
      from, element, [&](char* address, int elements, std::int64_t offset, std::int64_t bytes) {
        if (!is_for_pack(address, bytes)) {
          const Message message(Iovec{to + offset, bytes});
          if (message.error() != MPI_SUCCESS) return message.error();
          return copy_through_message(address, elements, element.datatype, message.address(),
                                      message.count(), message.datatype(), channel);
        }
        int position = 0;
        return native.Pack(address, elements, element.datatype, to + offset,
                           static_cast<int>(bytes), &position, channel);
      });
}

int unpack(const char* from, const Iovec& to, const Element& element, MPI_Comm channel) {
  return in_iovecs(
      to, element, [&](char* address, int elements, std::int64_t offset, std::int64_t bytes) {
        if (!is_for_pack(address, bytes)) {
          const Message message(Iovec{const_cast<char*>(from) + offset, bytes});
          if (message.error() != MPI_SUCCESS) return message.error();
          return copy_through_message(message.address(), message.count(), message.datatype(),
                                      address, elements, element.datatype, channel);
        }
        int position = 0;
        return native.Unpack(from + offset, static_cast<int>(bytes), &position, address, elements,
                             element.datatype, channel);
      });
}

OneElement::OneElement(std::int64_t count, MPI_Datatype datatype) {
  constexpr std::int64_t row = 1 << 30;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  error_ = native.Type_get_extent(datatype, &lower, &extent);
  if (error_ == MPI_SUCCESS)
    error_ = native.Type_contiguous(static_cast<int>(row), datatype, &rows);
  if (error_ != MPI_SUCCESS) return;
  int counts[2] = {static_cast<int>(count / row), static_cast<int>(count % row)};
  MPI_Aint displacements[2] = {0, static_cast<MPI_Aint>(count / row * row) * extent};
  MPI_Datatype datatypes[2] = {rows, datatype};
  error_ = native.Type_create_struct(2, counts, displacements, datatypes, &datatype_);
  native.Type_free(&rows);
  if (error_ == MPI_SUCCESS) error_ = native.Type_commit(&datatype_);
}

OneElement::~OneElement() {
  if (datatype_ != MPI_DATATYPE_NULL) native.Type_free(&datatype_);
}

}  // namespace anabranch::mpi
