"""Whether the library is there, and in front of the MPI on every rank in the same version."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch import __version__, launch
from anabranch.doctor.checks.ranks_seen import ranks_seen
from anabranch.doctor.findings import Finding, by_value, ok, problem, ranks_text
from anabranch.doctor.situation import Situation

_INSTALL_ALIKE = "install the same version at the same path on all hosts, or on a shared folder"


def check(situation: Situation) -> Iterator[Finding]:
    try:
        path = launch.preload_path()
    except launch.LaunchError as error:
        what, _, remedy = str(error).rpartition(": ")
        yield problem(what, remedy)
        return
    missing = [abi for abi in ("mpich", "openmpi", "abi") if not _is_built(path, abi)]
    if missing:
        names = ", ".join(f"libanabranch-{abi}.so" for abi in missing)
        yield problem(f"{names} missing beside {path}", "install Anabranch anew")
    ranks = ranks_seen(situation)
    if not ranks:
        return
    without = [one.rank for one in ranks if not one.library_version]
    if without:
        yield problem(
            f"no library in front on {ranks_text(without)} of {len(ranks)}",
            f"see that {path} can be read on their hosts, and that nothing resets LD_PRELOAD there",
        )
    versions = by_value((x.rank, x.library_version) for x in ranks if x.library_version)
    for version, rank_list in versions.items():
        if version != __version__:
            yield problem(
                f"{ranks_text(rank_list)} loaded version {version}, this is {__version__}",
                _INSTALL_ALIKE,
            )
    if not without and list(versions) == [__version__]:
        yield ok(f"version {__version__} is in front of the MPI on all {len(ranks)} ranks: {path}")


def _is_built(path, abi: str) -> bool:
    return path.with_name(f"{path.stem}-{abi}.so").is_file()
