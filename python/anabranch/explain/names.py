"""Algorithms by what people type: an id, with or without parameters."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from anabranch import _core as core


def find(algorithm_id: str) -> Any:
    """The descriptor. ValueError with one line: the nearest id, and all of the collective."""
    algorithm = core.find_algorithm(algorithm_id)
    if algorithm is not None:
        return algorithm
    known = core.all_algorithms()
    asked = [a for a in known if a.collective.name == algorithm_id.partition("/")[0]]
    ids = [a.id for a in asked or known]
    # Of several collectives' algorithms of one name that of the first, which is bcast.
    names = {a.id.split("/")[1]: a.id for a in sorted(known, key=lambda a: -a.collective.value)}
    near = difflib.get_close_matches(algorithm_id, [*ids, *names], n=1)
    hint = f"did you mean {names.get(near[0], near[0])}? " if near else ""
    raise ValueError(f'"{algorithm_id}" is not an algorithm: {hint}valid are {", ".join(ids)}')


def select(algorithm: str, settings: Sequence[str] = ()) -> Any:
    """The selection for an id with parameters, as "bcast/chain:segment=4KiB", and more of them."""
    identifier, colon, given = algorithm.partition(":")
    collective = find(identifier).collective
    parameters = ",".join([*([given] if colon else []), *settings])
    text = f"{identifier}:{parameters}" if colon or settings else identifier
    return core.parse_selection(collective, text)
