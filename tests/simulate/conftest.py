"""What the tests of simulations share."""

from __future__ import annotations

import pytest
from anabranch import simulate


@pytest.fixture
def has_simgrid() -> None:
    """Skips the test where the program that simulates was not built."""
    try:
        simulate.find_program()
    except simulate.SimulateError as error:
        pytest.skip(str(error))
