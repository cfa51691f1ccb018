"""`anabranch plan`: the trees along which to broadcast over a network whose links differ."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.bench import layout
from anabranch.cli import app
from anabranch.cli.errors import UserError, reported
from anabranch.cli.output import say_written

if TYPE_CHECKING:
    from anabranch.planning.columns import Progress

AUTO = "auto"
_REDRAW_S = 0.2


@app.command()
def plan(
    file: Annotated[
        Path, typer.Argument(help="The platform: .json, .graphml, or .xml of SimGrid.")
    ],
    root: Annotated[
        str | None, typer.Option(help="The node that broadcasts: the first unless given.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(platforms.MODELS)}; the platform's unless given."),
    ] = None,
    slice_bytes: Annotated[
        str,
        typer.Option(
            "--slice-bytes", help="Size of a slice, as 16KiB; auto: good for all of --sizes."
        ),
    ] = AUTO,
    max_trees: Annotated[
        int | None, typer.Option("--max-trees", help="Use no more trees than that.")
    ] = None,
    sizes: Annotated[
        str, typer.Option(help="Messages to expect times for, with commas.")
    ] = "256KiB,1MiB,4MiB,16MiB",
    changes: Annotated[
        str | None,
        typer.Option(help="Tell what is lost when links change by so many percent, as 10,20,50."),
    ] = None,
    gap: Annotated[
        float, typer.Option(help="Stop when the optimum is proved to be that near, in percent.")
    ] = 0.0001,
    seconds: Annotated[float, typer.Option(help="Stop after that time with what there is.")] = 60.0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the plan file.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the trees over the platform.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Computes broadcast trees for a network of unlike links.

    It prints every heuristic beside the bound, and writes the plan that is best.

    The plan file is for ANABRANCH_PLAN and for `anabranch run --plan`.
    """
    from anabranch import planning
    from anabranch.planning import report
    from anabranch.planning.drawing import plan_svg
    from anabranch.planning.robustness import loss_of_plan

    if svg is not None and svg.suffix.lower() != ".svg":
        raise UserError(f"cannot draw '{svg}': give a file that ends in .svg")
    if not gap >= 0 or not seconds > 0:
        raise UserError("--gap must be 0 or more, --seconds more than 0")
    sizes_bytes = [_size(part, "--sizes") for part in sizes.split(",")]
    shares = [] if changes is None else _shares(changes)
    given = None if slice_bytes == AUTO else _size(slice_bytes, "--slice-bytes")
    with reported(platforms.PlatformError, exit_code=None):
        platform = platforms.load(file)
        source = platform.names[0] if root is None else root
        with _progress() as progress:
            planned = planning.make_plan(
                platform,
                source,
                model=model,
                slice_bytes=given,
                max_trees=max_trees,
                sizes_bytes=sizes_bytes,
                gap=gap / 100,
                seconds=seconds,
                progress=progress,
            )
        losses = [loss_of_plan(platform, planned, share) for share in shares]
        picture = None if svg is None else plan_svg(planned.plan, platform)
    with reported(platforms.PlatformError, exit_code=1):
        if out is not None:
            planning.save_plan(planned.plan, out)
        if svg is not None and picture is not None:
            platforms.write_whole(svg, picture.encode())
    if as_json:
        print(json.dumps(report.as_document(planned, losses), indent=1))
        return
    report.print_planned(planned, platform, losses, layout.console(is_plain=True))
    say_written([out, svg])


def _size(text: str, option: str) -> int:
    try:
        size = core.parse_size(text.strip())
    except ValueError as error:
        raise UserError(f"{option}: {error}") from error
    if size < 1:
        raise UserError(f"{option}: '{text}' is nothing: give 1 or more bytes")
    return size


def _shares(text: str) -> list[float]:
    try:
        shares = [float(part) / 100 for part in text.split(",")]
    except ValueError as error:
        raise UserError(f"--changes '{text}': give percents with commas, as in 10,20,50") from error
    if not all(0 <= share < 1 for share in shares):
        raise UserError(f"--changes '{text}': give percents from 0 to below 100")
    return shares


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A line on stderr that says what is proved so far, if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    shown_s = 0.0
    with console.status("packing trees") as status:

        def show(rate_per_s: float, bound_per_s: float) -> None:
            nonlocal shown_s
            if time.monotonic() - shown_s > _REDRAW_S:
                shown_s = time.monotonic()
                gap = bound_per_s / rate_per_s - 1 if rate_per_s > 0 else float("inf")
                status.update(f"packing trees: {rate_per_s:.4g} slices/s, at most {gap:.2%} more")

        yield show
