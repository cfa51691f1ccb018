"""The page of the rules by which the library decides: docs/reference/evidence.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from anabranch import _core as core

Table = Callable[[list[str], list[list[str]]], str]

INTRODUCTION = """\
By these rules the library decides where measurements say more than the model. The first one that
holds for a call counts. Outside of its range a rule says nothing, and where none holds, the model
decides. A rule for native leaves the call to the MPI beneath. `anabranch explain --call` names the
rule that decides about a call.

Each rule names the command that measures it. `anabranch experiments evidence --out FOLDER` runs
these commands, prints what is against a rule, and writes `FOLDER/evidence.json`: the file
`src/evidence/evidence.json`, from which builds make the rules, with what is gained now.
`--figures NAME,NAME` runs some of them, and `--resume` goes on.

*Lab* are emulated nodes (`anabranch lab`) of one full-duplex port each, on a machine with 2 cores.
*Times as fast* compares pairs of calls of the same run: their median, and its 95 % interval."""


def number(value: float) -> str:
    return f"{value:g}" if value < 1e5 else f"{value:,.0f}"


FORMATS: dict[str, tuple[str, Callable[[float], str]]] = {
    "size_bytes": ("size", lambda value: core.format_size(int(value))),
    "part_bytes": ("part of a rank", lambda value: core.format_size(int(value))),
    "ranks": ("ranks", number),
    "nodes": ("nodes", number),
    "ranks_a_node": ("ranks a node", number),
    "bytes_per_s": ("rate of a port", core.format_bandwidth),
    "latency_s": ("latency", core.format_duration),
    "latencies_on_wire": ("time on the wire, in latencies", number),
    "plan_slices": ("slices of the plan", number),
    "latencies_to_gain": ("what there is to gain under the model, in latencies", number),
}


def limits(where: dict[str, tuple[float, float]]) -> Iterator[str]:
    for name, (first, last) in where.items():
        title, written = FORMATS[name]
        if first == last:
            yield f"{title}: {written(first)}"
        elif last == math.inf:
            yield f"{title}: from {written(first)}"
        elif first <= 0:
            yield f"{title}: up to {written(last)}"
        else:
            yield f"{title}: {written(first)} to {written(last)}"


def conditions(row: Any) -> Iterator[str]:
    """In words, as they are tested."""
    if row.within_node:
        yield "of a component within a node"
    if row.unequal_parts_only:
        yield "parts have unequal sizes"
    if row.unless_balanced:
        yield "not where all ranks came together to earlier calls like it"
    if row.links_differ is not None:
        yield "links differ" if row.links_differ else "links are alike"
    if row.network_known is not None:
        yield "the network is known" if row.network_known else "the network is not known yet"
    if row.links_known is not None:
        yield "links are measured" if row.links_known else "links are not measured"
    if row.native_policy:
        yield f"over {row.native_policy}"
    yield from limits(row.where)


def section(row: Any, table: Table) -> str:
    parts = [f"### {row.name}"]
    collective = row.collective.name if row.collective else "all collectives"
    what = f"`{row.prefers}`" if row.prefers else "native"
    if row.may_cost < math.inf:
        instead = {
            "native": "native",
            "cheapest": "the cheapest",
            "next_row": "what the rules that follow say",
        }[row.otherwise]
        what += f" if it costs at most {row.may_cost:g} times the cheapest under the model"
        what += f", else {instead}"
    parts.append(f"{collective}: {what}, since {row.reason}.")
    found = "; ".join(conditions(row))
    parts.append(f"Where: {found or 'everywhere'}.")
    parts.append(f"From: {row.measured}.")
    if row.gains:
        parts.append(gains_table(row, table))
    if "PLATFORM" in row.command:  # the reader's, so that it does not run as it is
        parts.append(f"By: {' and '.join(f'`{each}`' for each in row.command.split('; '))}.")
    elif row.command:
        parts.append(f"```sh\n{row.command}\n```")
    return "\n\n".join(parts)


def gains_table(row: Any, table: Table) -> str:
    return table(
        ["MPI", "ranks", "size", "algorithm", "times as fast", "measured on"],
        [
            [
                gain.mpi,
                str(gain.ranks),
                core.format_size(gain.size_bytes),
                f"`{gain.ran}`",
                f"{gain.gain:.2f} ({gain.low:.2f} to {gain.high:.2f})",
                gain.date,
            ]
            for gain in row.gains
        ],
    )


def value_section(value: Any) -> str:
    where = "; ".join(limits(value.where))
    parts = [
        f"### {value.name}",
        f"{value.value} {value.unit}: {value.reason}.",
        *([f"Where: {where}."] if where else []),
        f"From: {value.measured}.",
        f"```sh\n{value.command}\n```",
    ]
    return "\n\n".join(parts)


def evidence_page(note: str, table: Table) -> str:
    parts = ["# The rules by which the library decides", note, INTRODUCTION, "## Rules, in order"]
    parts += [section(row, table) for row in core.all_evidence()]
    parts += ["## Numbers that algorithms take from measurements"]
    parts += [value_section(value) for value in core.all_tuned_values()]
    return "\n\n".join(parts) + "\n"
