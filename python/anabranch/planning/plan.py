"""A plan: the trees along which a broadcast goes, and its file (schema anabranch/plan/1)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.platform.description import Platform
from anabranch.platform.document import to_json
from anabranch.platform.errors import PlatformError
from anabranch.platform.files import write_whole
from anabranch.platform.pricing import MODELS_IN_SERIES
from anabranch.reading import (
    Fields,
    ReadError,
    as_list,
    as_text,
    as_whole,
    parse_json,
    read_text,
)

SCHEMA = "anabranch/plan/1"
Document = dict[str, Any]


@dataclass(frozen=True)
class PlannedTree:
    """parents: name of the parent by name of the child, from the root downwards; the children of a
    node in the order in which it sends to them. slices: in one period.
    """

    slices: int
    parents: dict[str, str]


@dataclass(frozen=True)
class Plan:
    """period_s: for sum(slices) slices. bound_per_s: no set of trees passes more slices per second.

    order: the tree of each slice of one period. rounds: of one period, where nodes send one message
    after the other; all transfers of a round go at once. Each is the place of its slice in order,
    the node that gets it, and how many periods later.
    """

    model: str
    slice_bytes: int
    root: str
    nodes: tuple[str, ...]
    trees: tuple[PlannedTree, ...]
    period_s: float
    bound_per_s: float
    order: tuple[int, ...]
    platform: Document
    rounds: tuple[tuple[tuple[int, str, int], ...], ...] = ()

    @property
    def serial(self) -> bool:
        """Whether a node sends one message after the other."""
        return self.model in MODELS_IN_SERIES

    @property
    def rate_per_s(self) -> float:
        return len(self.order) / self.period_s

    def as_document(self) -> Document:
        rounds = [[list(each) for each in transfers] for transfers in self.rounds]
        return {
            "schema": SCHEMA,
            "model": self.model,
            "slice_bytes": self.slice_bytes,
            "root": self.root,
            "nodes": list(self.nodes),
            "period_s": self.period_s,
            "bound_per_s": self.bound_per_s,
            "serial": self.serial,
            "trees": [{"slices": tree.slices, "parents": tree.parents} for tree in self.trees],
            "order": list(self.order),
            **({"rounds": rounds} if rounds else {}),
            "platform": self.platform,
        }

    def to_json(self) -> str:
        """One tree a line."""
        document = self.as_document()
        trees = ",\n".join(f"  {json.dumps(tree)}" for tree in document["trees"])
        values = {name: json.dumps(value) for name, value in document.items()}
        values["trees"] = f"[\n{trees}\n ]"
        return "{\n" + ",\n".join(f' "{name}": {text}' for name, text in values.items()) + "\n}\n"


def fingerprint(platform: Platform) -> Document:
    """What a plan says of the platform it is for."""
    text = to_json(platform)
    return {"name": platform.name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def save_plan(plan: Plan, path: Path) -> None:
    """Writes the file, whole or not at all; raises PlatformError."""
    write_whole(path, plan.to_json().encode())


def load_plan(path: Path) -> Plan:
    """Reads what save_plan wrote; raises PlatformError."""
    try:
        text = read_text(path)
        document = parse_json(text)
    except ReadError as error:
        raise PlatformError(f"'{path}': {error}") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise PlatformError(f"'{path}' holds no plan: its schema must be {SCHEMA}")
    try:
        plan = _plan(Fields(document, "the plan"))
        _check(plan)
    except ReadError as error:
        raise PlatformError(f"'{path}' is no plan: {error}") from error
    try:
        core.PlanOfTrees.parse(text, str(path))  # it checks the trees and the rounds
    except ValueError as error:
        raise PlatformError(str(error)) from error
    return plan


def _plan(fields: Fields) -> Plan:
    return Plan(
        model=fields.text("model"),
        slice_bytes=fields.whole("slice_bytes", 1),
        root=fields.text("root"),
        nodes=tuple(as_text(name, "a node of the plan") for name in fields.list("nodes")),
        trees=tuple(
            PlannedTree(
                tree.whole("slices", 1),
                {child: as_text(each, child) for child, each in tree.object("parents").items()},
            )
            for tree in fields.objects("trees", "tree")
        ),
        period_s=fields.number("period_s"),
        bound_per_s=fields.number("bound_per_s"),
        order=tuple(as_whole(tree, "a tree of the order") for tree in fields.list("order")),
        platform=dict(fields.object("platform").items()) if fields.has("platform") else {},
        rounds=tuple(
            tuple(_transfer(each) for each in as_list(transfers, "a round"))
            for transfers in (fields.list("rounds") if fields.has("rounds") else ())
        ),
    )


def _transfer(value: Any) -> tuple[int, str, int]:
    """What is in range only the library says."""
    values = as_list(value, "a transfer")
    if len(values) != 3:
        raise ReadError("a transfer has a place, a node and a number of periods")
    place, node, lap = values
    whole = [as_whole(x, "a number of a transfer", -(2**31), 2**31 - 1) for x in (place, lap)]
    return whole[0], as_text(node, "the node of a transfer"), whole[1]


def _check(plan: Plan) -> None:
    """Raises ReadError where what only this tool looks at does not fit together."""
    if plan.root not in plan.nodes:
        raise ReadError(f"its root '{plan.root}' is not among its nodes")
    counts = Counter(plan.order)
    if not plan.trees or counts != dict(enumerate(tree.slices for tree in plan.trees)):
        raise ReadError("its order does not have the slices of its trees")
    if plan.period_s <= 0:
        raise ReadError("its period_s must be above 0")
    others = set(plan.nodes) - {plan.root}
    for number, tree in enumerate(plan.trees):
        if set(tree.parents) != others:
            raise ReadError(f"tree {number} does not have a parent for each node but the root")
