"""A plan: the trees along which a broadcast goes, and its file (schema anabranch/plan/1)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anabranch import _core as core
from anabranch.platform.description import Platform
from anabranch.platform.document import to_json
from anabranch.platform.errors import PlatformError
from anabranch.platform.files import write_whole
from anabranch.platform.pricing import MODELS_IN_SERIES

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
        document["trees"] = "TREES"
        text = ",\n".join(f' "{name}": {json.dumps(value)}' for name, value in document.items())
        return "{\n" + text.replace('"TREES"', f"[\n{trees}\n ]") + "\n}\n"


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
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlatformError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise PlatformError(f"'{path}' is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise PlatformError(f"'{path}' holds no plan: its schema must be {SCHEMA}")
    try:
        plan = Plan(
            model=str(document["model"]),
            slice_bytes=int(document["slice_bytes"]),
            root=str(document["root"]),
            nodes=tuple(map(str, document["nodes"])),
            trees=tuple(
                PlannedTree(int(tree["slices"]), dict(tree["parents"]))
                for tree in document["trees"]
            ),
            period_s=float(document["period_s"]),
            bound_per_s=float(document["bound_per_s"]),
            order=tuple(map(int, document["order"])),
            platform=dict(document.get("platform", {})),
            rounds=tuple(
                tuple((int(place), str(node), int(lap)) for place, node, lap in transfers)
                for transfers in document.get("rounds", ())
            ),
        )
        _check(plan)
    except KeyError as error:
        raise PlatformError(f"'{path}': the plan has no {error.args[0]}") from error
    except (TypeError, ValueError) as error:
        raise PlatformError(f"'{path}' is no plan: {error}") from error
    try:
        core.PlanOfTrees.parse(plan.to_json(), str(path))  # it checks the rounds
    except ValueError as error:
        raise PlatformError(str(error)) from error
    return plan


def _check(plan: Plan) -> None:
    """Raises ValueError unless every tree leads from the root to everybody."""
    if plan.root not in plan.nodes:
        raise ValueError(f"its root '{plan.root}' is not among its nodes")
    counts = [plan.order.count(number) for number in range(len(plan.trees))]
    if not plan.trees or counts != [tree.slices for tree in plan.trees]:
        raise ValueError("its order does not have the slices of its trees")
    if len(plan.order) != sum(counts) or plan.slice_bytes < 1 or not plan.period_s > 0:
        raise ValueError("slices, period_s and order must be above 0 and fit together")
    others = set(plan.nodes) - {plan.root}
    for number, tree in enumerate(plan.trees):
        if set(tree.parents) != others:
            raise ValueError(f"tree {number} does not have a parent for each node but the root")
        for node in others:
            at, steps = node, 0
            while at != plan.root:
                at, steps = tree.parents.get(at, ""), steps + 1
                if steps > len(others):
                    raise ValueError(f"tree {number} does not lead from the root to '{node}'")
