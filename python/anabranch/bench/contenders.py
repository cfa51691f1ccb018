"""Who is measured: Anabranch over an MPI, and other libraries with their own algorithms.

The algorithms of Anabranch are switched while the program runs, so that those over one MPI are
measured in turn in one launch. Everybody else needs a launch of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from anabranch import _core, lab, launch
from anabranch.bench.errors import BenchError

NATIVE = "native"


@dataclass(frozen=True)
class Contender:
    """What one launch measures.

    name: of the launch ("anabranch/mpich", "openmpi/pipeline"). algorithms: values of the setting
    bcast, or only `native` where the library is not preloaded. environment: variables of all its
    processes.
    """

    name: str
    installation: launch.Installation
    algorithms: tuple[str, ...] = (NATIVE,)
    preload: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    netmod: str = "ucx"


@dataclass(frozen=True)
class Preset:
    """A peer by its MPI and the variables that force its algorithm; none for its own choice."""

    mpi: str
    environment: dict[str, str] = field(default_factory=dict)


def _open_mpi(algorithm: int, segment_bytes: int = 0) -> Preset:
    tuned = {
        "priority": 90,
        "use_dynamic_rules": 1,
        "bcast_algorithm": algorithm,
        "bcast_algorithm_segmentsize": segment_bytes,
    }
    return Preset("openmpi", {f"OMPI_MCA_coll_tuned_{k}": str(v) for k, v in tuned.items()})


def _mpich(algorithm: str, **more: str | int) -> Preset:
    forced = {"INTRA_ALGORITHM": algorithm, "DEVICE_COLLECTIVE": 0, **more}
    environment = {f"MPIR_CVAR_BCAST_{k}": str(v) for k, v in forced.items()}
    return Preset("mpich", {"MPIR_CVAR_DEVICE_COLLECTIVES": "percoll", **environment})


def _intel(algorithm: int) -> Preset:
    return Preset("intel", {"I_MPI_ADJUST_BCAST": str(algorithm)})


PEERS: dict[str, Preset] = {
    "mpich": Preset("mpich"),
    "openmpi": Preset("openmpi"),
    "intel": Preset("intel"),
    "mpich/binomial": _mpich("binomial"),
    "mpich/scatter_doubling": _mpich("scatter_recursive_doubling_allgather"),
    "mpich/scatter_ring": _mpich("scatter_ring_allgather"),
    "mpich/pipelined_tree": _mpich("pipelined_tree", TREE_PIPELINE_CHUNK_SIZE=4096),
    "mpich/pipelined_chain": _mpich("pipelined_tree", TREE_PIPELINE_CHUNK_SIZE=4096, TREE_KVAL=1),
    "openmpi/chain": _open_mpi(2, 4096),
    "openmpi/pipeline": _open_mpi(3, 4096),
    "openmpi/split_binary": _open_mpi(4, 4096),
    "openmpi/binary": _open_mpi(5, 4096),
    "openmpi/binomial": _open_mpi(6),
    "openmpi/scatter_doubling": _open_mpi(8),
    "openmpi/scatter_ring": _open_mpi(9),
    "intel/binomial": _intel(1),
    "intel/doubling": _intel(2),
    "intel/ring": _intel(3),
    "intel/knomial": _intel(8),
}
_DEFAULTS = ("mpich", "openmpi", "intel")
_FORCED = ("mpich/pipelined_chain", "openmpi/pipeline", "openmpi/binary")
GROUPS: dict[str, tuple[str, ...]] = {
    "defaults": _DEFAULTS,
    "usual": (*_DEFAULTS, *_FORCED),
    "all": tuple(PEERS),
}


def peer_names() -> tuple[str, ...]:
    """Names that `peers` takes, groups first."""
    return (*GROUPS, *PEERS)


def parse_algorithms(text: str) -> tuple[str, ...]:
    """Algorithms from `native,auto,bcast/chain:segment=4KiB,window=8`; raises BenchError."""
    items: list[str] = []
    for item in (part.strip() for part in text.split(",")):
        if items and ":" in items[-1] and "=" in item and "/" not in item:
            items[-1] += "," + item  # a further parameter of the one before
        else:
            items.append(item)
    settings = _core.Settings()
    for item in items:
        try:
            settings.set("bcast", item)
        except ValueError as error:
            raise BenchError(str(error)) from error
    return tuple(dict.fromkeys(items))


def contenders(
    mpis: Sequence[str],
    algorithms: Sequence[str],
    *,
    netmod: str = "ucx",
    settings: Iterable[str] = (),
) -> list[Contender]:
    """Anabranch over each of these MPIs; raises LaunchError for one that is not there."""
    environment = launch.settings_environment(settings)
    return [
        Contender(
            name="anabranch/" + mpi.rstrip("/").rsplit("/", 1)[-1],
            installation=launch.find_installation(mpi),
            algorithms=tuple(algorithms),
            preload=True,
            environment=environment,
            netmod=netmod,
        )
        for mpi in dict.fromkeys(mpis)
    ]


def peers(text: str) -> tuple[list[Contender], list[str]]:
    """Peers from a list of names and groups; and the names left out since their MPI is missing.

    Only members of groups are left out: a name that was given raises LaunchError.
    """
    found: dict[str, Contender] = {}
    left_out: list[str] = []
    installed = launch.mpi_installations()
    for item in (part.strip() for part in text.split(",")):
        if item not in GROUPS and item not in PEERS:
            raise BenchError(f"unknown peer '{item}': give {', '.join(peer_names())}")
        for name in GROUPS.get(item, (item,)):
            preset = PEERS[name]
            if preset.mpi not in installed and item in GROUPS:
                left_out.append(name)
                continue
            installation = launch.find_installation(preset.mpi)
            environment = {**preset.environment, **_considerate(preset.mpi)}
            found[name] = Contender(name, installation, environment=environment)
    return list(found.values()), list(dict.fromkeys(left_out))


def _considerate(mpi: str) -> dict[str, str]:
    """Intel MPI polls without ever yielding, which nodes of a lab, on shared cores, cannot bear.

    (16 KiB on 16 nodes and 2 cores: 81 ms so, 7 ms when it waits.) The others yield.
    """
    if mpi == "intel" and lab.current() is not None:
        return {"I_MPI_WAIT_MODE": "1"}
    return {}


def parse_also(text: str) -> Contender:
    """A peer of the user's own: `LABEL@MPI:NAME=VALUE,NAME=VALUE`."""
    label, _, rest = text.partition("@")
    mpi, _, variables = rest.partition(":")
    environment: dict[str, str] = {}
    for item in (part for part in variables.split(",") if part):
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            label = ""
        environment[name] = value
    if not label or not mpi:
        raise BenchError(
            f"'{text}' is not a peer: write LABEL@MPI:NAME=VALUE,NAME=VALUE, as in "
            "ring@intel:I_MPI_ADJUST_BCAST=3"
        )
    return Contender(label, launch.find_installation(mpi), environment=environment)
