"""How Spack builds the library, for the MPI of the environment, from the clone that this lies in.

Written against Spack 1. Never tried with Spack itself, which no package registry has: a test
(tests/packaging/test_recipes.py) calls it with Spack's functions replaced and builds nothing.
"""

from pathlib import Path

from spack.package import conflicts, depends_on, license, requires, version
from spack_repo.builtin.build_systems.cmake import CMakePackage

PREFIX_OF_MPI = {
    "openmpi": "ANABRANCH_OPENMPI_PREFIX",
    "mpich": "ANABRANCH_MPICH_PREFIX",
    "mvapich": "ANABRANCH_MPICH_PREFIX",
    "mvapich-plus": "ANABRANCH_MPICH_PREFIX",
}


class Anabranch(CMakePackage):
    """Collective operations of unmodified MPI programs at the limit of the network: a library
    that is preloaded or linked in front of the MPI."""

    git = f"file://{Path(__file__).resolve().parents[6]}"

    license("BSD-3-Clause")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("mpi")

    conflicts("%gcc@:10", msg="Anabranch needs C++20: GCC 11 or newer")
    requires(
        *(f"^[virtuals=mpi] {name}" for name in PREFIX_OF_MPI),
        policy="one_of",
        msg=f"Anabranch is built against one of {', '.join(PREFIX_OF_MPI)}; "
        "what is built against mpich serves Intel MPI and Cray MPICH as well",
    )

    def cmake_args(self):
        mpi = self.spec["mpi"]
        return [
            self.define(PREFIX_OF_MPI[mpi.name], mpi.prefix),
            self.define("ANABRANCH_PYTHON_MODULE", False),
        ]
