"""Policies for the fluid simulator, written down as functions."""

from __future__ import annotations

from anabranch import _core as core


class Script:
    """A policy from a function; processes leave when they are complete, the root last."""

    def __init__(self, transfers):
        self.transfers = transfers

    def may_leave(self, state, rank):
        if rank == 0:
            return all(state.complete(i) for i in range(state.ranks))
        return state.complete(rank)


def run(transfers, arrivals, model=core.FluidModel.blocking, **options):
    return core.simulate_fluid_policy(Script(transfers), arrivals, model, **options)
