"""Where to draw the nodes of a platform: near to each other what is joined by fast links."""

from __future__ import annotations

import numpy as np

from anabranch import _core as core
from anabranch.planning.columns import distances_s

_ROUNDS = 300
_LEAST_SHARE = 0.02  # of the mean distance: so that the farthest do not press the rest together


def places(platform: core.SlicePlatform) -> np.ndarray:
    """For each node x and y, from 0 to 1.

    Distances on the plane come close to those along shortest ways, by stress majorisation from a
    circle; so the same platform gives the same picture. It lies on its longer side.
    """
    nodes = platform.nodes
    turns = 2 * np.pi * np.arange(nodes) / max(nodes, 1)
    place = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    if nodes > 2:
        place = _majorised(place, _distances(platform))
    place = _laid_flat(place)
    place -= place.min(axis=0)
    return place / max(float(place.max()), 1e-9)


def _laid_flat(place: np.ndarray) -> np.ndarray:
    """Turned so that it is widest from left to right, the first node on the left."""
    centred = place - place.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    turned = centred @ directions[:, ::-1]
    return turned * np.where(turned[0] > 0, -1.0, 1.0)


def _distances(platform: core.SlicePlatform) -> np.ndarray:
    far = np.array([distances_s(platform, node) for node in range(platform.nodes)])
    far = np.minimum(far, far.T)  # the faster direction
    finite = far[np.isfinite(far) & (far > 0)]
    longest = float(finite.max()) if len(finite) else 1.0
    far[~np.isfinite(far)] = 1.5 * longest
    # The square root lets thin links look longer without hiding what is behind the fast ones.
    return np.sqrt(far / longest) + _LEAST_SHARE


def _majorised(place: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Guttman's transform for stress with weights 1 / distance^2, until little changes."""
    weights = 1 / wanted**2
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_ROUNDS):
        actual = np.linalg.norm(place[:, None] - place[None], axis=2)
        np.fill_diagonal(actual, 1)
        factor = -weights * wanted / np.maximum(actual, 1e-9)
        np.fill_diagonal(factor, 0)
        np.fill_diagonal(factor, -factor.sum(axis=1))
        moved = inverse @ (factor @ place)
        if np.abs(moved - place).max() < 1e-4:
            return moved
        place = moved
    return place
