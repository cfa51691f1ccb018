#include "mpi/sized_messages.hpp"

#include "execution/header.hpp"
#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

template <typename Visit>
void for_each_block(std::span<const BlockSet> block_sets, std::int32_t shift, Visit visit) {
  for (const BlockSet& set : block_sets) {
    for (std::int32_t i = 0; i < set.count; ++i) visit(set.buffer, set.at(i) + shift);
  }
}

bool is_found_on_the_way(const BlockMemory& memory, Buffer buffer) {
  return buffer == Buffer::scratch && memory.scratch_is_unsized();
}

// Blocks of these sizes, one behind the other: those of scratch memory lie here from now on, others
// are to be copied from and to what is added.
void pair_blocks(char* data, std::span<const std::int64_t> sizes,
                 std::span<const BlockSet> block_sets, std::int32_t shift, BlockMemory& memory,
                 std::vector<Iovec>& from, std::vector<Iovec>& to) {
  std::size_t next = 0;
  for_each_block(block_sets, shift, [&](Buffer buffer, std::int32_t block) {
    const Iovec iovec{data, sizes[next++]};
    data += iovec.count;
    if (is_found_on_the_way(memory, buffer)) {
      memory.place_scratch(block, iovec);
      return;
    }
    if (iovec.count > 0) from.push_back(iovec);
    const BlockSet one[1] = {{block, 1, 1, buffer}};
    memory.add_iovecs(one, 0, to);
  });
}

}  // namespace

void add_header(BlockMemory& memory, const HeaderContent& content,
                std::span<const BlockSet> block_sets, std::int32_t shift,
                std::vector<Iovec>& iovecs) {
  Header header{content.total_bytes, {}};
  if (content.has_sizes) {
    for_each_block(block_sets, shift, [&](Buffer buffer, std::int32_t block) {
      header.sizes.push_back(memory.units_in(buffer, block));
    });
  }
  char* address = memory.temporary().take(header.bytes());
  header.write(address);
  iovecs.insert(iovecs.begin(), {address, header.bytes()});
}

int receive_sized(BlockMemory& memory, MPI_Comm channel, std::int32_t peer, std::int32_t tag,
                  Found& found) {
  int is_there = 0;
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Count bytes = 0;
  found.request = MPI_REQUEST_NULL;
  int error = native.Improbe(peer, tag, channel, &is_there, &matched, &status);
  if (error != MPI_SUCCESS || !is_there) return error;
  error = native.Get_elements_x(&status, MPI_BYTE, &bytes);
  if (error != MPI_SUCCESS) return error;
  found.peer = status.MPI_SOURCE;
  found.message = {memory.temporary().take(bytes), static_cast<std::int64_t>(bytes)};
  const Message whole(found.message);
  if (whole.error() != MPI_SUCCESS) return whole.error();
  return native.Imrecv(whole.address(), whole.count(), whole.datatype(), &matched, &found.request);
}

int place_sized(const Iovec& message, const HeaderContent& content,
                std::span<const BlockSet> block_sets, std::int32_t shift, BlockMemory& memory,
                MPI_Comm channel, std::int32_t tag) {
  const auto header =
      read_header({message.address, static_cast<std::size_t>(message.count)},
                  content.total_bytes.has_value(), content.has_sizes ? blocks_in(block_sets) : 0);
  if (!header || header->total_bytes != content.total_bytes) return MPI_ERR_INTERN;
  const Iovec data{message.address + header->bytes(), message.count - header->bytes()};
  std::vector<Iovec> from;
  std::vector<Iovec> to;
  if (content.has_sizes) {
    pair_blocks(data.address, header->sizes, block_sets, shift, memory, from, to);
  } else {
    if (data.count > 0) from.push_back(data);
    memory.add_iovecs(block_sets, shift, to);
  }
  if (count_of(from) != count_of(to)) return MPI_ERR_TRUNCATE;
  return from.empty() ? MPI_SUCCESS : copy_iovecs(from, to, memory.element(), channel, tag);
}

int copy_blocks(std::span<const BlockSet> sources, std::span<const BlockSet> block_sets,
                BlockMemory& memory, MPI_Comm channel, std::int32_t tag) {
  if (memory.scratch_is_unsized()) {
    std::vector<std::int64_t> sizes;
    for_each_block(sources, 0, [&](Buffer buffer, std::int32_t block) {
      sizes.push_back(memory.units_in(buffer, block));
    });
    std::size_t next = 0;
    for_each_block(block_sets, 0, [&](Buffer buffer, std::int32_t block) {
      const std::int64_t size = sizes[next++];
      if (!is_found_on_the_way(memory, buffer)) return;
      memory.place_scratch(block, {memory.temporary().take(size), size});
    });
  }
  std::vector<Iovec> from;
  std::vector<Iovec> to;
  memory.add_iovecs(sources, 0, from);
  memory.add_iovecs(block_sets, 0, to);
  if (count_of(from) != count_of(to)) return MPI_ERR_TRUNCATE;
  return from.empty() ? MPI_SUCCESS : copy_iovecs(from, to, memory.element(), channel, tag);
}

}  // namespace anabranch::mpi
