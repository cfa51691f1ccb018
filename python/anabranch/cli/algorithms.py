"""`anabranch algorithms`: lists what there is."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anabranch import _core as core
from anabranch.cli import app
from anabranch.cli.errors import UserError

NOTATION = (
    "p ranks, m bytes of the message or of the larger buffer of a rank, n blocks of it or of each "
    "rank's part of it, q = ceil(log2 p), alpha latency (s), beta time per byte (s/B)"
)


@app.command()
def algorithms(
    collective: Annotated[
        str | None, typer.Argument(help="Only those of this collective, as in bcast.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Lists the algorithms, with source, cost and parameters."""
    found = _algorithms_of(collective)
    if as_json:
        listed = [_as_dict(algorithm) for algorithm in found]
        print(json.dumps({"schema": "anabranch/algorithms/2", "algorithms": listed}, indent=2))
    else:
        _print(found)


def _algorithms_of(collective: str | None) -> list[Any]:
    every = core.all_algorithms()
    if collective is None:
        return every
    found = [algorithm for algorithm in every if algorithm.collective.name == collective]
    if not found:
        served = sorted({algorithm.collective.name for algorithm in every})
        raise UserError(
            f"there are no algorithms for '{collective}': valid are {', '.join(served)}"
        )
    return found


def kind_of(algorithm: Any) -> str:
    kinds = ("native", "policy", "protocol")
    return next((kind for kind in kinds if getattr(algorithm, f"is_{kind}")), "schedule")


def _as_dict(algorithm: Any) -> dict[str, Any]:
    """One of `algorithms` in schema `anabranch/algorithms/2`: see docs/reference/schema.md."""
    return {
        "id": algorithm.id,
        "collective": algorithm.collective.name,
        "kind": kind_of(algorithm),
        "needs": [
            what
            for what, is_needed in (
                ("nodes", algorithm.needs_nodes),
                ("plan", algorithm.needs_plan),
            )
            if is_needed
        ],
        "summary": algorithm.summary,
        "source": algorithm.source,
        "cost": algorithm.cost,
        "cost_slack": algorithm.cost_slack,
        "cost_is_bound": algorithm.cost_is_bound,
        "minimum_ranks": algorithm.minimum_ranks,
        "maximum_ranks": algorithm.maximum_ranks,
        "commutative_only": algorithm.commutative_only,
        "parameters": [
            {
                "name": parameter.name,
                "summary": parameter.summary,
                "minimum": parameter.minimum,
                "maximum": parameter.maximum,
            }
            for parameter in algorithm.parameters
        ],
    }


def _print(found: list[Any]) -> None:
    console = Console(highlight=False)
    console.width = min(console.width, 100)
    for algorithm in found:
        console.print(Text(algorithm.id, "bold"))
        facts = Table.grid(padding=(0, 2))
        facts.add_column(style="dim", min_width=8, no_wrap=True)
        facts.add_column()
        facts.add_row("  does", Text(algorithm.summary))
        facts.add_row("  cost", Text(algorithm.cost))
        facts.add_row("  source", Text(algorithm.source))
        for parameter in algorithm.parameters:
            facts.add_row("  set", Text(f"{parameter.name}: {parameter.summary}"))
        console.print(facts)
        console.print()
    console.print(Text(NOTATION, "dim"))
