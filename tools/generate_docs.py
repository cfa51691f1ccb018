#!/usr/bin/env python3
"""Writes the pages and pictures that follow from the registry and from the table of settings.

    generate_docs.py [--into FOLDER]

FOLDER is the repository unless given. The same build writes the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.explain import explain, explanation_svg
from commands_page import commands_page
from evidence_page import evidence_page
from paper_tables import papers_pages

REPOSITORY = Path(__file__).resolve().parent.parent
ALLREDUCE = core.Collective.allreduce
PICTURES = Path("docs/pictures/algorithms")
NOTE = (
    "<!-- Written by tools/generate_docs.py: change that, or the descriptors, and `make docs`. -->"
)

PICTURE_RANKS = 8
PICTURE_BLOCKS = 4  # of algorithms that can cut the message into any number
PRICED_RANKS = 16
PRICED_SIZES = (4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20)
PRICED_NETWORK = core.Network(latency_s=1e-4, time_per_byte_s=8 / 40e6)

PAPERS = {
    "A": "Patarasuk, Yuan, Efficient MPI Bcast across Different Process Arrival Patterns.",
    "C": "Zhou, Marjanovic, Niethammer, Gracia, A Bandwidth-saving Optimization for MPI Broadcast "
    "Collective Operation.",
    "D": "Thakur, Gropp, Improving the Performance of MPI Collective Communication on Switched "
    "Networks.",
}


def is_scheduled(algorithm: Any) -> bool:
    return algorithm.serves_any_group


def is_drawn(algorithm: Any) -> bool:
    return is_scheduled(algorithm) or algorithm.needs_nodes


def is_pipeline(algorithm: Any) -> bool:
    """Of segments of the message. Parts of ranks in segments are drawn whole."""
    cuts_parts = core.has_parts(algorithm.collective) or algorithm.collective == ALLREDUCE
    return not cuts_parts and any(each.name == "segment" for each in algorithm.parameters)


def picture_path(algorithm: Any) -> Path:
    return PICTURES / f"{algorithm.id}.svg"


def picture_of(algorithm: Any) -> str:
    blocks = PICTURE_BLOCKS if is_pipeline(algorithm) else None
    return explanation_svg(explain(algorithm.id, PICTURE_RANKS, blocks=blocks))


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def size_text(size_bytes: int) -> str:
    return re.sub(r"(?=[KMGT]iB)", " ", core.format_size(size_bytes))


def prices(algorithms: list[Any]) -> str:
    """Time over the limit of the model."""
    rows = []
    for algorithm in algorithms:
        cells = []
        for size in PRICED_SIZES:
            problem = core.Problem(PRICED_RANKS, size, PRICED_NETWORK)
            choice = core.with_defaults(algorithm, problem)
            machine = core.machine_of(PRICED_NETWORK)
            seconds = core.simulate_choice(choice, problem, machine).completion_s
            limit_s = core.lower_bound_s(algorithm.collective, problem)
            cells.append(f"{seconds / limit_s:.2f}")
        rows.append([f"[`{algorithm.id}`](#{anchor(algorithm)})", *cells])
    return table(["algorithm", *map(size_text, PRICED_SIZES)], rows)


def anchor(algorithm: Any) -> str:
    """As web sites make it of a heading that is code."""
    return algorithm.id.replace("/", "").lower()


def parameters_of(algorithm: Any) -> str:
    rows = []
    for parameter in algorithm.parameters:
        values = f"{core.format_size(parameter.minimum)} to {core.format_size(parameter.maximum)}"
        if parameter.is_algorithm:
            automatic = "`auto`, or " if parameter.minimum < 0 else ""
            collective = parameter.algorithms_of or algorithm.collective
            values = f"{automatic}an algorithm of `{collective.name}` with a schedule"
        rows.append([f"`{parameter.name}`", parameter.summary, values, default_of(parameter)])
    return table(["parameter", "meaning", "values", "default"], rows)


def default_of(parameter: Any) -> str:
    """A value, or that it depends on the problem."""
    found = {
        parameter.default_value(
            core.Problem(ranks, size, PRICED_NETWORK, node_count=ranks, largest_node=4)
        )
        for ranks in (2, 9, 64)
        for size in (1 << 10, 1 << 16, 1 << 24)
    }
    if len(found) > 1:
        return "the best under the model"
    return core.format_value(parameter, found.pop())


def section(algorithm: Any) -> str:
    parts = [f"### `{algorithm.id}`", f"{sentence(algorithm.summary)}"]
    facts = [f"- Cost: {algorithm.cost}"]
    if algorithm.cost_is_bound:
        facts.append(f"  (at most; it may take as little as 1/{algorithm.cost_slack:g} of that)")
    elif algorithm.cost_slack > 1:
        facts.append(
            f"  (up to {algorithm.cost_slack:g} times as long where ranks run ahead of the rounds)"
        )
    facts.append(f"- Source: {algorithm.source}")
    facts += limits_of(algorithm)
    parts.append("\n".join(facts))
    if algorithm.parameters:
        parts.append(parameters_of(algorithm))
    if is_drawn(algorithm):
        path = Path("..") / picture_path(algorithm).relative_to("docs")
        parts.append(f"![The transfers of {algorithm.id} on {PICTURE_RANKS} ranks]({path})")
    return "\n\n".join(parts)


def limits_of(algorithm: Any) -> list[str]:
    """Which calls it serves, where it does not serve all."""
    facts = []
    if algorithm.minimum_ranks > 1 or algorithm.maximum_ranks < 2**31 - 1:
        facts.append(f"- Ranks: {algorithm.minimum_ranks} to {algorithm.maximum_ranks}")
    if algorithm.commutative_only:
        facts.append("- Reductions: with an `MPI_Op` that commutes")
    if algorithm.combines_by_arrival:
        facts.append(
            "- Sums of floating-point numbers: with `reduction_order=any` alone, as the order of"
            " arrivals may change bits in each run"
        )
    if algorithm.equal_blocks_only:
        facts.append("- Parts: of one size")
    return facts


def sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def algorithms_page() -> str:
    algorithms = core.all_algorithms()
    latency = core.format_duration(PRICED_NETWORK.latency_s)
    rate = core.format_bandwidth(1 / PRICED_NETWORK.time_per_byte_s)
    parts = [
        "# Algorithms",
        NOTE,
        "Each algorithm is one file, `src/algorithms/<collective>/<name>.cpp`. Its id is the same "
        "everywhere: `anabranch run --set bcast=bcast/chain`, "
        "`ANABRANCH_BCAST=bcast/chain:segment=4KiB`, `anabranch explain bcast/chain -p 8`. "
        "A policy picks another algorithm by size and number of ranks.",
        "In cost formulas p is the number of ranks, n the number of blocks that a message is cut "
        "into, q = ceil(log2 p), alpha the latency of a message (s) and beta its time per byte "
        "(s/B). m is the bytes of the larger buffer of a rank: the message; for scatter and gather "
        "all that the root has; for allgather the result; for reduce_scatter and alltoall what a "
        "rank contributes. Each rank sends one message and receives one at a time (one-port, "
        "full-duplex), and combining costs nothing. Tests compare the formulas with the simulator.",
        "In the pictures ranks are rows and rounds are columns. Numbers on arrows are blocks, or "
        "the ranks whose parts they are; 2>0 is what rank 2 sends to rank 0. On a network nothing "
        "waits for a round: a message leaves as soon as its blocks are there.",
    ]
    parts += ["## Papers", "\n".join(f"- Paper {name}: {text}" for name, text in PAPERS.items())]
    collectives = sorted({algorithm.collective.name for algorithm in algorithms})
    parts.append("Collectives: " + ", ".join(f"[{name}](#{name})" for name in collectives) + ".")
    for collective in collectives:
        members = [a for a in algorithms if a.collective.name == collective]
        scheduled = [a for a in members if is_scheduled(a)]
        parts.append(f"## {collective}")
        if scheduled:
            parts += [
                f"Time under the model, over the limit that no algorithm is below, on "
                f"{PRICED_RANKS} ranks with a latency of {latency} and {rate} (40 Mbit/s):",
                prices(scheduled),
            ]
        parts += map(section, members)
    return "\n\n".join(parts) + "\n"


def settings_page() -> str:
    rows = [
        [
            f"`{setting.variable}`",
            setting.summary,
            setting.values,
            f"`{setting.default}`" if setting.default else "",
            "yes" if setting.same_on_all_ranks else "",
        ]
        for setting in core.all_settings()
    ]
    example = ["# for the cluster in room 3", "latency = 30us", "bandwidth = 10gbit"]
    example.append("bcast = auto")
    parts = [
        "# Settings",
        NOTE,
        "A setting is an environment variable, or a line of the file that `ANABRANCH_CONFIG` "
        "names. The environment takes precedence over the file, and `anabranch run --set "
        "NAME=VALUE` over both. An unknown name or an invalid value ends the program at its start, "
        "with one line that says what is valid.",
        table(["variable", "meaning", "values", "default", "alike on all ranks"], rows),
        "Settings on which decisions depend must be alike on all ranks. The ranks compare them "
        "once.",
        "An algorithm that you set may not be able to serve a call: the `MPI_Op` does not "
        "commute, parts have several sizes, or not all ranks know them. Then the cheapest "
        "algorithm that can takes its place, and `ANABRANCH_EXPLAIN=1` says so. [The same bits in "
        "every run](../guides/reproducible.md) says what `ANABRANCH_REPRODUCIBLE` promises.",
        "In a file the names are without `ANABRANCH_` and in lower case; `#` begins a comment:",
        "```ini\n" + "\n".join(example) + "\n```",
        "## Values",
        table(
            ["value", "written as"],
            [
                [
                    "size",
                    "whole bytes with an optional unit; `k`, `KiB`, `m`, `MiB`, `g`, `GiB` are "
                    "powers of 1024: `4096`, `4KiB`, `1MiB`",
                ],
                ["duration", "a number with `ns`, `us`, `ms`, `s`, `min` or `h`: `100us`, `30s`"],
                [
                    "rate",
                    "a number with `kbit`, `mbit`, `gbit`, `kB/s`, `MB/s`, `GB/s` (powers of 1000) "
                    "or `KiB/s`, `MiB/s`, `GiB/s` (powers of 1024): `40mbit`, `1.2GB/s`",
                ],
                [
                    "algorithm",
                    "an id, then `:` and parameters separated by commas: "
                    "`bcast/chain:segment=4KiB`",
                ],
                [
                    "algorithms by size",
                    "`FIRST-LAST:ALGORITHM`, separated by commas, each from its first size up to "
                    "but without its last; a last range may leave its end open, and sizes in no "
                    "range are `auto`: `0-4KiB:native,64KiB-:bcast/baton:segment=4KiB,gather=50`. "
                    "The size is m of the cost formulas: of the message, or of the larger buffer "
                    "of a rank; 0 for `MPI_Gatherv` and `MPI_Alltoallv`, whose sizes not all ranks "
                    "know, so that all decide alike. Of `MPI_Scatterv` the root knows it, and "
                    "tells it in its messages; but where size 0 is `native` or `auto`, all sizes "
                    "are native",
                ],
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def generated() -> Iterator[tuple[Path, str]]:
    """Paths in the repository and what is in them."""
    yield Path("docs/reference/algorithms.md"), algorithms_page()
    yield Path("docs/reference/settings.md"), settings_page()
    yield Path("docs/reference/commands.md"), commands_page(NOTE, table)
    yield Path("docs/reference/evidence.md"), evidence_page(NOTE, table)
    yield from papers_pages(REPOSITORY)
    for algorithm in filter(is_drawn, core.all_algorithms()):
        yield picture_path(algorithm), picture_of(algorithm)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=REPOSITORY, help="the repository unless given")
    into = parser.parse_args(arguments).into
    files = list(generated())
    shutil.rmtree(into / PICTURES, ignore_errors=True)  # of algorithms that are no more
    for path, content in files:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
