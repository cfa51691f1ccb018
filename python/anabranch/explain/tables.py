"""An explanation as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anabranch import _core as core
from anabranch.explain.explanation import Explanation, Transfer
from anabranch.wording import counted

MOST_ROUNDS = 64  # printed at the beginning and at the end, together
_BETWEEN = "   "  # transfers in a line
_EDGES = 2  # blanks to the left and the right of a table
_GAP = 3  # blanks between two columns


def print_explanation(explanation: Explanation, console: Console, rank: int | None = None) -> None:
    """Head line, rounds and traffic; with `rank` what that rank does in each round."""
    _print_head(explanation, console)
    if explanation.transfers:
        console.print(_rounds(explanation, rank, console.width))
    if rank is None:
        console.print(_traffic(explanation))


def _print_head(explanation: Explanation, console: Console) -> None:
    algorithm = explanation.algorithm
    parameters = ", ".join(
        f"{name} {core.format_size(value)}" for name, value in explanation.parameters.items()
    )
    lines = [
        ("", f"{algorithm.id}: {algorithm.summary}"),
        ("source", algorithm.source),
        ("cost", algorithm.cost),
        ("ranks", _ranks(explanation)),
        ("message", size_text(explanation.size_bytes)),
        ("cut", _cut(explanation) + (f" ({parameters})" if parameters else "")),
        ("moves", _movement(explanation)),
        ("time", _time(explanation)),
    ]
    if explanation.policy:
        lines.insert(1, ("picked by", explanation.policy.id))
    print_lines(lines, console)


def print_lines(lines: Iterable[tuple[str, str]], console: Console) -> None:
    """Values with their names before them; one without a name is a heading."""
    for name, value in lines:
        style = "" if name else "bold"
        label = f"{name:>9}  " if name else ""
        console.print(Text(label, "dim") + Text(value, style), soft_wrap=True, highlight=False)


def size_text(size_bytes: int) -> str:
    """As 1MiB, or 97 B."""
    size = core.format_size(size_bytes)
    return f"{size} B" if size.isdigit() else size


def _ranks(explanation: Explanation) -> str:
    rooted = core.is_rooted(explanation.algorithm.collective)
    return f"{explanation.ranks}, root {explanation.root}" if rooted else f"{explanation.ranks}"


def _cut(explanation: Explanation) -> str:
    blocks = counted(explanation.blocks, "block")
    has_parts = core.has_parts(explanation.algorithm.collective)
    return f"{counted(explanation.parts, 'part')} of {blocks}" if has_parts else blocks


def _movement(explanation: Explanation) -> str:
    moved = counted(explanation.total_bytes, "byte")
    transfers = counted(len(explanation.transfers), "transfer")
    return f"{transfers} in {counted(explanation.rounds, 'round')}, {moved}"


def _time(explanation: Explanation) -> str:
    network = explanation.network
    where = (
        f"latency {core.format_duration(network.latency_s)}, "
        f"{core.format_bandwidth(1 / network.time_per_byte_s)}, one port"
    )
    return f"{core.format_duration(explanation.simulated_s)} under the model ({where})"


def _table(*columns: str, right: Iterable[str] = ()) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(column), justify="right" if column in right else "left")
    return table


def _shown_rounds(explanation: Explanation) -> tuple[list[tuple[int, list[Transfer]]], int]:
    """Rounds to print, and how many are left out in their middle."""
    rounds = list(explanation.by_round())
    if len(rounds) <= MOST_ROUNDS:
        return rounds, 0
    half = MOST_ROUNDS // 2
    return rounds[:half] + rounds[-half:], len(rounds) - MOST_ROUNDS


def _rounds(explanation: Explanation, rank: int | None, width: int) -> Table:
    rounds, hidden = _shown_rounds(explanation)
    text = explanation.text_of_blocks
    columns = ["transfers: from > to [blocks]"] if rank is None else ["sends", "receives"]
    table = _table("round", *columns, right=["round"])
    each = (width - _EDGES - len("round")) // len(columns) - _GAP
    for position, (round_, transfers) in enumerate(rounds):
        if hidden and position == MOST_ROUNDS // 2:
            table.add_row("..", f"{hidden} rounds left out; --json has all of them")
        if rank is None:
            table.add_row(str(round_), _lines((_between(t, explanation) for t in transfers), each))
            continue
        sends = [f"to {t.dst} [{text(t.blocks)}]" for t in transfers if t.src == rank]
        receives = [
            f"{'combines with' if t.reduces else 'from'} {t.src} [{text(t.blocks)}]"
            for t in transfers
            if t.dst == rank
        ]
        if sends or receives:
            table.add_row(str(round_), _lines(sends, each), _lines(receives, each))
    return table


def _between(transfer: Transfer, explanation: Explanation) -> str:
    arrow = "+>" if transfer.reduces else ">"
    return f"{transfer.src} {arrow} {transfer.dst} [{explanation.text_of_blocks(transfer.blocks)}]"


def _lines(items: Iterable[str], width: int) -> Text:
    """As many items a line as fit; an item that is too long for a line has lines of its own."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(_BETWEEN) + len(item) <= width:
            lines[-1] += _BETWEEN + item
        else:
            lines.append(item)
    return Text("\n".join(lines))


def _traffic(explanation: Explanation) -> Table:
    counted = ("messages out", "bytes out", "messages in", "bytes in")
    table = _table("rank", *counted, right=["rank", *counted])
    for rank, traffic in enumerate(explanation.traffic):
        table.add_row(
            f"{rank}",
            f"{traffic.messages_sent:,}",
            f"{traffic.bytes_sent:,}",
            f"{traffic.messages_received:,}",
            f"{traffic.bytes_received:,}",
        )
    return table
