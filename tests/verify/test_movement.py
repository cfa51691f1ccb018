"""The verifier names what is wrong with schedules broken by hand, in one sentence each."""

from __future__ import annotations

import pytest
from anabranch import _core as core
from anabranch._core import (
    Behaviour,
    BlockSet,
    Buffer,
    Builder,
    Collective,
    Repeat,
    Semantics,
)

from .broken_schedules import assert_refused, bcast, builders, check

SCHEDULED = [a for a in core.all_algorithms() if a.serves_any_group]


def test_a_correct_broadcast_is_accepted_and_counted():
    chain = bcast([(0, 0, 1, 0, 2), (1, 1, 2, 0, 2)], 3, 2)
    verdict = check(chain, blocks=2)
    assert verdict.ok
    assert not verdict.reason
    counts = verdict.counts
    assert (counts.rounds, counts.transfers, counts.blocks_moved) == (2, 2, 4)
    assert (list(counts.sends), list(counts.receives)) == ([1, 1, 0], [0, 1, 1])
    assert (counts.redundant_blocks, counts.scratch_blocks) == (0, 0)
    assert (counts.sends_in_a_round, counts.receives_in_a_round) == (1, 1)


def test_counts_are_by_absolute_rank():
    chain = bcast([(0, 0, 1, 0), (1, 1, 2, 0)], 3, 1)
    verdict = check(chain, root=2)
    assert (list(verdict.counts.sends), list(verdict.counts.receives)) == ([1, 0, 1], [1, 1, 0])


def test_a_block_sent_before_it_is_there():
    verdict = check(bcast([(0, 1, 2, 0), (1, 0, 1, 0)], 3, 1))
    assert_refused(verdict, "not_held", "rank 1 sends block 0 in round 0 before it is there")


def test_ranks_in_sentences_are_absolute():
    verdict = check(bcast([(0, 1, 2, 0), (1, 0, 1, 0)], 3, 1), root=1)
    assert_refused(verdict, "not_held", "rank 2 sends block 0 in round 0 before it is there")


@pytest.mark.parametrize("receive_first", [False, True])
def test_a_block_sent_in_the_round_in_which_it_is_received(receive_first):
    relay = Builder(3, 1, 1, 1)
    if receive_first:
        relay.receive(0, 0, BlockSet(0))
    relay.send(0, 2, BlockSet(0))
    if not receive_first:
        relay.receive(0, 0, BlockSet(0))
    schedules = bcast([(0, 0, 1, 0), (0, 1, 2, 0)], 3, 1)
    schedules[1] = relay.finish()
    assert_refused(check(schedules), "not_held", "rank 1 sends block 0 in round 0")


def test_other_blocks_than_expected():
    schedules = bcast([(2, 0, 1, 4, 2)], 2, 6)
    other = bcast([(2, 0, 1, 4, 1), (2, 0, (1,), 5)], 2, 6)
    verdict = check([other[0], schedules[1]], blocks=6)
    assert verdict.fault == "never_received"
    other = bcast([(2, 0, 1, 4, 1)], 2, 6)
    assert_refused(
        check([other[0], schedules[1]], blocks=6),
        "mismatch",
        "rank 1 receives blocks 4..5 from rank 0 in round 2 but rank 0 sends block 4: "
        "1 block in place of 2",
    )
    other = bcast([(2, 0, 1, 3, 2)], 2, 6)
    assert_refused(
        check([other[0], schedules[1]], blocks=6), "mismatch", "rank 0 sends blocks 3..4"
    )


def test_blocks_in_another_order_than_expected():
    messages = Builder(2, 0, 1, 2)
    messages.send(0, 1, BlockSet(1, 2, -1))
    receiver = Builder(2, 1, 1, 2)
    receiver.receive(0, 0, BlockSet(0, 2))
    assert_refused(
        check([messages.finish(), receiver.finish()], blocks=2), "mismatch", "blocks 1, 0"
    )


def test_a_message_that_nobody_receives_and_a_receive_that_nobody_serves():
    verdict = check(bcast([(0, 0, 1, 0), (1, 0, (1,), 0)], 2, 1))
    assert_refused(
        verdict, "never_received", "rank 0 sends block 0 to rank 1 in round 1", "never receives"
    )
    verdict = check(bcast([(0, 0, 1, 0), (1, (0,), 1, 0)], 2, 1))
    assert_refused(
        verdict, "never_sent", "rank 1 waits for block 0 from rank 0 in round 1", "never sends"
    )


def test_a_message_whose_ends_are_in_different_rounds():
    verdict = check(bcast([(0, 0, (1,), 0), (1, (0,), 1, 0)], 2, 1))
    assert_refused(verdict, "rounds_differ", "in round 0 but rank 1 receives in round 1")


def test_peers_that_do_not_exist():
    for peer, words in ((3, "relative rank 3 of 3"), (-1, "relative rank -1"), (0, "itself")):
        schedules = bcast([(0, 0, 1, 0), (1, 1, 2, 0)], 3, 1)
        root = Builder(3, 0, 2, 1)
        root.send(0, peer, BlockSet(0))
        schedules[0] = root.finish()
        assert_refused(check(schedules), "peer", "rank 0", words)


@pytest.mark.parametrize(("blocks", "count"), [((2,), 1), ((0, 3), 1), ((0, 2, 2), 1), ((0,), 3)])
def test_blocks_that_do_not_exist(blocks, count):
    sender, receiver = builders(2, 3, 2)
    sender.send(0, 1, BlockSet(*blocks), Repeat(count))
    verdict = check([sender.finish(), receiver.finish()], blocks=2)
    assert_refused(verdict, "block_range", "rank 0 uses block 2 of 2")


def test_scratch_and_input_that_do_not_exist():
    for buffer in (Buffer.scratch, Buffer.input):
        sender = Builder(2, 0, 1, 1)
        sender.send(0, 1, BlockSet(0, 1, 1, buffer))
        receiver = Builder(2, 1, 1, 1)
        receiver.receive(0, 0, BlockSet(0))
        assert_refused(check([sender.finish(), receiver.finish()]), "block_range", "block 0 of 0")


def test_rounds_outside_the_schedule():
    assert_refused(check(bcast([(2, 0, 1, 0)], 2, 1, 2)), "round_range", "round 2 of 2")
    schedules = [bcast([(0, 0, 1, 0)], 2, 1)[0], bcast([(0, 0, 1, 0)], 2, 1, 2)[1]]
    assert_refused(check(schedules), "round_range", "rank 1 has 2 rounds where others have 1")
    repeated = Builder(2, 0, 2, 3)
    repeated.send(0, 1, BlockSet(0), Repeat(3))
    other = Builder(2, 1, 2, 3)
    other.receive(0, 0, BlockSet(0), Repeat(3))
    schedules = [repeated.finish(), other.finish()]
    assert_refused(check(schedules, blocks=3), "round_range", "round 2 of 2")


def test_schedules_that_are_not_of_this_collective():
    chain = bcast([(0, 0, 1, 0)], 2, 1)
    assert_refused(check(chain[::-1]), "malformed", "relative rank 1 of 2 instead of 0 of 2")
    assert_refused(check(chain, blocks=2), "malformed", "1 output blocks instead of 2")
    assert_refused(check(chain, Collective.allreduce), "malformed", "0 input blocks instead of 1")
    assert_refused(
        core.check_schedules(chain, Semantics(Collective.bcast, 3, 1)), "malformed", "2 schedules"
    )


def test_a_repeat_that_goes_back_in_rounds():
    sender, receiver = builders(2, 3, 2)
    sender.send(1, 1, BlockSet(0), Repeat(2, 1, -1))
    receiver.receive(1, 0, BlockSet(0), Repeat(2, 1, -1))
    verdict = check([sender.finish(), receiver.finish()], blocks=2)
    assert_refused(verdict, "malformed", "goes back in rounds")


def test_a_block_missing_or_wrong_at_the_end():
    assert_refused(check(bcast([(0, 0, 1, 0)], 3, 1)), "result", "rank 2 ends without block 0")
    sender, receiver = builders(2, 1, 2, 1, 0)
    sender.send(0, 1, BlockSet(1))
    receiver.receive(0, 0, BlockSet(0, 1, 1, Buffer.scratch))
    receiver.copy(0, BlockSet(0), BlockSet(0, 1, 1, Buffer.scratch))
    assert_refused(
        check([sender.finish(), receiver.finish()], blocks=2),
        "mismatch",
        "rank 1 puts piece 1 into block 0",
    )


def test_input_is_not_written():
    sender, receiver = builders(2, 1, 1, 0, 1)
    sender.send(0, 1, BlockSet(0, 1, 1, Buffer.input))
    receiver.receive(0, 0, BlockSet(0, 1, 1, Buffer.input))
    schedules = [sender.finish(), receiver.finish()]
    assert_refused(
        check(schedules, Collective.allreduce), "overwritten", "rank 1 writes to its input"
    )


def test_a_block_received_twice_in_a_round():
    schedules = bcast([(0, 0, 1, 0), (1, 0, 2, 0), (1, 1, 2, 0)], 3, 1)
    assert_refused(check(schedules), "overwritten", "rank 2 writes block 0 twice in round 1")


def test_a_block_received_again_is_counted_and_refused_on_demand():
    schedules = bcast([(0, 0, 1, 0), (1, 0, 2, 0), (2, 1, 2, 0)], 3, 1)
    assert check(schedules).counts.redundant_blocks == 1
    assert_refused(check(schedules, no_redundant=True), "redundant", "1 block reaches a rank")


def test_more_ports_than_one_are_counted_and_refused_on_demand():
    schedules = bcast([(0, 0, 1, 0), (0, 0, 2, 0)], 3, 1)
    assert check(schedules).counts.sends_in_a_round == 2
    assert_refused(check(schedules, one_port=True), "one_port", "2 sends")
    two_receives = bcast([(0, 0, 1, 0, 2), (1, 0, 2, 0), (1, 1, 2, 1)], 3, 2)
    assert check(two_receives, blocks=2).counts.receives_in_a_round == 2
    assert_refused(check(two_receives, blocks=2, one_port=True), "one_port", "2 receives")


# What only runs can show: the same schedules without the checks made beforehand.


def run(schedules, blocks=1, **behaviour):
    semantics = Semantics(Collective.bcast, len(schedules), blocks)
    return core.run_collectives([(schedules, semantics)], Behaviour(**behaviour))


def test_a_deadlock_is_named_with_its_circle():
    found = builders(4, 2, 2)
    for rank, (other, sent, received) in enumerate([(1, 0, 1), (2, 0, 0), (3, 0, 0), (1, 0, 0)]):
        if rank:
            found[rank].receive(0, {1: 3, 2: 1, 3: 2}[rank], BlockSet(received))
            found[rank].send(1, other, BlockSet(sent))
    schedules = [builder.finish() for builder in found]
    verdict = run(schedules, 2, synchronous=False)
    assert_refused(
        verdict,
        "deadlock",
        "deadlock: rank 1 waits for rank 3 to send block 0 in round 0, "
        "rank 3 waits for rank 2 to send block 0 in round 0, "
        "rank 2 waits for rank 1 to send block 0 in round 0",
    )
    assert check(schedules, blocks=2).fault == "rounds_differ"


def test_a_receive_in_vain_is_a_standstill():
    schedules = bcast([(0, 0, 1, 0), (1, (0,), 1, 0)], 2, 1)
    assert_refused(run(schedules), "deadlock", "rank 1 waits for rank 0 to send block 0", "in vain")


def test_a_synchronous_send_in_vain_is_a_standstill_and_an_eager_one_is_left_over():
    schedules = bcast([(0, 0, 1, 0), (1, 0, (1,), 0)], 2, 1)
    assert_refused(run(schedules), "deadlock", "rank 0 waits for rank 1 to receive", "in vain")
    assert_refused(run(schedules, synchronous=False), "never_received", "is never received")


def test_a_network_by_itself_finds_wrong_blocks():
    schedules = [bcast([(0, 0, 1, 1)], 2, 2)[0], bcast([(0, 0, 1, 0)], 2, 2)[1]]
    assert_refused(run(schedules, 2), "mismatch", "but rank 0 sends block 1")
    assert_refused(run(bcast([(0, 0, 1, 0)], 2, 2), 2), "result", "rank 1 ends without block 1")


@pytest.mark.parametrize("algorithm", SCHEDULED, ids=lambda a: a.id)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8, 9])
def test_every_algorithm_holds_its_meaning(algorithm, ranks):
    """All of `anabranch verify` up to 9 ranks; the command itself goes to 64."""
    if not algorithm.runs_on(ranks):
        pytest.skip(f"does not run on {ranks} ranks")
    report = core.verify_algorithm(algorithm, ranks)
    assert not report.fault, f"{report.failed_case}: {report.reason}"
    assert report.cases
    assert report.runs >= len(report.cases)


def test_a_campaign_reports_its_smallest_failure():
    ring = core.find_algorithm("bcast/scatter_ring_allgather")
    report = core.verify_algorithm(ring, 5, no_redundant=True)
    assert report.fault == "redundant"
    assert report.failed_case.startswith("5 ranks, 2 blocks, root 0")
    tuned = core.find_algorithm("bcast/scatter_ring_tuned")
    assert not core.verify_algorithm(tuned, 5, no_redundant=True).fault


def test_windows_outside_their_range_are_refused():
    schedules = bcast([(0, 0, 1, 0)], 2, 1)
    for window in ({"receives": 0}, {"sends": 65}):
        with pytest.raises(ValueError, match="window"):
            run(schedules, **window)
