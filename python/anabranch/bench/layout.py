"""Tables that fit where they are printed, with no number and no id cut off."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

WIDTH = 100  # where there is no terminal
_MOST_COLUMNS = 10_000  # wider than any table
_BREAKS = "/:,= "  # an id may go on in the next line after these, if need be after "_"
_NARROWEST = 10  # of a column that is broken

# Makes the tables of one layout, whose labels are at most so wide where they can be broken.
Layout = Callable[[int | None], Sequence[Table]]


def console(*, stderr: bool = False, is_plain: bool = False) -> Console:
    """As wide as the terminal or COLUMNS, else 100 columns.

    is_plain: lines of text are neither broken nor coloured.
    """
    find = partial(Console, stderr=stderr, highlight=not is_plain, soft_wrap=is_plain)
    found = find()
    if found.is_terminal or "COLUMNS" in os.environ:
        return found
    return find(width=WIDTH)


def plain_table() -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))


def print_fitting(layouts: Sequence[Layout], target: Console) -> int:
    """Prints the first layout that fits; if none does the last one, with its labels broken.

    Returns the index of what was printed.
    """
    made = (layout(None) for layout in layouts)
    fits = (_width_of(tables, target) <= target.width for tables in made)
    index = next((i for i, is_fitting in enumerate(fits) if is_fitting), None)
    if index is None:
        index, tables = len(layouts) - 1, _squeezed(layouts[-1], target)
    else:
        tables = layouts[index](None)
    with _at_least(_width_of(tables, target), target):
        for table in tables:
            target.print(table)
    return index


def _squeezed(layout: Layout, target: Console) -> Sequence[Table]:
    """With its labels as long as fits, if any length does."""

    def is_too_wide(room: int) -> bool:
        return _width_of(layout(room), target) > target.width

    rooms = range(_NARROWEST, max(target.width, _NARROWEST))
    fitting = bisect_left(rooms, True, key=is_too_wide)
    return layout(_NARROWEST + max(fitting - 1, 0))


def _width_of(tables: Sequence[Table], target: Console) -> int:
    options = target.options.update(max_width=_MOST_COLUMNS)
    return max(target.measure(table, options=options).maximum for table in tables)


@contextmanager
def _at_least(width: int, target: Console) -> Iterator[None]:
    """A wider console while the body runs: a terminal then breaks lines, but nothing is lost."""
    before = target.width
    target.width = max(before, width)
    try:
        yield
    finally:
        target.width = before


def broken(label: str, room: int | None) -> str:
    """In lines of at most `room` characters, where it has places to break it."""
    if room is None or len(label) <= room:
        return label
    lines, rest = [], label
    while len(rest) > room:
        between, within = (_ends(rest, letters) for letters in (_BREAKS, _BREAKS + "_"))
        fitting = [end for end in between if end <= room] or [end for end in within if end <= room]
        end = max(fitting) if fitting else min(within, default=len(rest))
        lines.append(rest[:end].rstrip())
        rest = rest[end:]
    return "\n".join([*lines, rest] if rest else lines)


def _ends(text: str, letters: str) -> list[int]:
    """Where a line of the text may end: after these letters."""
    return [at + 1 for at, letter in enumerate(text[:-1]) if letter in letters]


def print_columns(
    headings: Sequence[str], rows: Sequence[Sequence[str]], target: Console, *, repeated: int = 1
) -> None:
    """Prints a table whose first column is text; columns that do not fit go into further tables,
    which repeat the first ones.
    """
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    groups: list[list[int]] = [list(range(repeated))]
    for index in range(repeated, len(headings)):
        group = [*groups[-1], index]
        is_wider = sum(widths[i] + 2 for i in group) > target.width
        if is_wider and len(groups[-1]) > repeated:
            groups.append([*range(repeated), index])
        else:
            groups[-1] = group
    for group in groups:
        table = plain_table()
        for index in group:
            justify = "left" if index == 0 else "right"
            table.add_column(headings[index], justify=justify, no_wrap=True)
        for row in rows:
            table.add_row(*(row[index] for index in group))
        with _at_least(_width_of([table], target), target):
            target.print(table)
