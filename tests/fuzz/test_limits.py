"""What is too large, too deep or no text is refused before it costs memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from anabranch import _core as core
from anabranch import platform as platforms
from anabranch import reading
from anabranch.cli import main
from anabranch.launch import LaunchError, check_settings
from anabranch.one_line import one_line


@pytest.mark.parametrize("path", ["/dev/zero", "large.json"])
def test_files_beyond_the_limit_are_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reading, "MOST_BYTES", 1 << 20)
    Path("large.json").write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(reading.ReadError, match="is too large: give a file of at most 1 MiB"):
        reading.read_text(Path(path))
    Path("large.json").write_bytes(b" " * (1 << 20))
    assert len(reading.read_text(Path("large.json"))) == 1 << 20


def test_lists_within_each_other_end_somewhere():
    deep = "[" * reading.MOST_DEPTH + "]" * reading.MOST_DEPTH
    assert json.dumps(reading.parse_json(deep)) == deep
    for depth in (reading.MOST_DEPTH + 1, 900, 100_000):
        with pytest.raises(reading.ReadError, match="lists within each other"):
            reading.parse_json("[" * depth + "]" * depth)
        with pytest.raises(reading.ReadError, match="lists within each other"):
            reading.parse_json('{"a": ' * depth + "1" + "}" * depth)


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 5000, "1e999", "NaN", "Infinity"])
def test_numbers_beyond_all_bounds_are_no_numbers(number):
    fields = reading.Fields(reading.parse_json(f'{{"x": {number}}}'), "it")
    with pytest.raises(reading.ReadError, match=r"x of it is .*: give a finite number"):
        fields.number("x")
    with pytest.raises(reading.ReadError, match=r"x of it is .*: give a whole number"):
        fields.whole("x")


def test_messages_are_one_line_that_a_terminal_can_show():
    assert one_line("a\n b\x1b[31m\udcff\u202e c") == "a b [31m c"
    long = one_line("begin " + "x" * 100_000 + " end")
    assert len(long) < 1000
    assert long.startswith("begin x")
    assert long.endswith("x end")


def test_what_a_document_type_names_is_not_read(tmp_path):
    """Nor is an entity: neither the file's own nor one of another file."""
    secret = tmp_path / "secret"
    secret.write_text('<!ENTITY a "secret">')
    graph = '<graphml><graph edgedefault="directed"><node id="n{}"/></graph></graphml>'
    path = tmp_path / "p.graphml"
    path.write_text(f'<!DOCTYPE graphml SYSTEM "{secret.as_uri()}">' + graph.format(""))
    assert platforms.load(path).names == ("n",)
    for declared in ('a "x"', f'a SYSTEM "{secret.as_uri()}"', f'% a SYSTEM "{secret.as_uri()}"'):
        used = "&a;" if not declared.startswith("%") else ""
        path.write_text(f"<!DOCTYPE graphml [<!ENTITY {declared}>]>" + graph.format(used))
        with pytest.raises(platforms.PlatformError, match="defines entities of its own"):
            platforms.load(path)


def test_arguments_that_are_no_text_are_refused(capsys):
    assert main.run(["explain", "bcast/chain", "-p", "4", "--size", "4\udcff"]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("anabranch: '4 ' is not text in UTF-8")
    assert printed.err.count("\n") == 1


def test_settings_that_are_no_text_are_refused():
    check_settings({"ANABRANCH_BCAST": "native", "OTHER": "\udcff"})
    with pytest.raises(LaunchError, match="is not text in UTF-8"):
        check_settings({"ANABRANCH_BCAST": "native\udcff"})


def test_files_of_settings_have_a_limit_and_may_be_empty(tmp_path):
    def read(path: Path) -> core.Settings:
        return core.read_settings([f"ANABRANCH_CONFIG={path}"])

    config = tmp_path / "settings"
    config.write_text("")
    assert read(config).text("bcast") == "auto"
    config.write_text("#" + "x" * (1 << 17) + "\nbcast = native")
    assert read(config).text("bcast") == "bcast/native"
    with pytest.raises(ValueError, match='"/dev/zero" cannot be read: it has more than 64 MiB'):
        read(Path("/dev/zero"))
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"order": [2**32]}, '"4294967296" is no whole number from 0 to 2147483647'),
        ({"order": [0.5]}, '"0.5" is no whole number'),
        ({"slice_bytes": 1e300}, "is no whole number"),
        ({"slice_bytes": True}, '"true" is no whole number'),
        ({"serial": 1}, "type must be boolean"),
        ({"nodes": ["a", "b", "a"]}, '"a" is there twice'),
        ({"trees": [{"parents": []}]}, "the parents of a tree are no object"),
        ({"other": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}, "it is nested too deeply"),
        ({"other": {str(key): 0 for key in range(5000)}}, "it has more than 4096 nodes"),
        ({"root": "\x1b[31m\n" * 1000}, r"'\\u001b\[31m\\n"),
    ],
)
def test_the_library_refuses_plans_that_are_none(changes, expected):
    good = {
        "schema": "anabranch/plan/1",
        "model": "one_port",
        "slice_bytes": 1,
        "root": "a",
        "nodes": ["a", "b"],
        "period_s": 1,
        "serial": True,
        "order": [0],
        "trees": [{"parents": {"b": "a"}}],
    }
    core.PlanOfTrees.parse(json.dumps(good))
    with pytest.raises(ValueError, match=expected) as refused:
        core.PlanOfTrees.parse(json.dumps(good | changes))
    assert len(str(refused.value)) < 600
    assert str(refused.value).isprintable()
