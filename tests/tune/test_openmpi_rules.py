"""What was learnt about Open MPI's own algorithms, as the file of rules that it reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from anabranch import tune

EXPECTED = """\
# anabranch tune, 2026-11-23: Open MPI 5.0.11
2 # collectives
2 # allreduce
3 # numbers of ranks
1 # ranks
1 # sizes: bytes, algorithm, fan-out, segment
0 0 0 0
16 # ranks
2 # sizes: bytes, algorithm, fan-out, segment
0 4 0 0
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
        cell(8, [native, measured("openmpi/ring", 0.5)], "allreduce"),
        cell(8, [native, ours], "reduce"),
        cell(8, [native, measured("openmpi/linear", 0.5)], "scan"),
    )
    assert tune.export(found, "openmpi") == EXPECTED


def test_what_cannot_be_exported_is_refused_in_one_line(
    cell: Callable, measured: Callable, tuning: Callable
) -> None:
    native = measured("native", 1.0)
    with pytest.raises(tune.TuneError, match="--native-algorithms"):
        tune.export(tuning(cell(8, [native])), "openmpi")
    with pytest.raises(tune.TuneError, match="give mpich, openmpi"):
        tune.export(tuning(cell(8, [native])), "intel")
    forced = measured("openmpi/chain", 0.5)
    with pytest.raises(tune.TuneError, match="several numbers of nodes"):
        tune.export(
            tuning(
                cell(8, [native, forced]), cell(8, [native, forced], place=tune.Place(16, 8, 2))
            ),
            "openmpi",
        )
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
