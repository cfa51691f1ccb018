"""The papers' studies measure as `anabranch bench` does, so their tests share its fixtures."""

from __future__ import annotations

from ..bench.conftest import contender, document, make_launch, small_measurement

__all__ = ["contender", "document", "make_launch", "small_measurement"]
