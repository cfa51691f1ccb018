"""Whether ranks come together: looks at balanced and unbalanced programs."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch.planning.planner import make_plan
from hypothesis import given, settings
from hypothesis import strategies as st

MOST = core.Balance.MOST_CALLS
NETWORK = core.Network(latency_s=5e-5, time_per_byte_s=2.1e-7)


def letters(together: list[bool], balance: core.Balance | None = None) -> str:
    """Who serves each of the calls: "p" the protocol, "s" a schedule. balance: that goes on."""
    balance = balance or core.Balance()
    served = ""
    for is_together in together:
        if balance.expects_all:
            served += "s"
            balance.passed()
        else:
            served += "p"
            balance.saw(is_together)
    return served


def test_a_balanced_program_is_looked_at_ever_more_rarely() -> None:
    served = letters([True] * 200)
    assert served.startswith("ps" + "pss" + "pssss" + "p" + 8 * "s" + "p" + 16 * "s" + "p")
    rest = served[len("ps" + "pss" + "pssss") + 9 + 17 :]
    # Not at a fixed distance, which might be that of calls to which nobody comes late.
    assert rest.startswith("".join("p" + (MOST - i) * "s" for i in range(4)))


def test_an_unbalanced_program_goes_by_the_protocol() -> None:
    assert set(letters([False] * 100)) == {"p"}


@given(st.integers(0, 300))
def test_a_program_that_ceases_to_be_balanced_is_noticed(before: int) -> None:
    served = letters([True] * before + [False] * 100)
    assert set(served[before + MOST + 1 :]) == {"p"}


@given(st.lists(st.booleans(), max_size=300))
def test_after_a_late_rank_it_begins_anew(together: list[bool]) -> None:
    served = letters([*together, *[False] * (MOST + 1), *[True] * (MOST + 6)])
    looks = served[len(together) + MOST + 1 :]
    needed = looks.find("s")
    assert 2 <= needed <= MOST
    assert looks[needed:].startswith("spssp"[: len(looks) - needed])


@settings(max_examples=40, deadline=None)
@given(st.integers(2, MOST), st.integers(0, MOST - 1))
def test_a_program_with_a_late_rank_in_one_call_of_each_iteration_goes_by_the_protocol(
    calls: int, late: int
) -> None:
    """All others come together. In the end nobody waits for the late one, but for now and then."""
    count = 30_000
    together = [call % calls != late % calls for call in range(count)]
    served = letters(together)
    of_late = [served[call] for call in range(count // 2, count) if not together[call]]
    assert of_late.count("s") <= 0.1 * len(of_late)


def test_what_was_late_once_is_forgotten_long_after() -> None:
    served = letters([False, *[True] * 1000, False, *[True] * 10])
    assert served.startswith("pppsp")  # two looks in a row
    balance = core.Balance()
    letters([False, *[True] * 6000], balance)
    while balance.expects_all:
        balance.passed()
    balance.saw(False)
    assert balance.late_in_a_row == 1
    assert not balance.saw(True)
    assert balance.saw(True)


def test_looks_that_cost_much_become_rare() -> None:
    balance = core.Balance()
    balance.note_cost_of_looks(2.0)  # three times as long as other calls
    served = letters([True] * 2000, balance)
    assert served[1000:].count("p") * 2.0 <= 0.025 * 1000
    balance.note_cost_of_looks(0)
    assert balance.saw(True) is False
    assert balance.calls_after_look == MOST


@given(st.lists(st.booleans(), min_size=1, max_size=300))
def test_at_most_so_many_calls_go_without_a_look(together: list[bool]) -> None:
    served = letters(together)
    assert served[0] == "p"
    assert max(map(len, served.split("p"))) <= MOST


def test_who_came_a_little_apart_is_expected_so_again() -> None:
    balance = core.Balance()
    assert balance.expected_spread_s == 0
    balance.note_spread(2e-3, 60e-3)
    assert balance.expected_spread_s == pytest.approx(2e-3)
    balance.note_spread(1e-3, 60e-3)
    assert balance.expected_spread_s == pytest.approx(1e-3)


@pytest.mark.parametrize(("spread_s", "call_s"), [(4e-3, 60e-3), (1.0, 60e-3), (1e-6, 0.0)])
def test_nobody_waits_longer_than_it_is_worth(spread_s: float, call_s: float) -> None:
    balance = core.Balance()
    balance.note_spread(2e-3, 60e-3)
    balance.note_spread(spread_s, call_s)
    assert balance.expected_spread_s == 0


@pytest.mark.parametrize("name", ["bcast", "allreduce", "reduce"])
def test_balanced_calls_go_by_the_schedules_that_evidence_prefers(name: str) -> None:
    def chosen(*, is_balanced: bool) -> core.Algorithm:
        problem = core.Problem(
            16, 1 << 20, NETWORK, node_count=16, largest_node=1, is_balanced=is_balanced
        )
        return core.decide(getattr(core.Collective, name), problem).choice.algorithm

    assert chosen(is_balanced=False).is_protocol
    expected = {"bcast": "bcast/two_tree", "allreduce": "allreduce/ring", "reduce": "reduce/chain"}
    assert chosen(is_balanced=True).id == expected[name]


def test_what_is_set_is_set_for_balanced_calls_too() -> None:
    settings = core.Settings()
    settings.set("bcast", "bcast/baton")
    problem = core.Problem(16, 1 << 20, NETWORK, is_balanced=True)
    decision = core.decide(core.Collective.bcast, problem, settings)
    assert decision.choice.algorithm.id == "bcast/baton"


@pytest.mark.parametrize(
    "platform",
    [platforms.gaussian(12, 1, mean_bytes_per_s=5e6), platforms.clusters((7, 5), 1)],
    ids=["gaussian", "clusters"],
)
def test_where_links_differ_nobody_waits_for_the_late_on_a_plan(
    platform: platforms.Platform,
) -> None:
    size_bytes = 1 << 22
    planned = make_plan(platform, "n0", sizes_bytes=[size_bytes])
    plan = core.PlanOfTrees.parse(planned.plan.to_json())
    places = core.Places(list(range(12)), plan, list(range(12)))
    slowest = core.Network(1e-5, 1 / min(platform.rate_of(link) for link in platform.links))

    def chosen(*, is_balanced: bool) -> core.Decision:
        problem = core.Problem(
            12, size_bytes, slowest, places=places, links_differ=True, is_balanced=is_balanced
        )
        return core.decide(core.Collective.bcast, problem)

    assert chosen(is_balanced=False).choice.algorithm.id == "bcast/baton"
    along_the_plan = chosen(is_balanced=True)
    assert along_the_plan.choice.algorithm.id == "bcast/plan"
    # As the planner expects it, but for the first slice.
    (expected_s,) = planned.planned_s
    assert along_the_plan.predicted_s == pytest.approx(expected_s, rel=0.05)
