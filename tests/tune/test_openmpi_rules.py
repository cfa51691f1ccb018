"""What was learnt about Open MPI's own algorithms, as the file of rules that it reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from anabranch import tune
from anabranch.bench.presets import presets_of

EXPECTED = """\
# anabranch tune, 2026-11-23: Open MPI 5.0.11
# allreduce of 8 on 16 ranks: no rule for openmpi/ring, which does not keep the order of operands
2 # collectives
2 # allreduce
3 # numbers of ranks
1 # ranks
1 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
16 # ranks
3 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
1 3 0 0
25 0 0 0
17 # ranks
1 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
7 # bcast
3 # numbers of ranks
1 # ranks
1 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
16 # ranks
3 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
87382 3 0 4096
786433 0 0 0
17 # ranks
1 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
"""


def test_the_fastest_of_its_own_is_taken_where_it_is_clearly_faster(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    slow, near, fast = (
        measured("openmpi/binomial", 2.0),
        measured("openmpi/chain", 0.95),
        measured("openmpi/pipeline", 0.5),
    )
    # What no MPI has is nothing for its rules.
    ours = measured("bcast/chain", 0.1, (10.0, 9.0, 11.0))
    native = measured("native", 1.0)
    found = tuning(
        cell(1 << 18, [native, slow, near, fast, ours]),
        cell(1 << 12, [native, slow, near, ours]),
        cell(64, [native, slow]),
        cell(
            8,
            [
                native,
                measured("openmpi/ring", 0.5),
                measured("openmpi/recursive_doubling", 0.7),
            ],
            "allreduce",
        ),
        cell(8, [native, ours], "reduce"),
        cell(8, [native, measured("openmpi/linear", 0.5)], "scan"),
    )
    assert tune.export(found, "openmpi") == EXPECTED


def rules_of(text: str, ranks: int) -> list[str]:
    """Of the last collective in the text."""
    _, _, own = text.rpartition(f"\n{ranks} # ranks\n")
    count, *lines = own.splitlines()
    return lines[: int(count.split()[0])]


def test_a_chain_has_as_many_branches_as_it_was_measured_with(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    """With a fan-out of 0 Open MPI would make one branch of it, as of a pipeline."""
    for collective in ("bcast", "reduce"):
        assert "chain_fanout" in str(presets_of(collective)["openmpi/chain"].environment)
    found = tuning(cell(1 << 18, [measured("native", 1.0), measured("openmpi/chain", 0.5)]))
    rules = rules_of(tune.export(found, "openmpi"), 16)
    assert rules == ["0 0 0 0", "87382 2 4 4096", "786433 0 0 0"]


@pytest.mark.parametrize(
    ("collective", "keep_the_order"),
    [
        ("reduce", {"linear", "in_order_binary"}),
        ("allreduce", {"linear", "nonoverlapping", "recursive_doubling"}),
        ("reduce_scatter", {"nonoverlapping", "butterfly"}),
    ],
)
def test_no_rule_changes_the_order_of_operands(
    collective: str,
    keep_the_order: set[str],
    cell: Callable,
    measured: Callable,
    tuning: Callable,
) -> None:
    """Rules do not see whether an operation commutes."""
    native = measured("native", 1.0)
    names = [name for name in presets_of(collective) if name.startswith("openmpi/")]
    assert {"openmpi/ring", "openmpi/rabenseifner", "openmpi/chain"} & set(names)
    written = {}
    for name in names:
        found = tuning(cell(1 << 16, [native, measured(name, 0.5)], collective))
        text = tune.export(found, "openmpi")
        written[name] = len(rules_of(text, 16)) > 1
        assert written[name] != (f"no rule for {name}" in text)
    with_rule = {name.partition("/")[2] for name, has_rule in written.items() if has_rule}
    assert with_rule == keep_the_order


def test_collectives_in_which_only_some_ranks_send_have_no_rules(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    """Their ranks would follow different rules where the root gathers in place."""
    contenders = [measured("native", 1.0), measured("openmpi/binomial", 0.5)]
    text = tune.export(tuning(cell(8, contenders), cell(8, contenders, "gather")), "openmpi")
    assert "\n1 # collectives" in text
    assert "gather" not in text
    with pytest.raises(tune.TuneError, match="measured for allgather, allreduce"):
        tune.export(tuning(cell(8, contenders, "gather")), "openmpi")


def test_differences_of_a_hundredth_make_no_rule(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    native = tune.Measured("native", (1.0,), 1.0, 0.999, 1.001)
    near = tune.Measured("openmpi/linear", (0.97,), 0.97, 0.969, 0.971)
    text = tune.export(tuning(cell(8, [native, near], "alltoall")), "openmpi")
    assert rules_of(text, 16) == ["0 0 0 0"]


def test_what_cannot_be_exported_is_refused_in_one_line(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    native = measured("native", 1.0)
    with pytest.raises(tune.TuneError, match="--native-algorithms"):
        tune.export(tuning(cell(8, [native])), "openmpi")
    with pytest.raises(tune.TuneError, match="give mpich, openmpi"):
        tune.export(tuning(cell(8, [native])), "intel")
    forced = measured("openmpi/chain", 0.5)
    with pytest.raises(tune.TuneError, match=r"several ranks on a node: .* goes by nodes \(HAN\)"):
        tune.export(tuning(cell(8, [native, forced], place=tune.Place(16, 8, 2))), "openmpi")
    with pytest.raises(tune.TuneError, match="no algorithm of Open MPI is called 'openmpi/x'"):
        tune.export(tuning(cell(8, [native, measured("openmpi/x", 0.5)])), "openmpi")


def test_rules_for_a_release_that_nobody_has_checked_are_refused(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    """Open MPI 6 reads them otherwise."""
    cells = [cell(8, [measured("native", 1.0), measured("openmpi/chain", 0.5)])]
    assert tune.export(tuning(*cells, version="Open MPI v4.1.6, package: a test"), "openmpi")
    with pytest.raises(tune.TuneError, match=r"of Open MPI 6\.0\.0: .* Give a file of Open MPI 4"):
        tune.export(tuning(*cells, version="Open MPI v6.0.0, package: a test"), "openmpi")
