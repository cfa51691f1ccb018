"""Reading results with arrivals again (schema anabranch/bench/1), to draw them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anabranch.bench.errors import BenchError
from anabranch.bench.results import SCHEMA
from anabranch.reading import Fields, ReadError, parse_json, read_text

Document = dict[str, Any]


def load_arrivals(path: Path) -> Document:
    """Raises BenchError unless the file has all that the picture shows."""
    try:
        document = parse_json(read_text(path))
        fields = Fields(document, "it")
        if fields.text("schema") != SCHEMA or not fields.list("patterns"):
            raise ReadError("its schema is another one, or it has no patterns")
        _check(fields)
    except ReadError as error:
        raise BenchError(
            f"'{path}' holds no results with arrivals ({error}): measure it again"
        ) from error
    return document


def _check(fields: Fields) -> None:
    launches = fields.objects("launches", "launch")
    for launch in launches:
        launch.text("mpi")
        launch.get("preload", "true or false")
    contenders = {launch.text("contender") for launch in launches}
    cells = fields.objects("cells", "cell")
    if not cells:
        raise ReadError("it has no cells")
    for cell in cells:
        _check_cell(cell, contenders)
    environment = fields.object("environment")
    environment.get("lab", "an object or null")
    if environment.has("lab"):
        network = environment.object("lab")
        network.whole("nodes", 1)
        network.get("rate_bits_per_s", "a number or null")
        if network.has("rate_bits_per_s"):
            network.number("rate_bits_per_s")


def _check_cell(cell: Fields, contenders: set[str]) -> None:
    cell.text("algorithm")
    if cell.text("contender") not in contenders:
        raise ReadError(f"{cell.what} has no launch")
    cell.whole("root", 0, cell.whole("ranks", 1) - 1)
    cell.whole("size_bytes", 1)
    arrivals = cell.object("arrivals")
    arrivals.text("kind")
    interval = arrivals.object("average_per_node").object("interval")
    times = [interval.number("low"), interval.number("high"), cell.number("message_s")]
    times += [arrivals.number(name) for name in ("average_over_message", "ideal_over_message")]
    if min(times) < 0 or cell.number("message_s") == 0:
        raise ReadError(f"{cell.what} has a time below 0, or a message that takes none")
