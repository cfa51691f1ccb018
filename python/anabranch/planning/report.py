"""A plan and what it was chosen from, as tables and as JSON (schema anabranch/planned/1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from anabranch import _core as core
from anabranch.planning.planner import Planned
from anabranch.planning.robustness import Loss
from anabranch.platform.description import Platform
from anabranch.wording import counted

SCHEMA = "anabranch/planned/1"


def as_document(planned: Planned, losses: Sequence[Loss]) -> dict[str, Any]:
    """Times in seconds, rates in slices per second, shares of the bound."""
    plan = planned.plan
    return {
        "schema": SCHEMA,
        "plan": plan.as_document(),
        "bound_per_s": plan.bound_per_s,
        "bound_bytes_per_s": plan.bound_per_s * plan.slice_bytes,
        "proved_gap": planned.optimum.gap,
        "optimum": {
            "rate_per_s": planned.optimum.rate_per_s,
            "trees": len(planned.optimum.trees),
        },
        "before_rounding": {
            "rate_per_s": planned.limited.rate_per_s,
            "trees": len(planned.limited.trees),
        },
        "rounding_loss": planned.rounded.loss,
        "rate_per_s": plan.rate_per_s,
        "share": plan.rate_per_s / plan.bound_per_s,
        "heuristics": [
            {
                "id": each.id,
                "improved": each.is_improved,
                "period_s": each.period_s,
                "share": each.share,
            }
            for each in planned.candidates
        ],
        "expected": [
            asdict(best) | {"planned_s": planned_s, "single_tree_s": single.seconds}
            for best, planned_s, single in zip(
                planned.expectations, planned.planned_s, planned.single_expectations, strict=True
            )
        ],
        "changes": [asdict(each) for each in losses],
    }


def print_planned(
    planned: Planned, platform: Platform, losses: Sequence[Loss], console: Console
) -> None:
    plan = planned.plan
    bound = core.format_bandwidth(plan.bound_per_s * plan.slice_bytes)
    console.print(
        f"{plan.platform['name'] or 'platform'}: {counted(len(plan.nodes), 'node')}, "
        f"root {plan.root}, model {plan.model}, slices of {core.format_size(plan.slice_bytes)}"
    )
    console.print(
        f"Bound: {bound}, {plan.bound_per_s:.6g} slices/s;"
        f" proved to be at most {planned.optimum.gap:.2g} above the optimum found"
    )
    if platform.shared_links and plan.model != "capacity":
        names = ", ".join(each.name for each in platform.shared_links)
        console.print(
            f"The model {plan.model} does not know shared links ({names}): --model capacity does"
        )
    console.print()
    console.print(_heuristics(planned))
    console.print()
    _print_choice(planned, console)
    console.print()
    console.print(_times(planned))
    if losses:
        console.print()
        console.print(_losses(losses))


def _table(*heads: str) -> Table:
    table = Table(heads[0], box=None, pad_edge=False, header_style="")
    for head in heads[1:]:
        table.add_column(head, justify="right")
    return table


def _heuristics(planned: Planned) -> Table:
    table = _table("one tree", "throughput", "of the bound", "improved", "of the bound")
    slice_bytes = planned.plan.slice_bytes
    by_id: dict[str, list[str]] = {}
    for each in sorted(planned.candidates, key=lambda each: (each.is_improved, each.period_s)):
        rate = core.format_bandwidth(slice_bytes / each.period_s)
        by_id.setdefault(each.id, []).extend([rate, f"{each.share:.1%}"])
    for name, cells in by_id.items():
        table.add_row(name, *cells)
    return table


def _print_choice(planned: Planned, console: Console) -> None:
    plan, optimum, limited = planned.plan, planned.optimum, planned.limited
    console.print(
        f"Optimum: {optimum.rate_per_s / plan.bound_per_s:.2%} of the bound with"
        f" {_trees(len(optimum.trees))}"
    )
    if limited.trees != optimum.trees:
        share = limited.rate_per_s / plan.bound_per_s
        console.print(f"Taken: {_trees(len(limited.trees))}, {share:.2%} of the bound")
    console.print(
        f"Plan: {_trees(len(plan.trees))}, {plan.rate_per_s / plan.bound_per_s:.2%} of the bound;"
        f" {len(plan.order)} slice{'' if len(plan.order) == 1 else 's'} in"
        f" {core.format_duration(plan.period_s)}, rounding to them loses {planned.rounded.loss:.2%}"
    )


def _trees(count: int) -> str:
    return f"{count} tree{'' if count == 1 else 's'}"


def _times(planned: Planned) -> Table:
    table = _table(
        "message", "expected", "with slices of", "with the plan's slices", "one tree", "with"
    )
    for best, planned_s, single in zip(
        planned.expectations, planned.planned_s, planned.single_expectations, strict=True
    ):
        table.add_row(
            core.format_size(best.size_bytes),
            core.format_duration(best.seconds),
            core.format_size(best.slice_bytes),
            core.format_duration(planned_s),
            core.format_duration(single.seconds),
            core.format_size(single.slice_bytes),
        )
    return table


def _losses(losses: Sequence[Loss]) -> Table:
    table = _table(
        "links change by", "one tree keeps", "plan keeps", "one tree / opt", "plan / opt"
    )
    for each in losses:
        figures = (
            each.single_kept,
            each.several_kept,
            each.single_of_optimum,
            each.several_of_optimum,
        )
        table.add_row(f"{each.change:.0%}", *(f"{figure:.1%}" for figure in figures))
    return table
