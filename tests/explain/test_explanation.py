"""Explanations as values and as pictures, for every algorithm of the registry."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from anabranch import _core as core
from anabranch.explain import DrawingError, block_text, explain, explanation_svg, find, select
from anabranch.explain.drawing import HELD

SVG = "{http://www.w3.org/2000/svg}"
SCHEDULED = [a.id for a in core.all_algorithms() if a.serves_any_group]
every_algorithm = pytest.mark.parametrize("algorithm", SCHEDULED)


def is_rooted(algorithm: str) -> bool:
    return core.is_rooted(core.find_algorithm(algorithm).collective)


@every_algorithm
@pytest.mark.parametrize(("ranks", "root"), [(1, 0), (2, 1), (5, 3), (8, 0), (9, 8)])
def test_transfers_are_those_of_the_model(algorithm, ranks, root):
    root = root if is_rooted(algorithm) else 0
    explanation = explain(algorithm, ranks, root=root, size_bytes=10_000)
    problem = core.Problem(ranks, 10_000, explanation.network)
    choice = core.with_defaults(core.find_algorithm(algorithm), problem)
    outcome = core.simulate_choice(
        choice, problem, core.machine_of(explanation.network), trace=True
    )
    told = sorted((t.round, t.src, t.dst, t.size_bytes) for t in explanation.transfers)
    simulated = sorted(
        (t.round, (t.src + root) % ranks, (t.dst + root) % ranks, t.size_bytes)
        for t in outcome.transfers
    )
    assert [t for t in told if t[3]] == simulated
    assert explanation.simulated_s == outcome.completion_s
    for rank, traffic in enumerate(explanation.traffic):
        assert traffic.bytes_received == outcome.traffic[(rank - root) % ranks].bytes_received
    # Everybody has, or gets, what is due to it.
    semantics = explanation.semantics
    for rank in range(ranks):
        got = {block for t in explanation.transfers if t.dst == rank for block in t.blocks}
        for block in range(
            0 if semantics.combines else semantics.blocks_in(rank, core.Buffer.output)
        ):
            due = semantics.after(rank, core.Buffer.output, block)
            assert due.first_rank == rank or due.piece in got


def test_the_tuned_ring_saves_what_paper_c_says():
    def ring_transfers(ranks: int) -> int:
        scatter_rounds = (ranks - 1).bit_length()
        explanation = explain("bcast/scatter_ring_tuned", ranks)
        return sum(t.round >= scatter_rounds for t in explanation.transfers)

    assert [ring_transfers(p) for p in (8, 9, 10, 16, 17)] == [44, 59, 75, 208, 239]


def test_reductions_are_told_apart():
    """The message of a reduce is one that its receiver combines."""
    given = core.BlockSet(0, buffer=core.Buffer.input)
    builders = [core.Builder(2, rank, 1, 1 - rank).input(1) for rank in range(2)]
    builders[1].send(0, 0, given)
    builders[0].copy(0, core.BlockSet(0), given)
    builders[0].reduce(0, 1, core.BlockSet(0))
    schedules = [builder.finish() for builder in builders]
    (message,) = core.messages_of(schedules, core.Semantics(core.Collective.reduce, 2, 1, 1))
    assert message.reduces
    assert (message.src, message.dst, message.pieces) == (0, 1, [0])


def test_blocks_can_be_given():
    explanation = explain("bcast/chain", 5, blocks=6)
    assert (explanation.blocks, explanation.rounds, len(explanation.transfers)) == (6, 9, 24)
    assert explanation.formula_s is None


def test_policies_are_followed():
    explanation = explain("bcast/paper_d", 16, size_bytes=2**20)
    assert explanation.algorithm.id == "bcast/scatter_doubling_allgather"
    assert explanation.policy.id == "bcast/paper_d"


def test_parameters_come_from_the_id_and_from_settings():
    assert select("bcast/chain:segment=4KiB").text() == "bcast/chain:segment=4KiB"
    assert select("bcast/chain", ["segment=4KiB"]).text() == "bcast/chain:segment=4KiB"
    with pytest.raises(ValueError, match="given twice"):
        select("bcast/chain:segment=4KiB", ["segment=8KiB"])


@pytest.mark.parametrize(("text", "meant"), [("bcast/chian", "chain"), ("circulnt", "circulant")])
def test_the_nearest_id_is_suggested(text, meant):
    valid = "bcast/arrival_b" if "/" in text else "allgather/"
    with pytest.raises(ValueError, match=f"did you mean bcast/{meant}[?] valid are {valid}"):
        find(text)


@every_algorithm
def test_dictionaries_are_json(algorithm):
    explanation = explain(algorithm, 6, root=2 if is_rooted(algorithm) else 0, size_bytes=6 << 10)
    data = json.loads(json.dumps(explanation.as_dict()))
    assert data["schema"] == "anabranch/explain/1"
    assert sum(b["size_bytes"] for b in data["blocks"]) == data["size_bytes"]
    assert len(data["transfers"]) == len(explanation.transfers)
    assert sum(t["bytes_sent"] for t in data["traffic"]) == data["total_bytes"]


@every_algorithm
def test_goal_has_a_line_per_message(algorithm):
    explanation = explain(algorithm, 6)
    text = explanation.goal()
    assert text.startswith("num_ranks 6\n")
    assert len(re.findall(r": send ", text)) == len(explanation.transfers)


@every_algorithm
@pytest.mark.parametrize("ranks", [1, 2, 7, 16])
def test_pictures_show_every_transfer_inside_the_frame(algorithm, ranks):
    explanation = explain(algorithm, ranks)
    text = explanation_svg(explanation)
    assert text == explanation_svg(explain(algorithm, ranks))
    picture = ElementTree.fromstring(text)
    heads = picture.findall(f"{SVG}polygon")
    assert len(heads) == len(explanation.transfers) + 1  # and one in the legend
    width, height = float(picture.get("width")), float(picture.get("height"))
    for word in picture.findall(f"{SVG}text"):
        half = 0.3 * len(word.text) * float(word.get("font-size"))
        centred = word.get("text-anchor") == "middle"
        left = float(word.get("x")) - (half if centred else 0)
        assert left >= 0
        assert left + 2 * half <= width, word.text
        assert 0 < float(word.get("y")) < height


@every_algorithm
@pytest.mark.parametrize("ranks", [5, 12])
def test_labels_do_not_overlap(algorithm, ranks):
    picture = ElementTree.fromstring(explanation_svg(explain(algorithm, ranks)))
    pills = [r for r in picture.findall(f"{SVG}rect") if r.get("rx")]
    boxes = [
        (float(r.get("x")), float(r.get("y")), float(r.get("width")), float(r.get("height")))
        for r in pills
    ]
    for i, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:i]:
            apart = (
                x + width <= other_x
                or other_x + other_width <= x
                or y + height <= other_y
                or other_y + other_height <= y
            )
            assert apart


def words_of(identifier: str, ranks: int, **options: int) -> set[str]:
    picture = ElementTree.fromstring(explanation_svg(explain(identifier, ranks, **options)))
    return {word.text for word in picture.findall(f"{SVG}text")}


@every_algorithm
def test_legends_tell_what_is_combined_from_what_is_complete(algorithm):
    words = words_of(algorithm, 4)
    collective = core.find_algorithm(algorithm).collective
    combines = core.Semantics(collective, 4, 1).combines
    assert ("combined on arrival" in words) == combines
    assert ("has everything" in words) == (not combines)


def test_who_gets_nothing_is_never_complete():
    picture = explanation_svg(explain("gather/linear", 4))
    assert picture.count(HELD) == 1 + 1  # the root's, and one in the legend
    picture = explanation_svg(explain("scatter/linear", 4))
    assert picture.count(HELD) == 4 + 1


def test_nodes_are_told_apart():
    assert any("3 nodes" in word for word in words_of("bcast/hierarchy", 5, ranks_per_node=2))
    picture = explanation_svg(explain("bcast/hierarchy", 5, ranks_per_node=2))
    assert picture.count('stroke-dasharray="6 4"') == 2
    assert 'stroke-dasharray="6 4"' not in explanation_svg(explain("bcast/binomial", 5))


def test_what_cannot_be_read_is_not_drawn():
    with pytest.raises(DrawingError, match="too many to draw"):
        explanation_svg(explain("bcast/binomial", 65))


def test_blocks_are_listed_in_runs():
    assert block_text([]) == ""
    assert block_text([3]) == "3"
    assert block_text([0, 1, 2, 3, 7]) == "0-3, 7"
    assert block_text([5, 6, 0]) == "5-6, 0"
