"""The papers' studies measure as `anabranch bench` does, so their tests share its fixtures."""

from __future__ import annotations

from ..bench.conftest import contender, document, make_launch, small_measurement
from ..simulate.conftest import has_simgrid

__all__ = ["contender", "document", "has_simgrid", "make_launch", "small_measurement"]
