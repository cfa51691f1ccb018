"""From which size on paper D's algorithms for long messages are the faster ones (4.4, section 5).

The paper promises formulas. Here they follow from the cost formulas of the descriptors, and the
closed forms of this file hold them.
"""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch.experiments.comparison import modelled_cutoff_bytes
from anabranch.experiments.switched_figures import PAPER_CUTOFFS, whole

ALPHA, BETA = 1e-2, 4e-9  # so long that parts of whole bytes do not matter
NETWORK = core.Network(ALPHA, BETA)
POWERS = [8, 16, 32, 64, 128, 256]
PAIRS = {
    "reduce_scatter": ("reduce_scatter/recursive_doubling", whole("reduce_scatter/pairwise")),
    "bcast": ("bcast/binomial", "bcast/scatter_doubling_allgather"),
}


def rounds(ranks: int) -> int:
    return (ranks - 1).bit_length()


def more_bytes(ranks: int) -> float:
    """Of the algorithm for short messages, in m."""
    return rounds(ranks) - 2 * (ranks - 1) / ranks


def cutoff_bytes(function: str, ranks: int) -> int | None:
    return modelled_cutoff_bytes(function, *PAIRS[function], ranks, NETWORK)


@pytest.mark.parametrize("ranks", POWERS)
def test_cutoff_of_reduce_scatter(ranks: int) -> None:
    """(p - 1 - q) alpha / ((q - 2 (p - 1) / p) beta)."""
    expected = (ranks - 1 - rounds(ranks)) * ALPHA / (more_bytes(ranks) * BETA)
    assert cutoff_bytes("reduce_scatter", ranks) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("ranks", POWERS)
def test_cutoff_of_bcast(ranks: int) -> None:
    """q alpha / ((q - 2 (p - 1) / p) beta)."""
    expected = rounds(ranks) * ALPHA / (more_bytes(ranks) * BETA)
    assert cutoff_bytes("bcast", ranks) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("function", PAIRS)
def test_there_is_none_on_two_processes(function: str) -> None:
    assert cutoff_bytes(function, 2) is None


@pytest.mark.parametrize(("ranks", "expected"), [(4, 4), (8, 2.4), (256, 8 / 6.0078)])
def test_the_broadcast_pays_from_four_processes_on(ranks: int, expected: float) -> None:
    """Section 4.3 says where lg p > 2, leaving out the factor (p - 1) / p of its own formula."""
    assert cutoff_bytes("bcast", ranks) == pytest.approx(expected * ALPHA / BETA, rel=1e-3)


def test_the_formula_grows_less_than_paper_d_measured() -> None:
    """13-fold from 8 to 256 processes, where the paper found 512 bytes and 50 KB: 100-fold."""
    paper = PAPER_CUTOFFS["reduce_scatter"]
    growth = cutoff_bytes("reduce_scatter", 256) / cutoff_bytes("reduce_scatter", 8)
    assert growth == pytest.approx(12.85, rel=0.01)
    assert growth < paper[256] / paper[8]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("reduce_scatter", {8: 160, 16: 98.91, 32: 60.31, 64: 106.09, 128: 642, 256: 1245.3}),
        ("bcast", {8: 5120, 256: 9228}),
    ],
)
def test_the_papers_cutoffs_are_of_no_one_network(
    function: str, expected: dict[int, float]
) -> None:
    """alpha / beta that they imply, in bytes: they differ 20-fold, those of broadcast twofold."""
    implied = {
        ranks: PAPER_CUTOFFS[function][ranks] * ALPHA / (BETA * cutoff_bytes(function, ranks))
        for ranks in expected
    }
    assert implied == pytest.approx(expected, rel=1e-3)
