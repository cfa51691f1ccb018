"""What decisions say of candidates that are not taken, and of calls that are left native."""

from __future__ import annotations

from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

from .problems import ALLREDUCE, BCAST, FAST, LAB, collectives, decide, problems, settings_of


@given(collectives, problems(), st.booleans(), st.booleans())
@settings(deadline=None)
def test_each_candidate_that_is_not_taken_has_its_reason(
    collective, problem, is_reproducible, is_native
):
    values = {"reproducible": "1"} if is_reproducible else {}
    if is_native:
        values[collective.name] = "native"
    decision = core.decide(collective, problem, settings_of(**values))
    for candidate in decision.candidates:
        why_not = decision.why_not(candidate)
        if core.text_of(candidate.choice) == core.text_of(decision.choice):
            assert why_not == ""
        elif candidate.refusal:
            assert why_not == candidate.refusal
        else:
            assert why_not
            are_priced = candidate.predicted_s is not None and decision.predicted_s is not None
            # Choices go by the same rule: what sums are rounded by is no difference.
            is_cheaper = are_priced and candidate.predicted_s < (1 - 1e-9) * decision.predicted_s
            assert not is_cheaper or why_not != "no cheaper under the model"
            assert is_cheaper or not why_not.startswith("cheaper")


def test_a_runner_up_that_is_cheaper_is_told_with_the_reason():
    network = core.Network(latency_s=1e-4, time_per_byte_s=2.1e-7)
    measured = core.decide(BCAST, core.Problem(16, 1 << 20, network, node_count=16, largest_node=1))
    assert measured.runner_up.predicted_s < measured.predicted_s
    why_not = f"cheaper under the model, but evidence goes first ({measured.evidence})"
    assert measured.why_not(measured.runner_up) == why_not
    assert core.describe(measured).endswith(f", {why_not}")

    chosen_by_user = decide(16, 1 << 20, bcast="bcast/flat")
    assert core.describe(chosen_by_user).endswith(", not what is set")

    everywhere = core.decide(ALLREDUCE, core.Problem(16, 4096, LAB), settings_of(reproducible="1"))
    for candidate in everywhere.candidates:
        if candidate.predicted_s is not None and candidate.predicted_s < everywhere.predicted_s:
            assert "reproducible" in everywhere.why_not(candidate)


@given(collectives, problems(network=st.just(FAST)))
@settings(deadline=None, max_examples=500)
def test_calls_that_no_algorithm_serves_clearly_faster_are_left_native_and_say_so(
    collective, problem
):
    decision = core.decide(collective, problem)
    if decision.evidence is None and decision.is_native and decision.runner_up is not None:
        cheaper = decision.runner_up.predicted_s < (decision.predicted_s or 0)
        assert ("but by no more than" in core.describe(decision)) == cheaper
