"""The Python side of the model: choosing, evaluating, and looking for the worst arrivals."""

from __future__ import annotations

import pytest
from anabranch import arrivals, model
from anabranch.arrivals import Pattern


def test_every_algorithm_runs_in_the_models_that_it_names():
    for kind in model.MODELS:
        for each in model.choose(None, kind):
            found = model.evaluate(each.id, Pattern((0.0, 1.5, 0.25, 7.0)), kind)
            assert found.total == pytest.approx(sum(found.exits) - 8.75)
            assert found.average == found.total / 4
    assert {each.id for each in model.all_algorithms()} >= {
        "bcast/nearopt",
        "bcast/arrival_b",
        "bcast/arrival_nb",
        "bcast/flat_nb",
        "bcast/baton",
        "bcast/longest_prefix",
        "bcast/scatter_ring_allgather",
    }


def test_evaluation_has_the_measures_of_the_paper():
    found = model.evaluate("bcast/baton", Pattern((0.0, 3.0, 1.0, 4.0)), "blocking")
    assert found.exits == (5.0, 4.0, 2.0, 5.0)
    assert (found.total, found.average, found.worst) == (8.0, 2.0, 5.0)
    assert (found.average_imbalance, found.worst_imbalance) == (1.5, 4.0)
    assert (found.lower, found.upper) == (6.5, 8.0)
    assert (found.ratio_to_lower, found.ratio_to_upper) == (8 / 6.5, 1.0)


@pytest.mark.parametrize("algorithm", ["bcast/flat", "bcast/scatter_ring_allgather"])
def test_any_root_and_a_root_that_is_late(algorithm):
    """Ranks count from the root. What is there before it waits (paper A, 3.1)."""
    turned = model.evaluate(algorithm, Pattern((3.0, 1.0, 0.0, 2.0), root=3), "blocking")
    straight = model.evaluate(algorithm, Pattern((2.0, 3.0, 1.0, 0.0)), "blocking")
    assert turned.exits == (*straight.exits[1:], straight.exits[0])
    assert turned.total == pytest.approx(straight.total)
    early = model.evaluate(algorithm, Pattern((2.0, 3.0, 2.0, 2.0)), "blocking")
    assert straight.total == pytest.approx(early.total + 3)
    assert straight.lower == pytest.approx(early.lower + 3)


def test_summary_is_the_mean_over_patterns():
    patterns = arrivals.generate("random:8", 6, count=5)
    runs = [model.evaluate("bcast/arrival_b", pattern, "blocking") for pattern in patterns]
    found = model.summarise(runs)
    assert found.patterns == 5
    assert found.average == pytest.approx(sum(run.average for run in runs) / 5)
    assert found.largest_worst == max(run.worst for run in runs)
    assert found.largest_ratio_to_lower == max(run.ratio_to_lower for run in runs)


def test_search_finds_what_is_known_to_be_worst():
    flat = model.search("bcast/flat_nb", 8, "nonblocking", tries=500)
    assert flat.ratio == pytest.approx(5.0)  # balanced: (7 + 28) / 7
    baton = model.search("bcast/baton", 8, "blocking", tries=3000)
    assert 0.99 * (1.5 - 1 / 16) <= baton.ratio <= 1.5 - 1 / 16 + 1e-9
    chain = model.search("bcast/chain", 8, "blocking", tries=1000, horizon=1000.0)
    assert chain.ratio >= 0.98 * 7  # p1 late: n - 1 wait for it


def test_what_search_finds_is_a_pattern_that_does_it():
    for reference, ratio in (("bound", "ratio_to_lower"), ("nearopt", "ratio_to_upper")):
        found = model.search("bcast/arrival_b", 5, "blocking", reference=reference, tries=400)
        run = model.evaluate("bcast/arrival_b", found.pattern, "blocking")
        assert getattr(run, ratio) == found.ratio
        assert max(found.pattern.delays) <= 20
    turned = model.search("bcast/flat", 5, "blocking", root=2, tries=400)
    assert turned.pattern.root == 2
    run = model.evaluate("bcast/flat", turned.pattern, "blocking")
    assert run.ratio_to_lower == turned.ratio


def test_search_is_better_with_more_tries_and_follows_its_seed():
    def ratio(**options):
        return model.search("bcast/arrival_b", 6, "blocking", **options)

    few, more = ratio(tries=50), ratio(tries=2000)
    assert few.tries == 50
    assert more.ratio > few.ratio
    assert ratio(tries=50, seed=2).pattern.delays != few.pattern.delays


def test_search_ends_after_its_time():
    assert model.search("bcast/flat", 4, "blocking", tries=None, seconds=1e-9).tries == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "bcast/none"}, "no algorithm 'bcast/none': give bcast/flat, "),
        ({"algorithm": "bcast/flat_nb"}, "not made for the blocking model: give bcast/flat, "),
        ({"model": "eager"}, "unknown model 'eager': give blocking or nonblocking"),
        ({"ranks": 1}, "cannot search with 1 process: give 2 to 1024"),
        ({"reference": "zero"}, "unknown reference 'zero': give bound or nearopt"),
        ({"tries": 0}, "tries is 0: give a number above 0"),
        ({"seconds": float("nan")}, "seconds is nan: give a number above 0"),
        ({"horizon": float("inf")}, "horizon is inf: give a number above 0"),
        ({"tries": None}, "a search needs an end: give tries or seconds"),
    ],
)
def test_bad_requests_are_refused(options, message):
    arguments = {"algorithm": "bcast/flat", "ranks": 4, "model": "blocking"} | options
    with pytest.raises(model.ModelError, match=message):
        model.search(**arguments)
