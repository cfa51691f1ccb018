"""What the fluid simulator refuses: policies that no network could follow, and wrong arguments."""

from __future__ import annotations

import math

import pytest
from anabranch import _core as core

from .fluid_policies import Script, run

BLOCKING, NONBLOCKING = core.FluidModel.blocking, core.FluidModel.nonblocking
ALL = [0.0, 0.0, 0.0, 0.0]
BROKEN = {
    "sends what it has not got": (
        lambda state: [(1, 2)],
        ALL,
        "process 1 sends to process 2 from 0 on, which it neither has nor is receiving",
    ),
    "sends a place that it has not reached": (
        lambda state: [(0, 1), (1, 2, 0.5, 1)],
        ALL,
        "process 1 sends to process 2 from 0.5 on, which it neither has nor is receiving",
    ),
    "goes on after its own source has stopped": (
        lambda state: [(0, 1, 0, 0.5), (1, 2)] if not state.now else [(1, 2), (0, 3)],
        ALL,
        "process 1 sends to process 2 from 0.5 on, which it neither has nor is receiving",
    ),
    "a circle out of nothing": (
        lambda state: [(1, 2), (2, 3), (3, 1)],
        ALL,
        "which it neither has nor is receiving",
    ),
    "two at once": (lambda state: [(0, 1), (0, 2)], ALL, "process 0 sends to 1 and 2 at once"),
    "from two at once": (
        lambda state: [(0, 1), (1, 3), (0 if state.now else 2, 3)],
        ALL,
        "process 3 receives from 1 and 2 at once",
    ),
    "to who is not there": (
        lambda state: [(0, 1)],
        [0, 1, 0, 0],
        "process 0 sends to process 1, which has not arrived",
    ),
    "before it is there": (
        lambda state: [(1, 2)],
        [0, 1, 0, 0],
        "process 1 sends before it has arrived",
    ),
    "to who has left": (
        lambda state: [(0, 1)],
        ALL,
        "process 0 sends to process 1, which has left",
    ),
    "after it has left": (
        lambda state: [(0, 1)] if state.prefix(1) < 1 else [(1, 2)],
        ALL,
        "process 1 sends after it has left",
    ),
    "to itself": (lambda state: [(1, 1)], ALL, "process 1 sends to itself"),
    "what it has already": (
        lambda state: [(0, 1, 0.5, 1)] if not state.now else [(0, 1, 0, 1)],
        ALL,
        "process 0 sends to process 1 what that has already",
    ),
    "to the root": (lambda state: [(1, 0)], ALL, "process 1 sends to process 0 what that has"),
    "beyond the end": (lambda state: [(0, 1, 0, 2)], ALL, "the message ends at 1"),
    "to nobody": (lambda state: [(0, 4)], ALL, "there is no process 4"),
    "nothing": (lambda state: [], ALL, "nothing moves any more, and process 0 is still there"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_policies_are_refused(name):
    transfers, arrivals, message = BROKEN[name]
    with pytest.raises(ValueError, match=message):
        run(transfers, arrivals)


def test_nobody_leaves_without_the_message():
    class Hasty(Script):
        def may_leave(self, state, rank):
            return rank == 1 and state.now >= 0.5

    with pytest.raises(ValueError, match=r"process 1 leaves without the whole message \(at 0.5 T"):
        core.simulate_fluid_policy(Hasty(lambda state: [(0, 1)]), [0, 0, 0.5])


@pytest.mark.parametrize("model", [BLOCKING, NONBLOCKING])
def test_forwarding_by_who_has_not_arrived_is_refused_in_both_models(model):
    with pytest.raises(ValueError, match="process 1 sends before it has arrived"):
        run(lambda state: [(1, 2), (0, 3)], [0, 5, 0, 0], model)


@pytest.mark.parametrize("bad", [[], [0, math.nan], [0, math.inf], [-math.inf, 0]])
def test_arrivals_must_be_finite(bad):
    with pytest.raises(ValueError, match=r"finite time|at least one process"):
        core.simulate_fluid("bcast/flat", bad)
    with pytest.raises(ValueError, match=r"finite time|at least one process"):
        core.fluid_bounds(bad, BLOCKING)


def test_unknown_algorithms_and_models_that_do_not_fit_are_refused_with_the_valid_ones():
    with pytest.raises(ValueError, match=r"no algorithm 'bcast/none': give bcast/flat, .*baton"):
        core.simulate_fluid("bcast/none", [0, 0])
    with pytest.raises(ValueError, match=r"'bcast/arrival_nb' is not made for the blocking model"):
        core.simulate_fluid("bcast/arrival_nb", [0, 0], BLOCKING)
    with pytest.raises(ValueError, match=r"non-blocking model: give (?!.*baton)"):
        core.simulate_fluid("bcast/baton", [0, 0], NONBLOCKING)
