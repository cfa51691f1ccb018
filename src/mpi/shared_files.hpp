// Files that one rank reads for all: nodes without a shared home decide alike, and nobody reads a
// file while another rank finds it changed.
#pragma once

#include <mpi.h>

#include <string>

namespace anabranch::mpi {

// The plan and the tuning file that are set, and the plans that are kept for sets of hosts: rank 0
// reads them and hands them to all, and all put them in force. Together with all ranks. Empty, or
// on all ranks one line that says what is wrong with what is set; of kept plans that cannot be read
// rank 0 says so, and leaves them out.
std::string share_files(MPI_Comm comm);

// One line where the tuning file that is set is for another MPI; once.
void tell_of_unused_tuning();

}  // namespace anabranch::mpi
