"""`anabranch model`: what algorithms take in paper A's model, under given or the worst arrivals."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from anabranch import arrivals as patterns_of
from anabranch import model as models
from anabranch.bench import layout
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.wording import counted

SCHEMA = "anabranch/model/1"
SEARCH_SCHEMA = "anabranch/model-search/1"
DEFAULT_ARRIVALS = "balanced"
DEFAULT_TRIES = 20_000
_SHOWN_DELAYS = 64  # of a pattern that is printed


@app.command()
def model(
    collective: Annotated[
        str, typer.Argument(help="bcast, reduce or allreduce, or one id, as bcast/baton.")
    ],
    ranks: Annotated[int, typer.Option("-p", "--ranks", help="Number of processes.")],
    algorithm: Annotated[
        str | None, typer.Option(help="Ids with commas; all of the model unless given.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--model", help="blocking, or nonblocking: data may wait for who has not arrived."
        ),
    ] = "blocking",
    arrivals: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(patterns_of.KINDS)}; several with commas."),
    ] = None,
    root: Annotated[int, typer.Option(help="The rank that broadcasts, or gets the result.")] = 0,
    root_delayed: Annotated[
        bool, typer.Option("--root-delayed", help="Delay the root as the others are.")
    ] = False,
    count: Annotated[
        int | None, typer.Option("--patterns", help="Random patterns of each kind: 20.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random patterns and of the search.")] = 1,
    search: Annotated[
        bool, typer.Option("--search", help="Look for the arrivals under which each does worst.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(help="Worst against the bound that no algorithm beats, or against nearopt."),
    ] = None,
    tries: Annotated[
        int | None, typer.Option(help=f"Patterns that the search tries: {DEFAULT_TRIES}.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Time of the search for each algorithm.")
    ] = None,
    horizon: Annotated[
        float | None, typer.Option(help="The latest arrival in the search, in T: 4 a process.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the arrivals to this file, for --arrivals file:PATH.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Prices broadcasts and reductions whose processes arrive at different times.

    The model is paper A's: one message takes T, and is forwarded from its first bit on. Times are
    in units of T. With --search it prints the worst arrivals found, and how bad they are.
    """
    if algorithm is None and "/" in collective:
        collective, algorithm = collective.partition("/")[0], collective
    if collective not in models.COLLECTIVES:
        raise UserError(f"cannot model '{collective}': give {', '.join(models.COLLECTIVES)}")
    if not 2 <= ranks <= models.MOST_RANKS:
        raise UserError(f"cannot model {counted(ranks, 'process')}: give 2 to {models.MOST_RANKS}")
    if not 0 <= root < ranks:
        raise UserError(
            f"there is no root {root} among {counted(ranks, 'process')}: give 0 to {ranks - 1}"
        )
    only_without = {"--arrivals": arrivals, "--root-delayed": root_delayed, "--patterns": count}
    only_with = {
        "--against": against,
        "--tries": tries,
        "--seconds": seconds,
        "--horizon": horizon,
    }
    for name, value in (only_without if search else only_with).items():
        if value is not None and value is not False:
            raise UserError(f"{name} is for {'given arrivals, not for' if search else ''} --search")
    with reported(models.ModelError, patterns_of.ArrivalError):
        chosen = models.choose(algorithm, kind, collective)
        if search:
            found = [
                models.search(
                    each.id,
                    ranks,
                    kind,
                    root=root,
                    reference=against or models.REFERENCES[0],
                    seed=seed,
                    tries=DEFAULT_TRIES if tries is None and seconds is None else tries,
                    seconds=seconds,
                    horizon=horizon,
                )
                for each in chosen
            ]
            used = [each.pattern for each in found]
        else:
            used = _patterns(arrivals, ranks, root, root_delayed, count, seed)
            runs = [[models.evaluate(each.id, p, kind) for p in used] for each in chosen]
    if save is not None:
        with reported(patterns_of.ArrivalError, exit_code=1):
            patterns_of.save(used, save)
    if as_json:
        document = (
            _search_as_json(collective, found, kind)
            if search
            else _as_json(collective, runs, used, kind)
        )
        print(json.dumps(document, indent=1))
    elif search:
        _print_found(found)
    else:
        _print_runs(runs, used, kind)


def _patterns(
    text: str | None, ranks: int, root: int, root_delayed: bool, count: int | None, seed: int
) -> list[patterns_of.Pattern]:
    return [
        pattern
        for kind in patterns_of.split_kinds(text or DEFAULT_ARRIVALS)
        for pattern in patterns_of.generate(
            kind,
            ranks,
            root,
            root_delayed=root_delayed,
            count=patterns_of.DEFAULT_COUNT if count is None else count,
            seed=seed,
        )
    ]


def _as_json(
    collective: str, runs: list[list[models.Evaluation]], used: list[patterns_of.Pattern], kind: str
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "collective": collective,
        "model": kind,
        "ranks": used[0].ranks,
        "root": used[0].root,
        "runs": [
            {"kind": pattern.kind, "seed": pattern.seed, "index": pattern.index} | run.as_dict()
            for of_algorithm in runs
            for pattern, run in zip(used, of_algorithm, strict=True)
        ],
        "summaries": [
            {"kind": pattern_kind} | asdict(models.summarise(group))
            for pattern_kind, groups in _by_kind(runs, used)
            for group in groups
        ],
    }


def _search_as_json(collective: str, found: list[models.Found], kind: str) -> dict[str, Any]:
    return {
        "schema": SEARCH_SCHEMA,
        "collective": collective,
        "model": kind,
        "ranks": found[0].pattern.ranks,
        "root": found[0].pattern.root,
        "found": [
            {
                "algorithm": each.algorithm,
                "against": each.reference,
                "ratio": each.ratio,
                "seed": each.seed,
                "tries": each.tries,
                "starts": each.starts,
                "arrivals": list(each.pattern.delays),
            }
            for each in found
        ],
    }


def _by_kind(
    runs: list[list[models.Evaluation]], used: list[patterns_of.Pattern]
) -> list[tuple[str, list[list[models.Evaluation]]]]:
    """For each kind of arrivals the evaluations of each algorithm."""
    kinds = dict.fromkeys(pattern.kind for pattern in used)
    return [
        (
            kind,
            [[run for p, run in zip(used, each, strict=True) if p.kind == kind] for each in runs],
        )
        for kind in kinds
    ]


def _print_runs(
    runs: list[list[models.Evaluation]], used: list[patterns_of.Pattern], kind: str
) -> None:
    console = layout.console(is_plain=True)
    for pattern_kind, groups in _by_kind(runs, used):
        summaries = [models.summarise(group) for group in groups]
        some = summaries[0]
        patterns = f"{some.patterns} patterns, means" if some.patterns > 1 else "1 pattern"
        console.print(
            f"{pattern_kind}, {used[0].ranks} processes, {kind}: {patterns}; imbalance factors"
            f" {some.average_imbalance:.2f} (average), {some.worst_imbalance:.2f} (worst)"
        )
        table = Table("algorithm", box=None, pad_edge=False, header_style="")
        for head in ("average e", "worst g", "largest g", "/ bound", "/ nearopt", "largest"):
            table.add_column(head, justify="right")
        for each in summaries:
            figures = (
                each.average,
                each.worst,
                each.largest_worst,
                each.ratio_to_lower,
                each.ratio_to_upper,
                each.largest_ratio_to_lower,
            )
            table.add_row(each.algorithm, *("-" if f is None else f"{f:.3f}" for f in figures))
        console.print(table)
        console.print()
    console.print(
        "Times in T. e, g: average and worst per-node time. / bound: total over what no algorithm"
        " beats;\n/ nearopt: over what the best needs at most; largest: the largest / bound."
    )


def _print_found(found: list[models.Found]) -> None:
    console = layout.console(is_plain=True)
    for each in found:
        delays = ", ".join(f"{delay:.6g}" for delay in each.pattern.delays[:_SHOWN_DELAYS])
        more = each.pattern.ranks - _SHOWN_DELAYS
        reference = "the lower bound" if each.reference == "bound" else "nearopt"
        console.print(
            f"{each.algorithm}, {each.pattern.ranks} processes, {each.model}: {each.ratio:.4f}"
            f" times {reference} (seed {each.seed}, {each.tries} tries, {each.starts} starts)"
        )
        console.print(f"  arrivals in T: {delays}{f', and {more} more' if more > 0 else ''}")
