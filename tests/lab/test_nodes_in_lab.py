"""What goes by nodes, and what must not, where ranks are on several of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import _core as core

RUN = [sys.executable, "-m", "anabranch", "run"]
PROGRAMS = Path(__file__).parents[1] / "mpi" / "programs"
HIERARCHIES = [a for a in core.all_algorithms() if a.needs_nodes]


@pytest.fixture
def run_on_nodes(
    request: pytest.FixtureRequest,
    lab_command: list[str],
    compile_mpi: Callable[..., Path],
    run_command: Callable[..., Any],
) -> Callable[..., str]:
    """`run_on_nodes(kind, nodes, ranks, per_node, "name", *arguments, **settings)`: its output."""

    def run(
        kind: str,
        nodes: int,
        ranks: int,
        per_node: int,
        name: str,
        *arguments: str,
        **settings: str,
    ) -> str:
        program = compile_mpi(request.getfixturevalue(kind), PROGRAMS / f"{name}.c", "-ldl", "-lm")
        command = [*lab_command, "--nodes", str(nodes), "--rate", "400mbit", "--", *RUN]
        command += ["-n", str(ranks), "--ppn", str(per_node), "--mpi", kind]
        for setting, value in settings.items():
            command += ["--set", f"{setting}={value}"]
        done = run_command([*command, "--", str(program), *arguments], timeout_s=120)
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"^\d+ checks, 0 failures$", done.stdout, re.MULTILINE), done.stdout
        return done.stdout

    return run


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_results_are_those_of_the_mpi(
    kind: str, run_on_nodes: Callable[..., str], tmp_path: Path
) -> None:
    """Nodes with three ranks and one with one; one leader, and as many as no node has ranks."""
    lines = []
    for algorithm in HIERARCHIES:
        name = algorithm.collective.name
        functions = ["allgather", "allgatherv"] if name == "allgather" else [name]
        limits = " commutative" if algorithm.commutative_only else ""
        for leaders in (1, 2, 4):
            chosen = f"{algorithm.id}:leaders={leaders}"
            lines += [f"try {function} {chosen} 12{limits}" for function in functions]
    (tmp_path / "script").write_text("\n".join(lines))
    run_on_nodes(kind, 3, 7, 3, "every_collective", str(tmp_path / "script"))


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
@pytest.mark.parametrize(("nodes", "ranks", "per_node"), [(3, 3, 1), (5, 5, 1), (3, 7, 3)])
def test_long_calls_are_served_without_settings(
    kind: str, nodes: int, ranks: int, per_node: int, run_on_nodes: Callable[..., str]
) -> None:
    network = core.Network(latency_s=5e-5, time_per_byte_s=2e-8)  # as that of the lab

    def chosen(collective: core.Collective, *, is_balanced: bool) -> str:
        parts = ranks if core.has_parts(collective) else 1
        problem = core.Problem(
            ranks,
            parts << 19,
            network,
            node_count=nodes,
            largest_node=per_node,
            native_policy=f"{kind}5",
            is_balanced=is_balanced,
        )
        return core.decide(collective, problem).choice.algorithm.id

    triples = [
        (each.name, chosen(each, is_balanced=False), chosen(each, is_balanced=True))
        for each in core.Collective
        if each != core.Collective.bcast
    ]
    served = [triple for triple in triples if not triple[1].endswith("/native")]
    by_nodes = 8 if kind == "mpich" else 7  # over MPICH also scatters
    assert len(served) == (8 if per_node == 1 else by_nodes)
    words = [word for triple in served for word in triple]
    known = {"latency": "50us", "bandwidth": "50MB/s", "guard": "0"}
    run_on_nodes(kind, nodes, ranks, per_node, "long_calls", *words, **known)


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_long_parts_go_down_a_tree_one_message_at_a_time(
    kind: str, run_on_nodes: Callable[..., str]
) -> None:
    tree = "scatter/binomial"
    run_on_nodes(kind, 7, 7, 1, "long_calls", "scatter", tree, tree, scatter=tree)


def test_reproducible_results_have_the_same_bits_wherever_ranks_are(
    mpich, compile_mpi: Callable, run_served: Callable, run_on_nodes: Callable[..., str]
) -> None:
    """Also if what is set goes by nodes. The network is measured in each place."""
    settings = {"reproducible": "1", "reduce": "reduce/hierarchy"}
    arguments = ["reproducible", "1", "20000"]
    program = compile_mpi(mpich, PROGRAMS / "reproducible.c", "-ldl", "-lm")
    found = [
        run_served(mpich, 6, program, *arguments[1:], settings=settings).stdout,
        run_on_nodes("mpich", 6, 6, 1, *arguments, **settings),
        run_on_nodes("openmpi", 2, 6, 4, *arguments, **settings),
    ]
    cases = [sorted(re.findall(r"^[0-9a-f]{16} .*$", text, re.MULTILINE)) for text in found]
    assert len(cases[0]) == 2 * 3 * 7
    assert cases[0] == cases[1] == cases[2]
