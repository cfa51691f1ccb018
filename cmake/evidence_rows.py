#!/usr/bin/env python3
"""Writes what C++ includes of src/evidence/evidence.json; refuses what the file may not say.

evidence_rows.py EVIDENCE.json ROWS.inc VALUES.inc
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = "anabranch/evidence/1"
RANGES = (
    "size_bytes",
    "part_bytes",
    "ranks",
    "nodes",
    "ranks_a_node",
    "bytes_per_s",
    "latency_s",
    "latencies_on_wire",
    "plan_slices",
    "latencies_to_gain",
)
FLAGS = (
    *("within_node", "unequal_parts_only", "unless_balanced"),
    *("network_known", "links_known", "links_differ"),
)
ROW = (
    *("name", "collective", "prefers", "may_cost", "otherwise"),
    *("where", "reason", "measured", "command", "gains"),
)
OTHERWISE = ("native", "cheapest", "next_row")
VALUE = ("name", "value", "unit", "where", "reason", "measured", "command")
GAIN = ("mpi", "policy", "ranks", "size_bytes", "ran", "gain", "low", "high", "predicted", "date")
Object = dict[str, Any]


class WrongEvidenceError(ValueError):
    """One line that names what is wrong and what is valid."""


def number(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise WrongEvidenceError(f"{where} is {json.dumps(value)}: give a number")
    return repr(value)


def text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.isascii():
        raise WrongEvidenceError(f"{where} is {json.dumps(value)}: give text of ASCII characters")
    return json.dumps(value)


def only(names: tuple[str, ...], entry: Any, where: str) -> Object:
    if not isinstance(entry, dict):
        raise WrongEvidenceError(f"{where} is {json.dumps(entry)}: give an object")
    for name in entry:
        if name not in names:
            raise WrongEvidenceError(f"{where} has '{name}': give {', '.join(names)}")
    return entry


def member(name: str, entry: Object, where: str) -> Any:
    if name not in entry:
        raise WrongEvidenceError(f"{where} has no {name}")
    return entry[name]


def written_range(limits: Any, where: str) -> str:
    if not isinstance(limits, list) or len(limits) != 2:
        raise WrongEvidenceError(f"{where} is {json.dumps(limits)}: give [from, to]")
    first, last = limits
    written = f".from = {number(first, where)}"
    if last is not None:  # null: without an end
        if number(last, where) and last < first:
            raise WrongEvidenceError(f"{where} is {json.dumps(limits)}: it ends before it begins")
        written += f", .to = {number(last, where)}"
    return f"{{{written}}}"


def written_scope(entry: Any, networks: Object, where: str, *, of_links: bool = False) -> str:
    """of_links: what is said is of single links, and holds for any number of ranks."""
    scope = dict(only(("network", "native_policy", *FLAGS, *RANGES), entry, where))
    if (network := scope.pop("network", None)) is not None:
        if network not in networks:
            known = ", ".join(networks)
            raise WrongEvidenceError(f"{where} has the network '{network}': give {known}")
        limits = networks[network]
        if of_links:
            limits = {name: limits[name] for name in limits if name != "ranks"}
        scope = {**limits, **scope}
    members = []
    for name in FLAGS:
        if name in scope:
            if not isinstance(scope[name], bool):
                raise WrongEvidenceError(f"{where}.{name}: give true or false")
            members.append(f".{name} = {'true' if scope[name] else 'false'}")
    for name in RANGES:
        if name in scope:
            members.append(f".{name} = {written_range(scope[name], f'{where}.{name}')}")
    if "native_policy" in scope:
        members.append(f".native_policy = {text(scope['native_policy'], where)}")
    return f"{{{', '.join(members)}}}"


def written_gain(entry: Any, where: str) -> str:
    gain = only(GAIN, entry, where)
    members = []
    for name in GAIN:
        value, at = member(name, gain, where), f"{where}.{name}"
        is_text = name in ("mpi", "policy", "ran", "date")
        members.append(f".{name} = {text(value, at) if is_text else number(value, at)}")
    return f"{{{', '.join(members)}}}"


def written_row(row: Object, networks: Object, gains: str) -> str:
    name = row["name"]
    members = [f".name = {text(name, 'name')}"]
    if "collective" in row:
        members.append(f".collective = Collective::{row['collective']}")
    if "prefers" in row:
        members.append(f".prefers = {text(row['prefers'], f'{name}.prefers')}")
    if "may_cost" in row:
        members.append(f".may_cost = {number(row['may_cost'], f'{name}.may_cost')}")
    if "otherwise" in row:
        if row["otherwise"] not in OTHERWISE:
            raise WrongEvidenceError(f"{name}.otherwise: give {', '.join(OTHERWISE)}")
        members.append(f".otherwise = Otherwise::{row['otherwise']}")
    members.append(f".where = {written_scope(member('where', row, name), networks, name)}")
    for each in ("reason", "measured"):
        members.append(f".{each} = {text(member(each, row, name), f'{name}.{each}')}")
    if "command" in row:
        members.append(f".command = {text(row['command'], f'{name}.command')}")
    if gains:
        members.append(f".gains = {gains}")
    return f"{{{', '.join(members)}}},\n"


def named(entries: Any, names: tuple[str, ...], where: str) -> list[Object]:
    if not isinstance(entries, list):
        raise WrongEvidenceError(f"{where} is no list")
    seen: set[str] = set()
    for place, entry in enumerate(entries):
        name = member("name", only(names, entry, f"{where}[{place}]"), f"{where}[{place}]")
        if name in seen:
            raise WrongEvidenceError(f"{where} has {name} twice")
        seen.add(name)
    return entries


def written(document: Any) -> tuple[str, str]:
    """The rows, with what they gained, and the values, as C++ defines them."""
    only(("schema", "about", "networks", "rows", "values"), document, "the file")
    if document.get("schema") != SCHEMA:
        raise WrongEvidenceError(f"the schema is {document.get('schema')}: give {SCHEMA}")
    networks = member("networks", document, "the file")
    rows = named(member("rows", document, "the file"), ROW, "rows")
    gains, initializers = "", ""
    for place, row in enumerate(rows):
        own = "".join(
            f"    {written_gain(gain, row['name'] + '.gains')},\n" for gain in row.get("gains", ())
        )
        if own:
            gains += f"constexpr Gain gains_of_row_{place}[] = {{\n{own}}};\n"
        initializers += written_row(row, networks, f"gains_of_row_{place}" if own else "")
    values = ""
    for value in named(member("values", document, "the file"), VALUE, "values"):
        name = value["name"]
        members = [f".name = {text(name, 'name')}", f".value = {number(value['value'], name)}"]
        members.append(f".unit = {text(member('unit', value, name), name)}")
        where = written_scope(member("where", value, name), networks, name, of_links=True)
        members.append(f".where = {where}")
        for each in ("reason", "measured", "command"):
            members.append(f".{each} = {text(member(each, value, name), name)}")
        values += f"constinit const TunedValue {name} = {{{', '.join(members)}}};\n"
    return f"{gains}constexpr auto rows = std::to_array<Evidence>({{\n{initializers}}});\n", values


def main() -> int:
    source, rows_path, values_path = map(Path, sys.argv[1:])
    try:
        rows, values = written(json.loads(source.read_text(encoding="utf-8")))
    except ValueError as error:
        print(f"{source}: {error}", file=sys.stderr)
        return 1
    rows_path.write_text(rows, encoding="utf-8")
    values_path.write_text(values, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
