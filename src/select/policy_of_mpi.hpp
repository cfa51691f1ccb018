// Which of the policies in the registry says what an MPI runs.
#pragma once

#include <string_view>

namespace anabranch {

// By what MPI_Get_library_version says, of the releases that a policy was compared with. Empty: of
// others nobody knows here.
std::string_view policy_of_mpi(std::string_view library_version);

// Whether two MPIs choose their algorithms alike, by what they say of their versions: by the same
// policy, or, where nobody knows it, in releases of one name and first number.
bool choose_alike(std::string_view library_version, std::string_view other);

// For Problem::native_policy; empty for the empty name. Throws std::invalid_argument, which lists
// the names, where no collective has such a policy.
std::string_view policy_named(std::string_view name);

}  // namespace anabranch
