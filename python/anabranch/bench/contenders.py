"""Who is measured: Anabranch over an MPI, and other libraries with their own algorithms.

The algorithms of Anabranch are switched while the program runs, so that those over one MPI are
measured in turn in one launch. Everybody else needs a launch of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from anabranch import _core, lab, launch
from anabranch.bench.errors import BenchError
from anabranch.bench.functions import collective_of
from anabranch.bench.presets import groups_of, presets_of

NATIVE = "native"


@dataclass(frozen=True)
class Contender:
    """What one launch measures.

    name: of the launch ("anabranch/mpich", "openmpi/pipeline"). algorithms: values of the
    collective's setting, or only `native` where the library is not preloaded. environment:
    variables of all its processes.
    """

    name: str
    installation: launch.Installation
    algorithms: tuple[str, ...] = (NATIVE,)
    preload: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    netmod: str = "ucx"


def peer_names(function: str) -> tuple[str, ...]:
    """Names that `peers` takes, groups first."""
    return (*groups_of(function), *presets_of(function))


def parse_algorithms(text: str, function: str = "bcast") -> tuple[str, ...]:
    """Algorithms from `native,auto,bcast/baton:segment=4KiB,gather=50`; raises BenchError.

    Algorithms for ranges of sizes, `0-4KiB:native,4KiB-:bcast/chain`, are one.
    """
    collective = collective_of(function).name
    items: list[str] = []
    for item in (part.strip() for part in text.split(",")):
        is_parameter = "=" in item and "/" not in item
        if items and (
            (":" in items[-1] and is_parameter) or (_has_range(items[-1]) and _has_range(item))
        ):
            items[-1] += "," + item
        else:
            items.append(item)
    settings = _core.Settings()
    for item in items:
        try:
            settings.set(collective, item)
        except ValueError as error:
            raise BenchError(str(error)) from error
    return tuple(dict.fromkeys(items))


def _has_range(item: str) -> bool:
    return item[:1].isdigit()


def contenders(
    mpis: Sequence[str],
    algorithms: Sequence[str],
    *,
    netmod: str = "ucx",
    settings: Iterable[str] = (),
) -> list[Contender]:
    """Anabranch over each of these MPIs; raises LaunchError for one that is not there."""
    environment = launch.unguarded(launch.settings_environment(settings))
    return [
        Contender(
            name="anabranch/" + mpi.rstrip("/").rsplit("/", 1)[-1],
            installation=launch.find_installation(mpi, for_own_programs=True),
            algorithms=tuple(algorithms),
            preload=True,
            environment=environment,
            netmod=netmod,
        )
        for mpi in dict.fromkeys(mpis)
    ]


def peers(text: str, function: str = "bcast") -> tuple[list[Contender], list[str]]:
    """Peers from a list of names and groups; and the names left out since their MPI is missing.

    Only members of groups are left out: a name that was given raises LaunchError.
    """
    found: dict[str, Contender] = {}
    left_out: list[str] = []
    presets, groups = presets_of(function), groups_of(function)
    installed = launch.mpi_installations()
    for item in (part.strip() for part in text.split(",")):
        if item not in groups and item not in presets:
            raise BenchError(f"unknown peer '{item}': give {', '.join(peer_names(function))}")
        for name in groups.get(item, (item,)):
            preset = presets[name]
            if preset.mpi not in installed and item in groups:
                left_out.append(name)
                continue
            installation = launch.find_installation(preset.mpi, for_own_programs=True)
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
    installation = launch.find_installation(mpi, for_own_programs=True)
    return Contender(label, installation, environment=environment)
