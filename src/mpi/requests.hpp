// All collectives of this process that are under way beyond the call that began them.
#pragma once

#include <memory>

#include "mpi/request.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

// Until it is done, whoever waits advances it.
void keep_advancing(std::shared_ptr<Request> request);

// Advances all of them. True if something moved. Costs one load where there are none.
bool advance_requests();

// Calls `advance`, which says whether something moved, as long as `goes_on` says so. Calls `tell`
// each time that nothing has moved for as long as the watchdog waits.
template <typename GoesOn, typename Advance, typename Tell>
void advance_while(const Waiting& waiting, GoesOn goes_on, Advance advance, Tell tell) {
  Waiter waiter(waiting);
  waiter.begin();
  while (goes_on()) {
    if (advance()) {
      waiter.begin();
    } else if (waiter.wait()) {
      tell();
    }
  }
}

// Until the request is done; meanwhile all others go on too. An MPI error code.
int wait_for(Request& request);

}  // namespace anabranch::mpi
