"""What the rows of evidence gain, each measured by the command that it names.

The rows are in `src/evidence/evidence.json`, which builds put into the library and beside it.
`measure` runs a row's command. `gains_of` reads what came of it, and `findings` says where
that is against the row. `text_of` writes the file with what was gained.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch import native_folder
from anabranch.experiments.decisions import BEHIND
from anabranch.experiments.tables import mpi_of
from anabranch.interrupts import finished
from anabranch.lab import LabError, parse_delay, parse_rate
from anabranch.reading import read_json
from anabranch.tune.cells import Model, Place

SCHEMA = "anabranch/evidence/1"
Document = dict[str, Any]
Row = dict[str, Any]
Gain = dict[str, Any]
# What results tell of a lab, and how it is read, by the option of `anabranch lab`.
_OF_LAB: dict[str, tuple[str, Callable[[str], Any]]] = {
    "--nodes": ("nodes", int),
    "--rate": ("rate_bits_per_s", parse_rate),
    "--ppn": ("processes_per_node", int),
    "--burst": ("burst_bytes", int),
    "--delay": ("delay_s", parse_delay),
}


class EvidenceError(Exception):
    """One line for the user. is_input: whether what was given is wrong, not what was done."""

    def __init__(self, message: str, *, is_input: bool = True) -> None:
        super().__init__(message)
        self.is_input = is_input


def built_in() -> Path:
    """The file that the library was built with."""
    return native_folder() / "evidence.json"


def load(path: Path) -> Document:
    """Raises EvidenceError. Builds say what else is wrong with it."""
    try:
        document = read_json(path)
        if document["schema"] != SCHEMA:
            raise EvidenceError(f"'{path}' has the schema {document['schema']}: give {SCHEMA}")
        names = [row["name"] for row in document["rows"]]
        if len(set(names)) != len(names):
            raise EvidenceError(f"'{path}' has rows of the same name")
    except (ValueError, KeyError, TypeError) as error:
        raise EvidenceError(f"'{path}' is no evidence: {error}") from error
    return document


def measured_rows(document: Document, wanted: Sequence[str] | None) -> list[Row]:
    """Those with a command that runs as it is; raises EvidenceError for names that are not theirs.

    Commands with a PLATFORM of the reader's are not theirs.
    """
    rows = [row for row in document["rows"] if "PLATFORM" not in row.get("command", "PLATFORM")]
    names = [row["name"] for row in rows]
    for name in wanted or ():
        if name not in names:
            raise EvidenceError(f"no row '{name}' has a command: give {', '.join(names)}")
    return [row for row in rows if not wanted or row["name"] in wanted]


def command_of(row: Row, out: Path) -> list[str]:
    """The row's command, by this installation, which writes its results to the file."""
    tool = [sys.executable, "-m", "anabranch"]
    words = shlex.split(row["command"])
    own = [part for word in words for part in (tool if word == "anabranch" else [word])]
    return [*own, "--json", str(out)]


def _whole(path: Path) -> Document | None:
    """The results that the file has, unless they were interrupted."""
    try:
        results = read_json(path)
        return None if results["interrupted"] else results
    except (ValueError, KeyError, TypeError):
        return None


def kept(row: Row, path: Path) -> Document | None:
    """The results that the file has, where they are whole and of this row's command and lab."""
    results = _whole(path)
    if results is None:
        return None
    before, _, inner = row["command"].rpartition(" -- ")
    try:
        environment = results["environment"]
        _, *told, option, _ = environment["command"]  # the last one is the file
        is_same = ["anabranch", *told, option] == [*shlex.split(inner), "--json"]
        is_same = is_same and _is_in_lab(shlex.split(before), environment["lab"])
    except (ValueError, KeyError, TypeError, LabError):
        return None
    return results if is_same else None


def _is_in_lab(words: Sequence[str], place: Document | None) -> bool:
    """Whether this is the lab of `anabranch lab OPTIONS`, of which there may be none.

    What the options leave out is not compared.
    """
    if not words or place is None:
        return not words and place is None
    options = [part for word in words[2:] for part in word.split("=", 1)]
    for option, text in zip(options[::2], options[1::2], strict=True):
        name, read = _OF_LAB[option]
        if place[name] != read(text):
            return False
    return True


def measure(row: Row, path: Path) -> Document:
    """Runs the row's command; raises EvidenceError where it fails."""
    done = finished(command_of(row, path))
    results = _whole(path) if done.returncode == 0 else None
    if results is None:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise EvidenceError(f"{row['name']}: not measured: {last}", is_input=False)
    return results


def gains_of(row: Row, results: Document) -> list[Gain]:
    """Against native, for each MPI and size: what the row prefers, else the fastest of all."""
    launches = {launch["contender"]: launch for launch in results["launches"]}
    links = {link["contender"]: link for link in results["links"]}
    fastest: dict[tuple[str, int, int], Gain] = {}
    for cell in results["cells"]:
        speedup = cell["speedup_over_native"]
        ran = " ".join(cell["ran"])
        if speedup is None or not _is_of(row, cell):
            continue
        launch, link = launches[cell["contender"]], links[cell["contender"]]
        gain = {
            "mpi": mpi_of(launch),
            "policy": core.policy_of_mpi(launch["mpi_version"]),
            "ranks": cell["ranks"],
            "size_bytes": cell["size_bytes"],
            "ran": ran,
            "gain": round(speedup["median"], 3),
            "low": round(speedup["interval"]["low"], 3),
            "high": round(speedup["interval"]["high"], 3),
            "predicted": round(predicted_gain(ran, cell["size_bytes"], launch, link), 3),
            "date": results["date"][:10],
        }
        place = (gain["mpi"], gain["ranks"], gain["size_bytes"])
        if place not in fastest or gain["gain"] > fastest[place]["gain"]:
            fastest[place] = gain
    return [fastest[place] for place in sorted(fastest)]


def predicted_gain(ran: str, size_bytes: int, launch: Document, link: Document) -> float:
    """Times as fast as native under the model, where that was measured; 1 where nobody knows."""
    shortest = next(each for each in link["messages"] if each["size_bytes"] == 1)
    # As the library measures it.
    latency_s = min(shortest["half_round_trip_samples_s"])
    model = Model(
        core.Network(latency_s, link["time_per_byte_s"]), core.policy_of_mpi(launch["mpi_version"])
    )
    name = ran.partition(":")[0]
    decision = model.decide(name.partition("/")[0], Place.of_hosts(launch["hosts"]), size_bytes)
    *others, native = decision.candidates
    own = next((each for each in others if each.choice.algorithm.id == name), None)
    if own is None or not own.predicted_s or not native.predicted_s:
        return 1.0
    return float(native.predicted_s / own.predicted_s)


def _is_of(row: Row, cell: Document) -> bool:
    """Whether something other than native ran, and what the row prefers where it does."""
    served = {each.partition(":")[0] for each in cell["ran"]}
    if "prefers" in row:
        return row["prefers"] in served
    return not any(each.rpartition("/")[2] == "native" for each in served)


def holds_at(row: Row, gain: Gain) -> bool:
    """Whether the row is about this size, over this MPI."""
    first, last = row["where"].get("size_bytes", [0, None])
    policy = row["where"].get("native_policy", "")
    return (
        first <= gain["size_bytes"]
        and (last is None or gain["size_bytes"] <= last)
        and policy in ("", gain["policy"])
    )


def findings(row: Row, gains: Iterable[Gain], rows: Iterable[Row] = ()) -> Iterator[str]:
    """Where the gains are against the row by more than what is uncertain about them, in words.

    Not where another one of the rows, by the same command, prefers what is fast there.
    """
    others = [each for each in rows if each.get("command") == row["command"] and each is not row]
    for gain in gains:
        is_served = any(
            other.get("prefers") == gain["ran"].partition(":")[0] and holds_at(other, gain)
            for other in others
        )
        if is_served or not holds_at(row, gain):
            continue
        place = f"{core.format_size(gain['size_bytes'])} over {gain['mpi']}"
        if "prefers" in row and gain["high"] < 1 / BEHIND:
            yield f"{place}: native is {1 / gain['gain']:.2f} times as fast"
        if "prefers" not in row and gain["low"] > BEHIND:
            yield f"{place}: {gain['ran']} is {gain['gain']:.2f} times as fast as native"


def text_of(document: Document) -> str:
    """As the file is kept: a line for each member of a row, and for each gain."""
    members = []
    for name, value in document.items():
        if name in ("rows", "values"):
            entries = ",\n".join(_entry(entry) for entry in value)
            members.append(f'  "{name}": [\n{entries}\n  ]')
        elif isinstance(value, list):
            members.append(f'  "{name}": {_lines(value, 4)}')
        else:
            members.append(f'  "{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(members) + "\n}\n"


def _entry(entry: Row) -> str:
    members = [
        f'      "{name}": {_lines(value, 8) if name == "gains" else json.dumps(value)}'
        for name, value in entry.items()
    ]
    return "    {\n" + ",\n".join(members) + "\n    }"


def _lines(values: Sequence[Any], indent: int) -> str:
    lines = ",\n".join(" " * indent + json.dumps(value) for value in values)
    return f"[\n{lines}\n{' ' * (indent - 2)}]"
