"""Every registered algorithm of every collective on real MPI, all memory compared with the MPI's.

Random calls: of all functions that an algorithm serves, counts (none, equal, unequal), datatypes
(predefined, pairs, with gaps, with negative bounds, out of order), roots, operations (also of the
program's own, some of which do not commute) and MPI_IN_PLACE; one in four by its large-count form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from anabranch import _core
from anabranch.bench.functions import collective_of, function_names

PROGRAM = Path(__file__).with_name("programs") / "every_collective.c"
# Calls of a run, by its number of ranks, with each MPI: with more of them a call takes longer, as
# they share the cores, and what they do in it is what they do with fewer.
CASES = {1: 1300, 2: 1300, 3: 1300, 4: 1300, 5: 1300, 7: 700, 8: 700, 12: 350}
FUNCTIONS = {
    collective: [name for name in function_names() if collective_of(name) == collective]
    for collective in _core.Collective
}


def served() -> list[_core.Algorithm]:
    return [a for a in _core.all_algorithms() if not (a.is_native or a.is_policy or a.needs_plan)]


def limits_of(algorithm: _core.Algorithm) -> str:
    """What the algorithm leaves to others, in the words of the program."""
    words = {
        "commutative": algorithm.commutative_only,
        "equal": algorithm.equal_blocks_only,
        "by_arrival": algorithm.combines_by_arrival,
        "everywhere": algorithm.knowledge == _core.SizeKnowledge.everywhere,
    }
    return " ".join(word for word, applies in words.items() if applies)


def script(ranks: int) -> list[str]:
    tried = [
        f"{function} {algorithm.id} {{}} {limits_of(algorithm)}"
        for algorithm in served()
        if algorithm.minimum_ranks <= ranks <= algorithm.maximum_ranks
        for function in FUNCTIONS[algorithm.collective]
    ]
    each = -(-CASES[ranks] // len(tried))
    return [f"try {line.format(each)}" for line in tried]


@pytest.mark.parametrize("ranks", CASES)
def test_results_are_those_of_the_mpi(
    mpi, ranks: int, compile_mpi: Callable, run_served: Callable, tmp_path: Path
) -> None:
    (tmp_path / "script").write_text("\n".join(script(ranks)))
    program = compile_mpi(mpi, PROGRAM, "-ldl", "-lm")
    # The same choice whatever is measured, no time for it, and no trial of what stands in for it.
    settings = {"latency": "50us", "bandwidth": "1GB/s", "reduction_order": "any", "guard": "0"}
    done = run_served(mpi, ranks, program, tmp_path / "script", settings=settings, timeout_s=150)
    assert done.returncode == 0, done.stdout + done.stderr
    cases = re.search(r"^(\d+) cases$", done.stdout, re.MULTILINE)
    assert cases is not None
    assert int(cases[1]) >= CASES[ranks]
    assert re.search(r"^\d+ checks, 0 failures$", done.stdout, re.MULTILINE), done.stdout


# Values that take other branches than the defaults: several messages of a step under way at once,
# some of which wait in memory of the library's, and few parts in a message.
OTHER_VALUES = {
    "recursive_multiplying": ["radix=3", "radix=4", "radix=64"],
    "pat": ["aggregation=1", "aggregation=2"],
}


@pytest.mark.parametrize("ranks", [3, 4, 5, 8])
def test_other_values_of_parameters(
    mpi, ranks: int, compile_mpi: Callable, run_served: Callable, tmp_path: Path
) -> None:
    tried = [
        f"try {function} {algorithm.id}:{value} 8 {limits_of(algorithm)}"
        for algorithm in served()
        for value in OTHER_VALUES.get(algorithm.id.split("/")[1], [])
        for function in FUNCTIONS[algorithm.collective]
    ]
    (tmp_path / "script").write_text("\n".join(tried))
    program = compile_mpi(mpi, PROGRAM, "-ldl", "-lm")
    settings = {"latency": "50us", "bandwidth": "1GB/s", "reduction_order": "any"}
    done = run_served(mpi, ranks, program, tmp_path / "script", settings=settings, timeout_s=150)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"\n{8 * len(tried)} cases\n" in "\n" + done.stdout
    assert re.search(r"^\d+ checks, 0 failures$", done.stdout, re.MULTILINE), done.stdout


def test_a_wrong_byte_is_noticed(
    mpi, compile_mpi: Callable, run_served: Callable, tmp_path: Path
) -> None:
    (tmp_path / "script").write_text("corrupt\ntry gather gather/linear 1\n")
    program = compile_mpi(mpi, PROGRAM, "-ldl", "-lm")
    done = run_served(mpi, 3, program, tmp_path / "script")
    assert done.returncode == 1
    assert "differences: gather by gather/linear" in done.stderr
