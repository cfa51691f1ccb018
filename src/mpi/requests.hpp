// All collectives of this process that are under way beyond the call that began them.
#pragma once

#include <memory>

#include "mpi/request.hpp"

namespace anabranch::mpi {

// Until it is done, whoever waits advances it.
void keep_advancing(std::shared_ptr<Request> request);

// Advances all of them. True if something moved. Costs one load where there are none.
bool advance_requests();

// Until the request is done; meanwhile all others go on too. An MPI error code.
int wait_for(Request& request);

}  // namespace anabranch::mpi
