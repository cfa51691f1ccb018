"""One-port periods: every link gets its time, no port is used twice, nothing is lost."""

from __future__ import annotations

import pytest
from anabranch._core import build_tree, one_port_schedule, pack_trees

from .slice_platforms import one_port, random_links


def check_schedule(platform, trees, slices, phases):
    busy_s = [0.0] * len(platform.links)
    end_s = 0.0
    period_s = max(platform.loads_s(trees, slices))
    for phase in phases:
        assert phase.start_s == pytest.approx(end_s, abs=1e-9 * period_s)
        assert phase.duration_s > 0
        end_s = phase.start_s + phase.duration_s
        senders = [platform.links[link][0] for link in phase.links]
        receivers = [platform.links[link][1] for link in phase.links]
        assert len(set(senders)) == len(senders)
        assert len(set(receivers)) == len(receivers)
        for link in phase.links:
            busy_s[link] += phase.duration_s
    assert end_s == pytest.approx(period_s, rel=1e-8)
    wanted_s = [0.0] * len(platform.links)
    for tree, share in zip(trees, slices, strict=True):
        for link in tree:
            if link >= 0:
                wanted_s[link] += share * platform.time_s[link]
    assert busy_s == pytest.approx(wanted_s, abs=1e-8 * period_s)


@pytest.mark.parametrize("seed", range(8))
def test_packed_trees_fit_into_one_unit_of_time(seed):
    platform = one_port(20, random_links(20, 120, seed, low=0.8, high=1.4))
    packing = pack_trees(platform, 0, 0.01, 10.0)
    phases = one_port_schedule(platform, packing.trees, packing.rates_per_s)
    check_schedule(platform, packing.trees, packing.rates_per_s, phases)
    assert phases[-1].start_s + phases[-1].duration_s <= 1 + 1e-9
    busy = {link for tree in packing.trees for link in tree if link >= 0}
    assert len(phases) <= 2 * (len(busy) + platform.nodes)


def test_whole_slices_of_a_single_tree():
    platform = one_port(20, random_links(20, 120, 1))
    tree = build_tree(platform, 0, "tree/grow")
    check_schedule(platform, [tree], [3.0], one_port_schedule(platform, [tree], [3.0]))


def test_a_chain_sends_all_at_once():
    platform = one_port(3, [(0, 1, 2.0), (1, 2, 2.0)])
    (phase,) = one_port_schedule(platform, [[-1, 0, 1]], [1.0])
    assert (phase.start_s, phase.duration_s, phase.links) == (0, pytest.approx(2), [0, 1])


def test_nothing_to_send_takes_no_time():
    platform = one_port(2, [(0, 1, 2.0)])
    assert one_port_schedule(platform, [], []) == []
    assert one_port_schedule(platform, [[-1, 0]], [0.0]) == []


def test_refuses_shares_that_are_none():
    platform = one_port(2, [(0, 1, 2.0)])
    with pytest.raises(ValueError, match="the time of link 0 is negative or not finite"):
        one_port_schedule(platform, [[-1, 0]], [-1.0])
    with pytest.raises(ValueError, match="there are 0 shares for 1 trees"):
        one_port_schedule(platform, [[-1, 0]], [])
