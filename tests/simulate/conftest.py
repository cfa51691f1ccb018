"""What the tests of simulations share."""

from __future__ import annotations

import pytest
from anabranch import simulate

from ..conftest import skip_or_fail


@pytest.fixture
def has_simgrid() -> None:
    """Skips the test, or fails it in CI, where the program that simulates was not built."""
    try:
        simulate.find_program()
    except simulate.SimulateError as error:
        skip_or_fail(str(error), "REQUIRE_SIMGRID")
