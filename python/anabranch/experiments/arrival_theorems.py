"""Paper A's lemmas and theorems in its own model, with the arrivals of its proofs, as one table."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch import _core as core
from anabranch import arrivals, model
from anabranch.arrivals import Pattern
from anabranch.experiments.tables import Cell, PaperTable, computed_table

RANKS = (16, 128)
SEARCHED_RANKS = 16  # in which the worst arrivals are looked for
TRIES = 2_000
PATTERNS = 20
DEMONSTRATED_RANKS = 401  # of the counterexample to lemma 2
LATE = 4  # of a late process, in n T: the proofs' "much larger than T"
BLOCKING, NON_BLOCKING = model.MODELS
COLUMNS = ("item", "algorithm", "model", "n", "arrivals", "quantity", "the paper", "here")

Row = tuple[Cell, ...]


def table(command: str) -> PaperTable:
    """A row for each claim, number of processes and pattern; times in T."""
    rows = [row for rows in (_lemmas(), _common(), _aware()) for row in rows]
    place = "by the model of section 3.1, in which nothing is measured"
    return computed_table("a-theorems", "Lemmas and theorems", command, COLUMNS, rows, place)


def _lemmas() -> Iterator[Row]:
    for ranks in RANKS:
        kind = f"random:{ranks}"
        drawn = arrivals.generate(kind, ranks, count=PATTERNS)
        for name, most in ((NON_BLOCKING, "at most 1"), (BLOCKING, "0")):
            found = [model.evaluate("bcast/nearopt", pattern, name) for pattern in drawn]
            is_blocking = name == BLOCKING
            here = max(
                abs(own.total - ranks - max(own.arrivals)) if is_blocking else own.average
                for own in found
            )
            quantity = "total - (nT + Delta)" if is_blocking else "average"
            yield ("lemma 1", "nearopt", name, ranks, kind, quantity, most, round(here, 6))
    ranks = RANKS[0]
    all_late = Pattern((0.0, *[float(ranks)] * (ranks - 1)))
    sent_before = model.evaluate("bcast/flat_nb", all_late, NON_BLOCKING)
    yield (
        *("lemma 2", "flat_nb", NON_BLOCKING, ranks, "receivers late by nT", "total"),
        *(f"at least {ranks - 1}", sent_before.total),
    )
    ranks = DEMONSTRATED_RANKS
    steps = [i / 4 for i in range(ranks)]
    among_themselves = core.simulate_fluid_policy(model.AmongThemselves(ranks - 1), steps)
    yield (
        *("lemma 2", "the counterexample", BLOCKING, ranks, "sorted:0.25", "total"),
        *(f"at least {steps[-1] + ranks - 1:g}", f"{among_themselves.total:g}"),
    )


def _common() -> Iterator[Row]:
    """Of algorithms that do not look who is there: totals over that of nearopt."""
    for ranks in RANKS:
        late = float(LATE * ranks)
        balanced = Pattern((0.0,) * ranks)
        flat = model.evaluate("bcast/flat", balanced, BLOCKING)
        total = (ranks - 1) + ranks * (ranks - 1) / 2
        yield (
            *("theorem 1", "flat", BLOCKING, ranks, "balanced", "total"),
            *(f"{total:,g}", flat.total),
        )
        children = Pattern(
            tuple(late if rank and rank & (rank - 1) == 0 else 0.0 for rank in range(ranks))
        )
        second = Pattern((0.0, late, *[0.0] * (ranks - 2)))
        proofs = (
            ("theorem 1", "bcast/flat", balanced, "balanced", (ranks - 1) / 2),
            ("theorem 2", "bcast/binomial", children, "root's children late", ranks / 4),
            ("theorem 3", "bcast/chain", second, "p1 late", ranks / 4),
            ("theorem 4", "bcast/scatter_ring_allgather", second, "p1 late", ranks / 4),
        )
        for item, algorithm, pattern, kind, least in proofs:
            here = model.evaluate(algorithm, pattern, BLOCKING).ratio_to_upper
            yield (
                *(item, algorithm.removeprefix("bcast/"), BLOCKING, ranks, kind),
                *("total / nearopt", f"at least {least:g}", here),
            )
    ranks = RANKS[0]
    for algorithm in ("bcast/binomial", "bcast/chain", "bcast/scatter_ring_allgather"):
        for late in (1e3, 1e6):
            pattern = Pattern((0.0, late, *[0.0] * (ranks - 2)))
            here = model.evaluate(algorithm, pattern, NON_BLOCKING).ratio_to_upper
            yield (
                *("lemma 3", algorithm.removeprefix("bcast/"), NON_BLOCKING, ranks),
                *(f"p1 late by {late:,.0f} T", "total / nearopt"),
                *(f"at least {late / ranks:,g}", here),
            )


def _aware() -> Iterator[Row]:
    """The worst of a search, over what any algorithm takes at least."""
    ranks = SEARCHED_RANKS
    ours_blocking = 1.5 - 1 / (2 * ranks)
    claims = (
        ("theorem 5", "bcast/arrival_nb", NON_BLOCKING, "at most 3"),
        ("theorem 6", "bcast/arrival_b", BLOCKING, "at most 3"),
        ("ours", "bcast/baton", BLOCKING, f"(ours) at most {ours_blocking:.3g}"),
        (
            *("ours", "bcast/longest_prefix", NON_BLOCKING),
            f"(ours) at most {ranks / (ranks - 1):.3g}",
        ),
    )
    for item, algorithm, name, most in claims:
        found = model.search(algorithm, ranks, name, tries=TRIES)
        yield (
            *(item, algorithm.removeprefix("bcast/"), name, ranks, "the worst found"),
            *("total / lower bound", most, found.ratio),
        )
