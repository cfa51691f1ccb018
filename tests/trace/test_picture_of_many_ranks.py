"""A picture of more ranks than Matplotlib has pixels for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from anabranch import trace


@pytest.mark.parametrize("ranks", [2, 1400, 1600, 100_000])
def test_no_side_is_longer_than_can_be_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ranks: int
) -> None:
    from matplotlib.figure import Figure

    drawn: list[tuple[float, Any]] = []

    def keep(figure: Figure, *_: object, dpi: float, **__: object) -> None:
        drawn.append((dpi * max(figure.get_size_inches()), figure))

    monkeypatch.setattr(Figure, "savefig", keep)
    visits = (trace.Visit(0, 0, 1, ()), trace.Visit(ranks - 1, 0, 1, ()))
    call = trace.Call(0, 0, "bcast/chain", 1, ranks, 0, visits)
    trace.draw(call, tmp_path / "picture.png")
    ((pixels, figure),) = drawn
    assert pixels < 2**16
    labels = figure.axes[0].get_yticks()
    assert len(labels) < 1500
    assert 0 == labels[0] < labels[-1] < ranks
    if ranks < 1490:
        assert list(labels) == list(range(ranks))
