"""What pictures show: nothing is drawn over something else, and no two things look alike."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from anabranch.bench import plot, style
from anabranch.bench.results import assemble
from anabranch.trace import Call, Message, Visit, drawing
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture
def drawn(monkeypatch):
    """Keeps the figures that are written, laid out as in their files."""
    from matplotlib.figure import Figure

    figures = []
    save = Figure.savefig

    def keep(figure, *arguments, **options):
        save(figure, *arguments, **options)
        figures.append(figure)

    monkeypatch.setattr(Figure, "savefig", keep)
    return figures


def laid_out(figure):
    """The figure on a canvas that can say where its visits are."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure).draw()
    return figure


def extent(artist, figure):
    return artist.get_window_extent(figure.canvas.get_renderer())


def call(ranks: int) -> Call:
    """Along a chain."""
    visits = []
    for rank in range(ranks):
        messages = [Message("receive", rank - 1, 4096, rank, rank + 1.0)] if rank else []
        if rank + 1 < ranks:
            messages.append(Message("send", rank + 1, 4096, rank + 1.0, rank + 2.0))
        visits.append(Visit(rank, 0.0, rank + 2.0, tuple(messages)))
    return Call(0, 0, "bcast/chain", 4096, ranks, 0, tuple(visits))


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 9, 16, 48])
def test_the_legend_of_a_time_line_covers_nothing(drawn, tmp_path, ranks):
    drawing.draw(call(ranks), tmp_path / "picture.svg")
    figure = laid_out(drawn[0])
    (axis,), (legend,) = figure.axes, figure.legends
    box = extent(legend, figure)
    assert not box.overlaps(extent(axis.xaxis.label, figure))
    assert not box.overlaps(axis.get_window_extent())
    assert not any(box.overlaps(extent(label, figure)) for label in axis.get_xticklabels())
    assert figure.bbox.contains(box.x0, box.y0)
    assert figure.bbox.contains(box.x1, box.y1)


def many_lines(make_launch, count: int):
    launches = [
        make_launch(contender=f"peer{i}", preload=False, native_s=(i + 1) * 1e-3)
        for i in range(count)
    ]
    document = assemble(launches, {"lab": None}, 0.0)
    document["cells"] = [c for c in document["cells"] if c["algorithm"] == "native"]
    return document


def test_every_line_has_a_colour_of_its_own(drawn, make_launch, tmp_path):
    plot.write_plot(many_lines(make_launch, 16), tmp_path / "picture.svg")
    (axis,) = drawn[0].axes
    lines = [line for line in axis.get_lines() if line.get_label().startswith("peer")]
    assert len(lines) == 16
    assert len({line.get_color() for line in lines}) == 16
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines}
    assert len(looks) == 16


def test_no_style_comes_twice_among_many():
    colours = [style.line_style(index)["color"] for index in range(24)]
    assert len(set(colours)) == len(colours)


def test_a_long_legend_stands_beside_the_lines(drawn, make_launch, tmp_path):
    plot.write_plot(many_lines(make_launch, 12), tmp_path / "picture.svg")
    figure = laid_out(drawn[0])
    (axis,) = figure.axes
    assert not extent(axis.get_legend(), figure).overlaps(axis.get_window_extent())


def test_one_size_is_drawn_as_bars(drawn, document, tmp_path):
    document["cells"] = [cell for cell in document["cells"] if cell["size_bytes"] == 8000]
    plot.write_plot(document, tmp_path / "picture.svg")
    (axis,) = drawn[0].axes
    heights = [bar.get_height() for bar in axis.patches]
    assert heights == [pytest.approx(cell["over_limit"]) for cell in document["cells"]]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["native", "bcast/chain"]
    references = [line for line in axis.get_lines() if not line.get_label().startswith("_")]
    assert len(references) == 3
    assert all(len(line.get_xdata()) == 2 for line in references)  # seen, not a point


@given(st.sets(st.integers(1, 1 << 40), min_size=2, max_size=60))
def test_labels_of_sizes_do_not_touch(sizes: set[int]):
    ordered = sorted(sizes)
    shown = plot.labelled(ordered)
    assert shown[-1] == ordered[-1]
    width = math.log(ordered[-1] / ordered[0])
    gaps = [math.log(b / a) / width for a, b in itertools.pairwise(shown)]
    assert all(gap >= 0.99 / 13 for gap in gaps)


def test_every_size_of_a_usual_range_has_a_label():
    sizes = [1 << power for power in range(3, 16)]
    assert plot.labelled(sizes) == sizes


def test_algorithms_look_alike_on_all_process_counts(drawn, document, tmp_path):
    """Also where an algorithm is missing on the first of them."""
    cells = document["cells"]
    more = [{**cell, "ranks": 4} for cell in cells]
    document["cells"] = [c for c in cells if c["algorithm"] != "native"] + more
    document["launches"].append({**document["launches"][0], "hosts": ["a", "b", "c", "d"]})
    plot.write_plot(document, tmp_path / "picture.svg")
    colours = [
        {line.get_color() for line in axis.get_lines() if line.get_label() == "bcast/chain"}
        for axis in drawn[0].axes
    ]
    assert colours[0] == colours[1]
    assert len(colours[0]) == 1


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_time_line_is_what_its_name_says(tmp_path: Path, suffix):
    drawing.draw(call(3), tmp_path / f"picture{suffix}")
    magic = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    assert (tmp_path / f"picture{suffix}").read_bytes().startswith(magic)
