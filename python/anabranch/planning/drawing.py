"""A plan as a picture: its trees over the platform, one panel each.

Plain SVG; the same plan gives the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from anabranch import _core as core
from anabranch.planning.layout import places
from anabranch.planning.plan import Plan, PlannedTree
from anabranch.platform.description import Platform
from anabranch.platform.errors import PlatformError
from anabranch.platform.pricing import price

MOST_PANELS = 6
MOST_NODES = 200
MOST_LINKS = 3000  # of the platform, that are drawn behind the trees

_FONT = "'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_INK, _DIM, _LINE, _NODE = "#1f2933", "#5f6c7b", "#e3e7ed", "#ffffff"
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C564B", "#56B4E9")
_DASHES = "7 4"
_HEAD, _FOOT, _MARGIN = 74, 20, 34  # px
_CAPTION = 26  # px above a panel
Spot = tuple[float, float]  # x and y, px


@dataclass(frozen=True)
class _Panel:
    """Where a tree is drawn: its left upper corner."""

    x: float
    y: float
    side: float  # px of the longer side


def plan_svg(plan: Plan, platform: Platform) -> str:
    """The picture. PlatformError where it would be too large to be of use."""
    if len(plan.nodes) > MOST_NODES:
        raise PlatformError(f"{len(plan.nodes)} nodes are too many to draw: at most {MOST_NODES}")
    shown = plan.trees[:MOST_PANELS]
    columns = min(3, len(shown))
    side = 300 + 3 * len(plan.nodes)
    rows = math.ceil(len(shown) / columns)
    at = places(price(platform, plan.slice_bytes, plan.model))
    row_height = round(side * float(at[:, 1].max())) + 2 * _MARGIN + _CAPTION
    width = max(columns * (side + 2 * _MARGIN), 520)
    height = _HEAD + rows * row_height + _FOOT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{_FONT}">',
        f"<title>{escape(_title(plan))}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(20, 30, _title(plan), 17, _INK, weight="bold"),
        _text(20, 50, _subtitle(plan), 12, _DIM),
    ]
    for number, tree in enumerate(shown):
        panel = _Panel(
            (number % columns) * (side + 2 * _MARGIN) + _MARGIN,
            _HEAD + (number // columns) * row_height + _CAPTION + _MARGIN / 2,
            side,
        )
        lines += _drawn(plan, platform, tree, number, panel, at)
    lines.append(_text(20, height - 14, _legend(platform), 12, _DIM))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _title(plan: Plan) -> str:
    count = len(plan.trees)
    name = plan.platform.get("name") or "platform"
    return f"{name}: {count} tree{'' if count == 1 else 's'} from {plan.root}"


def _subtitle(plan: Plan) -> str:
    rate = core.format_bandwidth(plan.rate_per_s * plan.slice_bytes)
    share = plan.rate_per_s / plan.bound_per_s
    text = (
        f"{plan.model}, slices of {core.format_size(plan.slice_bytes)}: {rate}, "
        f"{share:.1%} of the bound"
    )
    if (more := len(plan.trees) - MOST_PANELS) > 0:
        rest = sum(tree.slices for tree in plan.trees[MOST_PANELS:]) / len(plan.order)
        text += f"; {more} more trees with {rest:.0%} of the slices are not shown"
    return text


def _legend(platform: Platform) -> str:
    dashed = "; dashed: through a shared link" if platform.shared_links else ""
    return f"The wider an arrow, the faster its link{dashed}"


def _drawn(
    plan: Plan, platform: Platform, tree: PlannedTree, number: int, panel: _Panel, at: np.ndarray
) -> list[str]:
    spots = {
        name: (panel.x + panel.side * float(x), panel.y + panel.side * float(y))
        for name, (x, y) in zip(platform.names, at, strict=True)
    }
    colour = _COLOURS[number % len(_COLOURS)]
    share = tree.slices / len(plan.order)
    caption = f"tree {number}: {tree.slices} of {len(plan.order)} slices ({share:.0%})"
    lines = [_text(panel.x - 14, panel.y - _MARGIN / 2 - 8, caption, 13, colour, weight="bold")]
    if len(platform.links) <= MOST_LINKS:
        pairs = {tuple(sorted(link.ends)) for link in platform.links}
        lines += [_line(spots[a], spots[b], _LINE, 1) for a, b in sorted(pairs)]
    used = {(parent, child) for child, parent in tree.parents.items()}
    sharing = {ends for shared in platform.shared_links for ends in shared.links}
    rates = [platform.rate_of(link) or 0.0 for link in platform.links]
    fastest = max(rates, default=1.0)
    radius = 11 if len(platform.nodes) <= 40 else 7
    for link, rate in zip(platform.links, rates, strict=True):
        if link.ends in used:
            ends = spots[link.source], spots[link.target]
            others = [spot for name, spot in spots.items() if name not in link.ends]
            bend = _bend(*ends, others, radius + 4)
            dashes = _DASHES if link.ends in sharing else "none"
            lines += _arrow(*ends, bend, colour, 1 + 3 * rate / fastest, radius, dashes)
    for name, (x, y) in spots.items():
        is_root = name == plan.root
        fill, ink = (colour, "#ffffff") if is_root else (_NODE, _INK)
        lines.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{colour}" '
            'stroke-width="1.5"/>'
        )
        size = min(10.0, radius * 3.2 / max(len(name), 1))
        lines.append(_text(x, y + size / 3, name, size, ink, anchor="middle"))
    return lines


def _bend(start: Spot, end: Spot, others: Sequence[Spot], clear: float) -> Spot:
    """The point towards which an arrow is bent so that it passes the other nodes."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    bends = [0.0, *(sign * part * length for part in (0.15, 0.3, 0.45) for sign in (1, -1))]
    bent = [(middle[0] - dy / length * by, middle[1] + dx / length * by) for by in bends]

    def nearest(control: Spot) -> float:
        return min(
            (
                math.dist(_on(start, control, end, t / 16), other)
                for t in range(1, 16)
                for other in others
            ),
            default=clear,
        )

    return next((each for each in bent if nearest(each) >= clear), bent[0])


def _on(start: Spot, control: Spot, end: Spot, share: float) -> Spot:
    """That far along a quadratic curve."""
    a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
    return (
        a * start[0] + b * control[0] + c * end[0],
        a * start[1] + b * control[1] + c * end[1],
    )


def _arrow(
    start: Spot, end: Spot, bend: Spot, colour: str, width: float, radius: float, dashes: str
) -> list[str]:
    """From rim to rim of the nodes' circles."""
    length = math.dist(bend, end) or 1.0
    dx, dy = (end[0] - bend[0]) / length, (end[1] - bend[1]) / length
    tip = (end[0] - dx * radius, end[1] - dy * radius)
    head = 5 + width
    back = (tip[0] - dx * head, tip[1] - dy * head)
    wing = head / 2
    points = [
        tip,
        (back[0] - dy * wing, back[1] + dx * wing),
        (back[0] + dy * wing, back[1] - dx * wing),
    ]
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in (bend, back))
    return [
        f'<path d="M{start[0]:.1f},{start[1]:.1f} Q{curve}" fill="none" stroke="{colour}" '
        f'stroke-width="{width:.1f}" stroke-dasharray="{dashes}"/>',
        f'<polygon points="{text}" fill="{colour}"/>',
    ]


def _line(start: Spot, end: Spot, colour: str, width: float) -> str:
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}"/>'
    )


def _text(
    x: float,
    y: float,
    content: str,
    size: float,
    colour: str,
    *,
    weight: str = "normal",
    anchor: str = "start",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}" fill="{colour}" '
        f'font-weight="{weight}" text-anchor="{anchor}">{escape(content)}</text>'
    )
