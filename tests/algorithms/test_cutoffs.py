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
REDUCE_SCATTER = ("reduce_scatter/recursive_doubling", whole("reduce_scatter/pairwise"))
BCAST = ("bcast/binomial", "bcast/scatter_doubling_allgather")


def rounds(ranks: int) -> int:
    return (ranks - 1).bit_length()


def more_bytes(ranks: int) -> float:
    """Of the algorithm for short messages, in m."""
    return rounds(ranks) - 2 * (ranks - 1) / ranks


def reduce_scatter_bytes(ranks: int) -> float:
    return (ranks - 1 - rounds(ranks)) * ALPHA / (more_bytes(ranks) * BETA)


def bcast_bytes(ranks: int) -> float:
    return rounds(ranks) * ALPHA / (more_bytes(ranks) * BETA)


@pytest.mark.parametrize("ranks", POWERS)
def test_cutoff_of_reduce_scatter(ranks: int) -> None:
    """(p - 1 - q) alpha / ((q - 2 (p - 1) / p) beta)."""
    found = modelled_cutoff_bytes("reduce_scatter", *REDUCE_SCATTER, ranks, NETWORK)
    assert found == pytest.approx(reduce_scatter_bytes(ranks), rel=1e-3)


@pytest.mark.parametrize("ranks", POWERS)
def test_cutoff_of_bcast(ranks: int) -> None:
    """q alpha / ((q - 2 (p - 1) / p) beta)."""
    found = modelled_cutoff_bytes("bcast", *BCAST, ranks, NETWORK)
    assert found == pytest.approx(bcast_bytes(ranks), rel=1e-3)


@pytest.mark.parametrize(
    ("pair", "function"), [(REDUCE_SCATTER, "reduce_scatter"), (BCAST, "bcast")]
)
def test_there_is_none_on_two_processes(pair: tuple[str, str], function: str) -> None:
    assert modelled_cutoff_bytes(function, *pair, 2, NETWORK) is None


def test_the_broadcast_pays_from_four_processes_on() -> None:
    """Section 4.3 says where lg p > 2, leaving out the factor (p - 1) / p of its own formula."""
    assert more_bytes(2) == 0 < more_bytes(4)
    assert bcast_bytes(4) == pytest.approx(4 * ALPHA / BETA)
    assert bcast_bytes(8) == pytest.approx(2.4 * ALPHA / BETA)
    assert bcast_bytes(256) == pytest.approx(8 / 6.0078 * ALPHA / BETA, rel=1e-3)


def test_the_formula_grows_less_than_paper_d_measured() -> None:
    """13-fold from 8 to 256 processes, where the paper found 512 bytes and 50 KB: 100-fold."""
    paper = PAPER_CUTOFFS["reduce_scatter"]
    assert reduce_scatter_bytes(256) / reduce_scatter_bytes(8) == pytest.approx(12.85, rel=0.01)
    assert paper[256] / paper[8] == 100


def test_the_papers_cutoffs_are_of_no_one_network() -> None:
    """alpha / beta that they imply, in bytes: they differ 20-fold, those of broadcast twofold."""
    implied = {
        ranks: cutoff * more_bytes(ranks) / (ranks - 1 - rounds(ranks))
        for ranks, cutoff in PAPER_CUTOFFS["reduce_scatter"].items()
    }
    assert [round(implied[ranks]) for ranks in POWERS] == [160, 99, 60, 106, 642, 1245]
    broadcast = [12288 * more_bytes(ranks) / rounds(ranks) for ranks in (8, 256)]
    assert [round(each) for each in broadcast] == [5120, 9228]
