#include "mpi/led.hpp"

#include "execution/header.hpp"
#include "mpi/functions.hpp"
#include "mpi/sized_messages.hpp"

namespace anabranch::mpi {
namespace {

// Calls poll(is_there), which gives an MPI error code, until something is there.
template <typename Poll>
int wait_for(const Members& members, const Waiting& waiting, const std::string& name, Poll poll) {
  Waiter waiter(waiting);
  waiter.begin();
  while (true) {
    bool is_there = false;
    const int error = poll(is_there);
    if (error != MPI_SUCCESS || is_there) return error;
    if (waiter.wait()) report_no_progress(members, name, " receives from any rank");
  }
}

int test(MPI_Request& request, bool& is_complete) {
  int completed = 0;
  int index = 0;
  MPI_Status status;
  const int error = native.Testsome(1, &request, &completed, &index, &status);
  is_complete = completed != 0;
  return error == MPI_ERR_IN_STATUS ? status.MPI_ERROR : error;
}

}  // namespace

int take_lead(BlockMemory& memory, const Members& members, std::int32_t tag, const Waiting& waiting,
              const std::string& name, Lead& lead) {
  lead.begin_s = wall_s();
  Found found;
  int error = wait_for(members, waiting, name, [&](bool& is_there) {
    const int of_one = receive_sized(memory, members.channel, MPI_ANY_SOURCE, tag, found);
    is_there = found.request != MPI_REQUEST_NULL;
    return of_one;
  });
  if (error != MPI_SUCCESS) return error;
  error = wait_for(members, waiting, name,
                   [&](bool& is_there) { return test(found.request, is_there); });
  if (error != MPI_SUCCESS) {
    if (found.request != MPI_REQUEST_NULL) native.Request_free(&found.request);
    memory.temporary().keep_for_ever();
    return error;
  }
  const auto header =
      read_header({found.message.address, static_cast<std::size_t>(found.message.count)}, true, 0);
  if (!header) return MPI_ERR_INTERN;
  lead.total_bytes = *header->total_bytes;
  lead.first = found.message;
  lead.first_peer = found.peer;
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
