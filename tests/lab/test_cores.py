"""Each node of a lab has its share of the machine's cores."""

import pytest
from anabranch.lab.network import cores_of


def test_more_cores_than_nodes_are_divided() -> None:
    assert [cores_of(node, 2, [0, 1, 4, 5, 6]) for node in range(2)] == [[0, 1], [4, 5, 6]]


def test_more_nodes_than_cores_share_them_evenly() -> None:
    shared = [cores_of(node, 16, [3, 7]) for node in range(16)]
    assert shared == [[3]] * 8 + [[7]] * 8


@pytest.mark.parametrize("nodes", range(1, 20))
@pytest.mark.parametrize("cores", range(1, 20))
def test_every_core_is_used_where_there_are_enough_nodes(nodes: int, cores: int) -> None:
    shares = [cores_of(node, nodes, list(range(cores))) for node in range(nodes)]
    assert all(shares)
    used = {core for share in shares for core in share}
    assert used == set(range(cores)) if nodes <= cores else used <= set(range(cores))
    if nodes > cores:
        assert used == set(range(cores))
