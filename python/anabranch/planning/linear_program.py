"""Paper B's linear program (2), repaired: the best throughput that any set of trees can have.

As printed, flow may circle at the source and at its destination; here none enters the one or leaves
the other. The paper's constraints (h) to (j) are the resources of any model, so that the same
program bounds all of them. Its value is that of the best packing of arborescences (Edmonds).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anabranch import _core as core
from anabranch.platform.errors import PlatformError


@dataclass(frozen=True)
class Optimum:
    """rate_per_s: slices per second. link_rates_per_s: those over each link, n_uv of the paper."""

    rate_per_s: float
    link_rates_per_s: tuple[float, ...]


def solve_linear_program(platform: core.SlicePlatform, root: int) -> Optimum:
    """Its unknowns are a rate for each link and destination: use it for some dozens of nodes.

    It has many optima; this is a vertex of them, which crossover finds after an interior-point
    method: on large platforms the simplex method takes minutes. Raises PlatformError where the root
    does not reach everybody or the solver gives up.
    """
    unit_s = max(platform.time_s, default=1.0)
    program = _Program(platform, root, unit_s)
    values = solved(program.lp(), "ipm").getSolution().col_value
    flows = np.asarray(values)[1 + program.links :]
    rates = np.zeros(program.links)
    np.maximum.at(rates, program.flow_link, flows)
    return Optimum(values[0] / unit_s, tuple(rates / unit_s))


def solved(program: Any, method: str = "choose") -> Any:
    """Gives a HiGHS model to a new, silent solver and runs it; raises PlatformError."""
    import highspy

    solver = silent_solver()
    solver.setOptionValue("solver", method)
    solver.passModel(program)
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        text = solver.modelStatusToString(status)
        raise PlatformError(f"the linear program has no optimum: HiGHS says {text}", is_input=False)
    return solver


def silent_solver() -> Any:
    import highspy

    class Silent(highspy.Highs):  # type: ignore[misc]
        """HiGHS 1.16 prints who it is when callbacks are enabled, before what --json prints."""

        def enableCallbacks(self) -> None:  # noqa: N802
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    solver = Silent()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        solver.setOptionValue(name, 1e-9)
    return solver


class _Program:
    """Columns: the throughput, the rate of each link, then each flow (destination, link)."""

    def __init__(self, platform: core.SlicePlatform, root: int, unit_s: float) -> None:
        self.platform = platform
        self.root = root
        self.unit_s = unit_s
        self.links = len(platform.links)
        ends = np.asarray(platform.links, dtype=np.int64).reshape(-1, 2)
        # The repair: no flow into the source, none out of its destination.
        usable = [
            (np.flatnonzero((ends[:, 1] != root) & (ends[:, 0] != destination)), destination)
            for destination in range(platform.nodes)
            if destination != root
        ]
        self.flow_link = np.concatenate([links for links, _ in usable] or [np.zeros(0, np.int64)])
        self.flow_destination = np.concatenate(
            [np.full(len(links), node) for links, node in usable] or [np.zeros(0, np.int64)]
        )
        self.source, self.target = ends[self.flow_link].T

    def lp(self) -> Any:
        import highspy

        nodes, flows = self.platform.nodes, len(self.flow_link)
        conserved = nodes * nodes  # a row for each destination and node; those of the root are free
        capped = conserved + flows  # flow at most the link's rate
        columns = 1 + self.links + flows
        rows, places, values = self._entries(conserved, capped)
        order = np.lexsort((rows, places))
        lower = np.zeros(capped + self.platform.resources)
        upper = np.zeros_like(lower)
        upper[conserved:capped] = highspy.kHighsInf
        lower[capped:], upper[capped:] = -highspy.kHighsInf, 1.0
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = columns, len(lower)
        program.sense_ = highspy.ObjSense.kMaximize
        program.col_cost_ = np.concatenate([[1.0], np.zeros(columns - 1)])
        program.col_lower_ = np.zeros(columns)
        program.col_upper_ = np.full(columns, highspy.kHighsInf)
        program.row_lower_, program.row_upper_ = lower, upper
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.searchsorted(places[order], np.arange(columns + 1))
        program.a_matrix_.index_ = rows[order]
        program.a_matrix_.value_ = values[order]
        return program

    def _entries(self, conserved: int, capped: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row, column and value of what is not zero."""
        nodes = self.platform.nodes
        flow = np.arange(len(self.flow_link))
        column = 1 + self.links + flow
        into = self.flow_destination * nodes + self.target
        out = self.flow_destination * nodes + self.source
        leaves = self.source != self.root  # what the root gives is not balanced
        others = np.array([node for node in range(nodes) if node != self.root], dtype=np.int64)
        uses = [
            (capped + resource, 1 + link, share / self.unit_s)
            for link in range(self.links)
            for resource, share in self.platform.uses(link)
        ]
        use_row, use_column, use_value = (
            map(np.asarray, zip(*uses, strict=True)) if uses else ([],) * 3
        )
        parts = [
            (into, column, np.ones(len(flow))),
            (out[leaves], column[leaves], np.full(int(leaves.sum()), -1.0)),
            (others * nodes + others, np.zeros(len(others), np.int64), np.full(len(others), -1.0)),
            (conserved + flow, column, np.full(len(flow), -1.0)),
            (conserved + flow, 1 + self.flow_link, np.ones(len(flow))),
            (use_row, use_column, use_value),
        ]
        rows, places, values = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return rows.astype(np.int32), places.astype(np.int32), values
