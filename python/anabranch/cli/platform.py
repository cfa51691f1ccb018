"""`anabranch platform`: makes, converts and checks descriptions of networks with unequal links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from anabranch import platform as platforms
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.wording import counted

CHECK_SCHEMA = "anabranch/platform-check/1"
KINDS = ("random", "tiers", "clusters", "gaussian")

group = typer.Typer(
    help="Makes, converts and checks platform files.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(group, name="platform")


@group.command()
def generate(
    kind: Annotated[str, typer.Argument(help=f"{', '.join(KINDS)}.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file: .json or .graphml.")],
    nodes: Annotated[int, typer.Option("--nodes", help="Nodes; not for clusters.")] = 16,
    density: Annotated[
        float, typer.Option(help="random, tiers: share of the pairs that are joined.")
    ] = 0.12,
    sizes: Annotated[str, typer.Option(help="clusters: nodes of each, with commas.")] = "6,6",
    trunk: Annotated[
        float, typer.Option(help="clusters: rate between two of them, as a share of the mean.")
    ] = 0.1,
    own_trunks: Annotated[
        bool, typer.Option("--own-trunks", help="clusters: each pair has a thin link of its own.")
    ] = False,
    mean: Annotated[str, typer.Option(help="Mean rate of the links.")] = "100MB/s",
    deviation: Annotated[
        str | None, typer.Option(help="Deviation of the rates: a fifth of the mean unless given.")
    ] = None,
    latency: Annotated[str, typer.Option(help="Latency of each link.")] = "0s",
    slow: Annotated[
        str | None,
        typer.Option(
            help="Nodes whose rates are a share of the others', as n5:0.1; several with commas."
        ),
    ] = None,
    one_way: Annotated[
        float,
        typer.Option(
            help="Share of the pairs whose link goes one way only; those that reach all others "
            "still do."
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of what is drawn.")] = 1,
) -> None:
    """Draws a platform: as paper B's random or Tiers platforms, clusters, or a complete one."""
    if kind not in KINDS:
        raise UserError(f"unknown kind of platform '{kind}': give {', '.join(KINDS)}")
    mean_rate = _rate(mean, "--mean")
    rates: dict[str, Any] = {
        "mean_bytes_per_s": mean_rate,
        "deviation_bytes_per_s": mean_rate / 5
        if deviation is None
        else _rate(deviation, "--deviation"),
        "latency_s": _duration_s(latency),
    }
    with reported(platforms.PlatformError, exit_code=None):
        if kind == "clusters":
            counts = _counts(sizes)
            made = platforms.clusters(
                counts, seed, trunk_share=trunk, shared_trunk=not own_trunks, **rates
            )
        elif kind == "gaussian":
            made = platforms.gaussian(nodes, seed, **rates)
        else:
            draw = platforms.random if kind == "random" else platforms.tiers
            made = draw(nodes, density, seed, **rates)
        for node in slow.split(",") if slow is not None else []:
            made = platforms.slowed(made, *_share_of_node(node))
        made = platforms.one_way(made, one_way, seed)
        platforms.save(made, out)
    print(f"Written to {out}: {_counted(made)}")


@group.command()
def convert(
    source: Annotated[Path, typer.Argument(help=".json, .graphml, or .xml of SimGrid.")],
    target: Annotated[Path, typer.Argument(help=".json or .graphml.")],
) -> None:
    """Writes a platform in another form."""
    with reported(platforms.PlatformError, exit_code=None):
        found = platforms.load(source)
        platforms.save(found, target)
    print(f"Written to {target}: {_counted(found)}")


@group.command()
def change(
    source: Annotated[Path, typer.Argument(help=".json, .graphml, or .xml of SimGrid.")],
    target: Annotated[Path, typer.Argument(help=".json or .graphml.")],
    by: Annotated[float, typer.Option(help="Percent: each rate changes by up to so many.")] = 20.0,
    seed: Annotated[int, typer.Option(help="Seed of what is drawn.")] = 1,
) -> None:
    """Changes every rate at random, as `anabranch plan --changes` does.

    In a lab of the new file a plan for the old one shows what it loses.
    """
    if not 0 <= by < 100:
        raise UserError(f"--by {by:g}: give a percentage from 0 to below 100")
    with reported(platforms.PlatformError, exit_code=None):
        made = platforms.changed(platforms.load(source), by / 100, seed)
        platforms.save(made, target)
    print(f"Written to {target}: {_counted(made)}, rates changed by up to {by:g} %")


@group.command()
def check(
    file: Annotated[Path, typer.Argument(help=".json, .graphml, or .xml of SimGrid.")],
    root: Annotated[
        str | None, typer.Option(help="Must reach everybody; unless given some node must.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Says what is in a file, or in one line what is wrong with it (exit status 2)."""
    with reported(platforms.PlatformError):
        found = platforms.load(file)
        roots = found.roots()
        if root is not None:
            found.require_reachable(root)
        elif not roots:
            found.require_reachable(found.names[0])
    if as_json:
        document = {
            "schema": CHECK_SCHEMA,
            "name": found.name,
            "model": found.model,
            "nodes": len(found.nodes),
            "links": len(found.links),
            "shared_links": len(found.shared_links),
            "roots": list(roots),
        }
        print(json.dumps(document, indent=1))
        return
    print(f"{found.name or file.name}: {_counted(found)}, model {found.model}")
    if len(roots) == len(found.nodes):
        print("Every node reaches all others.")
    else:
        print(f"Reach all others: {', '.join(roots)}.")


def _counted(platform: platforms.Platform) -> str:
    words = [counted(len(platform.nodes), "node"), counted(len(platform.links), "link")]
    if platform.shared_links:
        words.append(counted(len(platform.shared_links), "shared link"))
    return ", ".join(words)


def _counts(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise UserError(f"--sizes '{text}': give numbers with commas, as in 6,6") from error


def _rate(text: str, option: str) -> float:
    from anabranch import _core as core

    try:
        return 0.0 if text in ("0", "0MB/s") else core.parse_bandwidth_bytes_per_s(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error


def _share_of_node(text: str) -> tuple[str, float]:
    name, _, share = text.rpartition(":")
    try:
        return name, float(share)
    except ValueError as error:
        raise UserError(f"--slow '{text}' is no share of a node: write as n5:0.1") from error


def _duration_s(text: str) -> float:
    from anabranch import _core as core

    try:
        return core.parse_duration_s(text)
    except ValueError as error:
        raise UserError(f"--latency: {error}") from error
