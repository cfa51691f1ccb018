"""What was learnt about MPICH's own algorithms, as the JSON from which it selects."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import launch, tune
from anabranch.bench.presets import presets_of
from anabranch.launch.installations import version_of
from anabranch.tune import mpich_selection

VARIABLE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
COLLECTIVES = ("bcast", "allreduce", "reduce", "allgather", "alltoall", "reduce_scatter")
NAMES = (
    *("Bcast_intra_binomial", "Bcast_intra_pipelined_tree", "Alltoall_intra_brucks"),
    *("Allreduce_intra_ring", "Allgather_intra_recursive_doubling"),
)
OWN = {each: {"comm_type=intra": {f"algorithm=own_{each}": {}}} for each in COLLECTIVES}


def library(table: dict[str, Any]) -> bytes:
    """As MPICH's, with other tables before its own."""
    decoy = {"collective=bcast": {"algorithm=MPIR_Bcast_intra_other": {}}}
    parts = [b"\x7fELF", *(json.dumps(each).encode() for each in (decoy, table))]
    return b"\0".join([*parts, *(f"MPIR_{name}".encode() for name in NAMES), b""])


def whole_table() -> dict[str, Any]:
    table = {f"collective={name}": dict(own) for name, own in OWN.items()}
    return {**table, "collective=scan": {"algorithm=MPIR_Bcast_intra_nothing": {}}}


@pytest.fixture
def exported(
    tuning: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., dict[str, Any]]:
    """The selection that is made of some cells, for an MPICH 5.0.2 that is not one."""
    path = tmp_path / "libmpi.so.12"
    path.write_bytes(library(whole_table()))
    place = launch.Installation("mpich", tmp_path, tmp_path / "mpiexec", path, ("mpich",))
    monkeypatch.setattr(launch, "find_installation", lambda mpi: place)
    monkeypatch.setattr(mpich_selection, "version_of", lambda launcher: "5.0.2")

    def make(*cells: tune.Cell, version: str = "MPICH Version: 5.0.2") -> dict[str, Any]:
        text = tune.export(tuning(*cells, version=version), "mpich")
        return dict(json.loads(text))

    return make


def test_the_fastest_goes_before_the_own_table(
    exported: Callable, cell: Callable, measured: Callable
) -> None:
    native, chain = measured("native", 1.0), measured("mpich/pipelined_chain", 0.5)
    found = exported(
        cell(1 << 18, [native, chain]),
        cell(1 << 12, [native, measured("mpich/binomial", 0.97)]),  # not clearly
    )
    own = OWN["bcast"]["comm_type=intra"]
    told = ("tree_type=kary", "k=1", "is_non_blocking=1", "chunk_size=4096", "recv_pre_posted=0")
    pipelined = {"algorithm=MPIR_Bcast_intra_pipelined_tree": {key: {} for key in told}}
    sizes = found["collective=bcast"]["comm_type=intra"].pop("comm_size<=16")
    assert found["collective=bcast"]["comm_type=intra"] == {
        "comm_size<=15": own,
        "comm_size=any": own,
    }
    assert list(sizes.values()) == [own, pipelined, own]
    bounds = [int(key.removeprefix("avg_msg_size<=")) for key in list(sizes)[:-1]]
    assert bounds[0] < 1 << 18 < bounds[1]
    assert list(sizes)[-1] == "avg_msg_size=any"
    # All others are as they were.
    changed = {name for name, own in whole_table().items() if found[name] != own}
    assert changed == {"collective=bcast"}


def test_sums_of_numbers_alone_go_by_what_was_measured(
    exported: Callable, cell: Callable, measured: Callable
) -> None:
    native, ring = measured("native", 1.0), measured("mpich/ring", 0.5)
    found = exported(cell(64, [native, ring], "allreduce"))
    own = OWN["allreduce"]["comm_type=intra"]
    first, *_, last = found["collective=allreduce"]["comm_type=intra"]["comm_size<=16"].values()
    many = {"count<pow2": own, "count=any": {"algorithm=MPIR_Allreduce_intra_ring": {}}}
    assert first == {
        "is_commutative=yes": {"is_op_built_in=yes": many, "is_op_built_in=no": own},
        "is_commutative=no": own,
    }
    assert last == own


def test_what_is_in_place_keeps_the_own_algorithm(
    exported: Callable, cell: Callable, measured: Callable
) -> None:
    native, bruck = measured("native", 1.0), measured("mpich/brucks", 0.5)
    found = exported(cell(4096, [native, bruck], "alltoall"))
    sizes = found["collective=alltoall"]["comm_type=intra"]["comm_size<=16"]
    assert all(key.startswith("total_msg_size") for key in sizes)
    assert {
        "is_sendbuf_inplace=yes": OWN["alltoall"]["comm_type=intra"],
        "is_sendbuf_inplace=no": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
    } in sizes.values()


def test_several_numbers_of_ranks(exported: Callable, cell: Callable, measured: Callable) -> None:
    native, fast = measured("native", 1.0), measured("mpich/binomial", 0.5)
    places = [tune.Place(ranks, ranks, 1) for ranks in (16, 8, 9)]
    found = exported(*(cell(8, [native, fast], place=place) for place in places))
    sizes = [f"comm_size<={ranks}" for ranks in (7, 8, 9, 15, 16)]
    assert list(found["collective=bcast"]["comm_type=intra"]) == [*sizes, "comm_size=any"]


def test_what_falls_back_is_no_choice(
    exported: Callable, cell: Callable, measured: Callable
) -> None:
    """Recursive doubling is for powers of two; on 12 ranks MPICH ran something else."""
    contenders = [measured("native", 1.0), measured("mpich/recursive_doubling", 0.5)]
    twelve = cell(8, contenders, "allgather", tune.Place(12, 12, 1))
    assert exported(twelve) == whole_table()
    assert exported(cell(8, contenders, "allgather")) != whole_table()


def test_what_cannot_be_exported_is_refused_in_one_line(
    exported: Callable, cell: Callable, measured: Callable
) -> None:
    native, fast = measured("native", 1.0), measured("mpich/binomial", 0.5)
    with pytest.raises(tune.TuneError, match="--mpi mpich --native-algorithms"):
        exported(cell(8, [native, measured("openmpi/chain", 0.5)]))
    with pytest.raises(tune.TuneError, match="export what was measured with one"):
        exported(cell(8, [native, fast], place=tune.Place(16, 8, 2)))
    with pytest.raises(tune.TuneError, match=r"is of MPICH 4.1.2, and the MPI in .* is 5.0.2"):
        exported(cell(8, [native, fast]), version="MPICH Version: 4.1.2")
    with pytest.raises(tune.TuneError, match="this MPICH has no MPIR_Allgather_intra_brucks"):
        exported(cell(8, [native, measured("mpich/brucks", 0.5)], "allgather"))


@pytest.mark.parametrize("content", [b"", b'{"collective=bcast":{', library({"collective=x": {}})])
def test_a_library_without_a_table_is_refused(content: bytes) -> None:
    with pytest.raises(tune.TuneError, match=r"4\.2 and newer have"):
        mpich_selection.built_in_table(content + b"\0")


def every_algorithm(cell: Callable, measured: Callable, ranks: int) -> list[list[tune.Cell]]:
    """Tunings in which each algorithm that can be forced is the fastest, on so many nodes."""
    found = []
    for collective in COLLECTIVES:
        names = [each for each in presets_of(collective) if each.startswith("mpich/")]
        for i, name in enumerate(names):
            if i == len(found):
                found.append([])
            contenders = [measured("native", 1.0), measured(name, 0.5)]
            place = tune.Place(ranks, ranks, 1)
            found[i] += [cell(4**k, contenders, collective, place) for k in range(1, 10)]
    return found


@pytest.mark.parametrize("ranks", [4, 5])
def test_mpich_reads_it_and_its_results_are_right(
    ranks: int,
    mpich: Any,
    cell: Callable,
    measured: Callable,
    tuning: Callable,
    tmp_path: Path,
    compile_mpi: Callable,
    run_mpi: Callable,
) -> None:
    program = compile_mpi(mpich, Path(__file__).parent / "programs" / "collectives.c")
    launcher = launch.find_installation(str(mpich.prefix)).launcher
    version = f"MPICH Version: {version_of(launcher)}"
    path = tmp_path / "selection.json"
    for cells in every_algorithm(cell, measured, ranks):
        found = tuning(*cells, version=version)
        path.write_text(tune.export(found, "mpich", str(mpich.prefix)))
        done = run_mpi(mpich, ranks, program, environment={VARIABLE: str(path)})
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    # It does read the file: what it does not know ends it.
    path.write_text(path.read_text().replace("MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_none"))
    assert run_mpi(mpich, ranks, program, environment={VARIABLE: str(path)}).returncode != 0
