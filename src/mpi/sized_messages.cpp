#include "mpi/sized_messages.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::int64_t bytes_of_size = sizeof(std::int64_t);

template <typename Visit>
void for_each_block(std::span<const BlockSet> parts, std::int32_t shift, Visit visit) {
  for (const BlockSet& part : parts) {
    for (std::int32_t i = 0; i < part.count; ++i) visit(part.buffer, part.at(i) + shift);
  }
}

std::int64_t blocks_in(std::span<const BlockSet> parts) {
  std::int64_t count = 0;
  for (const BlockSet& part : parts) count += part.count;
  return count;
}

bool is_found_on_the_way(const BlockMemory& memory, Buffer buffer) {
  return buffer == Buffer::scratch && memory.scratch_is_unsized();
}

}  // namespace

void add_sizes(BlockMemory& memory, std::span<const BlockSet> parts, std::int32_t shift,
               std::vector<Piece>& pieces) {
  const std::int64_t header_bytes = blocks_in(parts) * bytes_of_size;
  char* header = memory.temporary().take(header_bytes);
  pieces.insert(pieces.begin(), {header, header_bytes});
  for_each_block(parts, shift, [&](Buffer buffer, std::int32_t block) {
    const std::int64_t size = memory.units_in(buffer, block);
    std::memcpy(header, &size, sizeof(size));
    header += bytes_of_size;
  });
}

int receive_sized(BlockMemory& memory, MPI_Comm channel, std::int32_t peer, std::int32_t tag,
                  Piece& message, MPI_Request& request) {
  int is_there = 0;
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Count bytes = 0;
  request = MPI_REQUEST_NULL;
  int error = native.Improbe(peer, tag, channel, &is_there, &matched, &status);
  if (error != MPI_SUCCESS || !is_there) return error;
  error = native.Get_elements_x(&status, MPI_BYTE, &bytes);
  if (error != MPI_SUCCESS) return error;
  message = {memory.temporary().take(bytes), static_cast<std::int64_t>(bytes)};
  const Message whole(message);
  if (whole.error() != MPI_SUCCESS) return whole.error();
  return native.Imrecv(whole.address(), whole.count(), whole.datatype(), &matched, &request);
}

int place_sized(const Piece& message, std::span<const BlockSet> parts, std::int32_t shift,
                BlockMemory& memory, MPI_Comm channel, std::int32_t tag) {
  const std::int64_t header_bytes = blocks_in(parts) * bytes_of_size;
  if (message.count < header_bytes) return MPI_ERR_INTERN;
  const char* header = message.address;
  char* data = message.address + header_bytes;
  std::vector<Piece> from;
  std::vector<Piece> to;
  for_each_block(parts, shift, [&](Buffer buffer, std::int32_t block) {
    Piece piece{data, 0};
    std::memcpy(&piece.count, header, sizeof(piece.count));
    header += bytes_of_size;
    data += piece.count;
    if (is_found_on_the_way(memory, buffer)) {
      memory.place_scratch(block, piece);
      return;
    }
    if (piece.count > 0) from.push_back(piece);
    const BlockSet one[1] = {{block, 1, 1, buffer}};
    memory.add_pieces(one, 0, to);
  });
  if (data != message.address + message.count) return MPI_ERR_INTERN;
  if (count_of(from) != count_of(to)) return MPI_ERR_TRUNCATE;
  return from.empty() ? MPI_SUCCESS : copy_pieces(from, to, memory.unit(), channel, tag);
}

int copy_blocks(std::span<const BlockSet> sources, std::span<const BlockSet> parts,
                BlockMemory& memory, MPI_Comm channel, std::int32_t tag) {
  if (memory.scratch_is_unsized()) {
    std::vector<std::int64_t> sizes;
    for_each_block(sources, 0, [&](Buffer buffer, std::int32_t block) {
      sizes.push_back(memory.units_in(buffer, block));
    });
    std::size_t next = 0;
    for_each_block(parts, 0, [&](Buffer buffer, std::int32_t block) {
      const std::int64_t size = sizes[next++];
      if (!is_found_on_the_way(memory, buffer)) return;
      memory.place_scratch(block, {memory.temporary().take(size), size});
    });
  }
  std::vector<Piece> from;
  std::vector<Piece> to;
  memory.add_pieces(sources, 0, from);
  memory.add_pieces(parts, 0, to);
  if (count_of(from) != count_of(to)) return MPI_ERR_TRUNCATE;
  return from.empty() ? MPI_SUCCESS : copy_pieces(from, to, memory.unit(), channel, tag);
}

}  // namespace anabranch::mpi
