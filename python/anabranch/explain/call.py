"""Why a call is served by what serves it: the candidates, their prices, and what decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from anabranch import _core as core
from anabranch.explain.tables import print_lines, size_text
from anabranch.wording import counted, listed

SCHEMA = "anabranch/explained-call/1"


@dataclass(frozen=True)
class ExplainedCall:
    """A decision, and of what it was made. ranks_per_node: of each node but maybe the last.

    is_native_at_first: as long as nobody knows the network. timed_beside: what serves some of the
    first calls, so that the fastest is found; ids.
    """

    collective: Any
    problem: Any
    decision: Any
    ranks_per_node: int
    is_native_at_first: bool = False
    timed_beside: tuple[str, ...] = ()

    @property
    def evidence(self) -> Any | None:
        """The row of data that decided; None: settings or the model."""
        name = self.decision.evidence
        return next((row for row in core.all_evidence() if row.name == name), None)

    @property
    def margin(self) -> float | None:
        """How many times as long as what is taken the runner-up is predicted to take."""
        runner_up, own_s = self.decision.runner_up, self.decision.predicted_s
        if runner_up is None or not runner_up.predicted_s or not own_s:
            return None
        return runner_up.predicted_s / own_s

    def as_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        decision, row, network = self.decision, self.evidence, self.problem.network
        return {
            "schema": SCHEMA,
            "call": self.collective.name,
            "ranks": self.problem.ranks,
            "ranks_per_node": self.ranks_per_node,
            "size_bytes": self.problem.size_bytes,
            "latency_s": network.latency_s,
            "bytes_per_s": 1 / network.time_per_byte_s,
            "native_policy": self.problem.native_policy or None,
            "taken": core.text_of(decision.choice),
            "reason": decision.reason,
            "is_native_at_first": self.is_native_at_first,
            "timed_beside": list(self.timed_beside),
            "predicted_s": decision.predicted_s,
            "margin": self.margin,
            "evidence": row
            and {
                "name": row.name,
                "reason": row.reason,
                "measured": row.measured,
                "command": row.command or None,
                "gains": [_gain(each) for each in row.gains],
            },
            "candidates": [
                {
                    "choice": core.text_of(each.choice),
                    "predicted_s": each.predicted_s,
                    "why_not": decision.why_not(each) or None,
                }
                for each in decision.candidates
            ],
        }


def explain_call(
    collective: str,
    ranks: int,
    *,
    ranks_per_node: int = 1,
    size_bytes: int,
    network: Any,
    native_policy: str = "",
    settings: Sequence[str] = (),
) -> ExplainedCall:
    """What would serve the call. settings: NAME=VALUE of the environment, as in ANABRANCH_PLAN=F.

    ValueError with one line for names, numbers and files that are not valid.
    """
    valid = [each.name for each in core.Collective]
    if collective not in valid:
        raise ValueError(f'"{collective}" is not a collective: valid are {", ".join(valid)}')
    if ranks < 1 or ranks_per_node < 1:
        raise ValueError("give at least one rank, and one on each node")
    chosen = core.read_settings(list(settings))
    kind = core.Collective[collective]

    def decided(known: Any) -> tuple[Any, Any]:
        problem = core.Problem(
            ranks,
            size_bytes,
            known,
            node_count=-(-ranks // ranks_per_node),
            largest_node=min(ranks, ranks_per_node),
            native_policy=native_policy,
        )
        return problem, core.decide(kind, problem, chosen)

    problem, decision = decided(network)
    _, first = decided(core.Network())
    at_first = first.is_native and not first.needs_network and not decision.is_native
    rivals = core.rivals_of(decision, problem, chosen)
    return ExplainedCall(kind, problem, decision, ranks_per_node, at_first, tuple(rivals))


def print_call(call: ExplainedCall, console: Console) -> None:
    """Head lines, and the candidates, the cheapest first."""
    decision, problem, network = call.decision, call.problem, call.problem.network
    nodes = "node" if problem.node_count == 1 else "nodes"
    lines = [
        ("", f"{call.collective.name} of {size_text(problem.size_bytes)}"),
        ("ranks", f"{problem.ranks} on {problem.node_count} {nodes}"),
        (
            "network",
            f"{core.format_duration(network.latency_s)}, "
            f"{core.format_bandwidth(1 / network.time_per_byte_s)} a port",
        ),
        ("MPI", problem.native_policy or "any: the fastest that a published policy picks"),
        ("taken", _with_time(core.text_of(decision.choice), decision.predicted_s)),
        ("why", decision.reason),
        *_at_first(call),
        *_timed_beside(call),
        *_evidence(call),
        *_margin(call),
    ]
    print_lines(lines, console)
    if decision.candidates:
        console.print(_candidates(decision))


def _at_first(call: ExplainedCall) -> list[tuple[str, str]]:
    if not call.is_native_at_first:
        return []
    return [
        ("at first", "native: until a long call, or many short ones, have made the network known")
    ]


def _timed_beside(call: ExplainedCall) -> list[tuple[str, str]]:
    if not call.timed_beside:
        return []
    others = listed(call.timed_beside)
    return [("first calls", f"timed beside {others}; the fastest goes on (not of inexact sums)")]


def _with_time(text: str, predicted_s: float | None) -> str:
    return text + (f", predicted {core.format_duration(predicted_s)}" if predicted_s else "")


def _evidence(call: ExplainedCall) -> list[tuple[str, str]]:
    row = call.evidence
    if row is None:
        is_tuned = call.decision.basis == core.Basis.tuning
        what = "a tuning file" if is_tuned else "none holds here: the model, or what is set"
        return [("evidence", what)]
    found = [("evidence", f"{row.name}: {row.measured}")]
    found += [("measured", _in_words(each)) for each in nearest(row.gains, call.problem.size_bytes)]
    return [*found, ("again", row.command)] if row.command else found


def nearest(gains: Sequence[Any], size_bytes: int) -> list[Any]:
    """Of each MPI the gain at the size that is nearest, as a ratio; of equals the first."""

    def distance(gain: Any) -> float:
        return abs(math.log(max(gain.size_bytes, 1) / max(size_bytes, 1)))

    by_mpi = {gain.mpi: [each for each in gains if each.mpi == gain.mpi] for gain in gains}
    return [min(own, key=distance) for own in by_mpi.values()]


def _in_words(gain: Any) -> str:
    return (
        f"{gain.ran} {gain.gain:.2f} ({gain.low:.2f} to {gain.high:.2f}) times as fast as "
        f"{gain.mpi} at {core.format_size(gain.size_bytes)}, {gain.ranks} ranks, {gain.date}"
    )


def _gain(gain: Any) -> dict[str, Any]:
    names = (
        "mpi",
        "policy",
        "ranks",
        "size_bytes",
        "ran",
        "gain",
        "low",
        "high",
        "predicted",
        "date",
    )
    return {name: getattr(gain, name) for name in names}


def _margin(call: ExplainedCall) -> list[tuple[str, str]]:
    runner_up = call.decision.runner_up
    if runner_up is None:
        return []
    text = _with_time(core.text_of(runner_up.choice), runner_up.predicted_s)
    if call.margin is not None:
        text += f": {call.margin:.2f} times that of what is taken"
    return [("runner-up", text)]


def _candidates(decision: Any) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, title_justify="left")
    for title in (counted(len(decision.candidates), "candidate"), "predicted", "why not"):
        table.add_column(title, justify="right" if title == "predicted" else "left")
    known = [each for each in decision.candidates if each.predicted_s is not None]
    unknown = [each for each in decision.candidates if each.predicted_s is None]
    for each in [*sorted(known, key=lambda one: one.predicted_s), *unknown]:
        price = core.format_duration(each.predicted_s) if each.predicted_s is not None else "-"
        table.add_row(core.text_of(each.choice), price, decision.why_not(each) or "taken")
    return table
