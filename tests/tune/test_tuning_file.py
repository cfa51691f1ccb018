"""Tuning files: what is written is read back, and what is wrong gets one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from anabranch import _core as core
from anabranch import tune


@pytest.fixture
def example(cell: Callable, measured: Callable, tuning: Callable) -> tune.Tuning:
    faster = measured("bcast/flat", 0.4, (2.5, 2.2, 2.9))
    default = replace(faster, algorithm=tune.DEFAULT, median_s=0.3, ran="bcast/chain")
    return tuning(
        cell(8, [measured("native", 1.0), faster, default, measured("openmpi/chain", 0.9)]),
        cell(64, [measured("native", 1.0)]),
        cell(64, [measured("native", 1.0)], "allreduce"),
    )


def test_what_is_written_is_read_back(example: tune.Tuning, saved: Callable) -> None:
    path = saved(example)
    assert tune.load(path) == example
    library = core.Tuning.parse(path.read_text())
    assert library.native_policy == "openmpi5"
    assert [each.choice for each in library.ranges] == [
        "allreduce/native",
        "bcast/flat",
        "bcast/native",
    ]
    assert library.ranges[1].where["size_bytes"] == (1, 22)


def test_a_cell_takes_the_place_of_the_one_before(
    example: tune.Tuning, cell: Callable, measured: Callable
) -> None:
    newer = cell(8, [measured("native", 2.0)])
    changed = example.with_cell(newer)
    assert len(changed.cells) == len(example.cells)
    assert changed.cells[-1] is newer


def test_what_is_measured_anew_is_not_an_edited_file(
    example: tune.Tuning, cell: Callable, measured: Callable, saved: Callable
) -> None:
    """Rows that were read are those of the cells that were read."""
    path = saved(example)
    there = tune.load(path)
    assert there.read_rows == there.rows
    newer = cell(512, [measured("native", 2.0)])
    assert not there.with_cell(newer).read_rows
    assert not tune.joined(there, path, set()).read_rows


def test_what_another_run_has_added_to_the_file_stays(
    example: tune.Tuning, cell: Callable, measured: Callable, tuning: Callable, saved: Callable
) -> None:
    """Two that began with the same file, one for broadcasts and one for allreduces."""
    path = saved(example)
    ours = example.with_cell(cell(512, [measured("native", 1.0)]))
    theirs = example.with_cell(cell(512, [measured("native", 2.0)], "allreduce"))
    tune.save(theirs, path)
    own = {ours.cells[-1].key}
    joined = tune.joined(ours, path, own)
    assert set(joined.cells) == {*ours.cells, *theirs.cells}
    # What we measured stays; of what was there before, the other run may have measured more.
    newer = cell(8, [measured("native", 3.0)])
    tune.save(theirs.with_cell(newer).with_cell(cell(512, [measured("native", 3.0)])), path)
    joined = tune.joined(ours, path, own)
    assert newer in joined.cells
    assert ours.cells[-1] in joined.cells
    assert len(joined.cells) == len({each.key for each in joined.cells})
    path.write_text("{}")
    assert tune.joined(ours, path, own) == ours
    # What another run has measured elsewhere is neither mixed with ours nor lost.
    mpich = tuning(cell(1024, [measured("native", 1.0)]), version="MPICH Version: 5.0.2")
    faster = replace(theirs, network=tune.Network(5e-5, 5e7))
    ofi = replace(theirs, environment={"netmod": "ofi"})
    for other in (mpich, faster, ofi):
        tune.save(other, path)
        with pytest.raises(tune.TuneError, match="give another file, or --again"):
            tune.joined(replace(ours, environment={"netmod": "ucx"}), path, own)


def test_what_is_undecided_has_no_row(
    cell: Callable, measured: Callable, tuning: Callable, saved: Callable
) -> None:
    """So programs decide as without the file."""
    noisy = [measured("native", 1.0), measured("bcast/flat", 0.5, (2.0, 0.9, 3.0))]
    found = tuning(cell(8, noisy), cell(64, [measured("native", 1.0)]))
    path = saved(found)
    assert tune.load(path) == found
    (row,) = core.Tuning.parse(path.read_text()).ranges
    assert row.where["size_bytes"][1] == 192


def test_where_ranks_are_placed_is_part_of_the_file(
    cell: Callable, measured: Callable, tuning: Callable, saved: Callable
) -> None:
    blocks, cyclic = tune.Place(16, 4, 4), tune.Place.of_hosts("abcd" * 4)
    assert cyclic == tune.Place(16, 4, 4, in_blocks=False)
    assert tune.Place.of_hosts("aaaabbbbccccdddd") == blocks
    native = [measured("native", 1.0)]
    found = tuning(cell(64, native, place=blocks), cell(64, native, place=cyclic))
    path = saved(found)
    assert tune.load(path) == found
    assert len(core.Tuning.parse(path.read_text()).ranges) == 2
    # Files of older versions do not tell.
    document = json.loads(path.read_text())
    del document["cells"][1], document["rows"][1]
    for each in (document["rows"][0], document["cells"][0]["place"]):
        assert each.pop("in_blocks")
    path.write_text(json.dumps(document))
    assert tune.load(path).cells[0].place == blocks


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(schema="anabranch/tuning/9"), "its schema is not anabranch/tuning/1"),
        (lambda d: d.update(environment=[]), "environment of it is a list: give an object"),
        (lambda d: d.pop("cells"), "cells"),
        (lambda d: d["cells"][0].update(size_bytes=0), "size_bytes"),
        (lambda d: d["cells"][0].update(collective="x"), "no collective"),
        (lambda d: d["cells"][0]["contenders"].pop(0), "native is not among the contenders"),
        (lambda d: d["cells"][0]["contenders"][0].update(median_s=0), "not above 0"),
        (lambda d: d["cells"][0]["contenders"][0].update(samples_s=[]), "no samples"),
        (lambda d: d["cells"][0]["contenders"][1].update(speedup=[1]), "no median"),
        (lambda d: d["cells"].append(d["cells"][0]), "two of its cells are of the same call"),
        (lambda d: d["rows"][0].update(choice="allreduce/none"), "allreduce/none"),
    ],
)
def test_what_was_edited_is_refused_in_one_line(
    example: tune.Tuning, saved: Callable, change: Callable, words: str
) -> None:
    path = saved(example)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(tune.TuneError) as caught:
        tune.load(path)
    message = str(caught.value)
    assert str(path) in message
    assert words in message
    assert "\n" not in message


def test_files_that_are_not_there_or_cut_short(
    example: tune.Tuning, saved: Callable, tmp_path: Path
) -> None:
    with pytest.raises(tune.TuneError, match="cannot read"):
        tune.load(tmp_path / "none.json")
    path = saved(example)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(tune.TuneError, match="not JSON"):
        tune.load(path)
    with pytest.raises(tune.TuneError, match="cannot write"):
        tune.save(example, path / "below" / "a-file")


def test_differences_are_of_choices_and_of_native(
    example: tune.Tuning, cell: Callable, measured: Callable, tuning: Callable
) -> None:
    other = tuning(cell(8, [measured("native", 0.3)]), cell(64, [measured("native", 1.05)]))
    found, alone = tune.differences(example, other)
    first, second = found
    assert first.choices == ("bcast/flat", "native")
    assert first.native_ratio == pytest.approx(0.3)
    assert first.is_clear
    assert second.choices == ("native", "native")
    assert not second.is_clear
    assert [each.collective for each in alone] == ["allreduce"]


def test_it_goes_on_only_with_the_same_mpi_and_network(example: tune.Tuning) -> None:
    network = example.network
    assert network is not None
    place = tune.Place(16, 16, 1)
    same = tune.Survey(place, example.mpi_version, network, {})
    assert tune.begun(example, same) is example
    assert tune.begun(tune.Tuning(), same).network == network
    with pytest.raises(tune.TuneError, match="give another file, or --again"):
        tune.begun(example, tune.Survey(place, "Open MPI v6", network, {}))
    faster = tune.Network(network.latency_s, 3 * network.bytes_per_s)
    with pytest.raises(tune.TuneError, match="a network of 5MB/s, this is a network of 15MB/s"):
        tune.begun(example, tune.Survey(place, example.mpi_version, faster, {}))


@pytest.mark.parametrize(
    ("before", "goes_on"), [({"netmod": "ucx"}, False), ({"netmod": "ofi"}, True), ({}, True)]
)
def test_it_goes_on_only_with_the_same_netmod(
    example: tune.Tuning, before: dict[str, str], goes_on: bool
) -> None:
    """Files of older versions do not say which one."""
    there = replace(example, environment=before)
    assert there.network is not None
    place = tune.Place(16, 16, 1)
    found = tune.Survey(place, there.mpi_version, there.network, {"netmod": "ofi"})
    if goes_on:
        assert tune.begun(there, found) is there
    else:
        with pytest.raises(tune.TuneError, match="of --netmod ucx, this is --netmod ofi: give"):
            tune.begun(there, found)
