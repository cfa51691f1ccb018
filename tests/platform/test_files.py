"""Platform files: read as they were written, and what is wrong refused in one line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from anabranch import platform as platforms
from anabranch.cli import main
from anabranch.platform import Link, Node, Occupation, Platform, PlatformError, SharedLink
from hypothesis import given
from hypothesis import strategies as st

names = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FFF, categories=("L", "N", "P")),
    min_size=1,
    max_size=4,
)
rates = st.floats(1e-3, 1e12)
times = st.floats(0, 1e3)
occupations = st.none() | st.builds(Occupation, times, times)


@st.composite
def described(draw):
    called = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    nodes = tuple(Node(n, draw(rates), draw(st.none() | rates), draw(occupations)) for n in called)
    pairs = [(a, b) for a in called for b in called if a != b]
    ends = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6)) if pairs else []
    links = tuple(
        Link(*pair, draw(times), draw(st.none() | rates), draw(occupations), draw(occupations))
        for pair in ends
    )
    shared = (
        (SharedLink("trunk", draw(rates), tuple(ends)),) if ends and draw(st.booleans()) else ()
    )
    return Platform(nodes, links, shared, draw(st.sampled_from(platforms.MODELS)), draw(names))


@given(described())
def test_json_is_read_as_it_was_written(platform):
    assert platforms.from_json(platforms.to_json(platform)) == platform


@given(described())
def test_graphml_is_read_as_it_was_written(platform):
    from anabranch.platform.graphml import from_graphml, to_graphml

    assert from_graphml(to_graphml(platform)) == platform


def test_graphml_of_other_tools(tmp_path):
    path = tmp_path / "p.graphml"
    path.write_text(
        '<graphml><key id="d0" for="edge" attr.name="latency_s" attr.type="double"/>'
        '<key id="d1" for="edge" attr.name="bandwidth_bytes_per_s" attr.type="double"/>'
        '<key id="d2" for="node" attr.name="colour" attr.type="string"/>'
        '<graph edgedefault="undirected"><node id="a"><data key="d2">red</data></node>'
        '<node id="b"/><edge source="a" target="b"><data key="d0">1e-3</data>'
        '<data key="d1">5</data></edge></graph></graphml>'
    )
    assert platforms.load(path).links == (Link("a", "b", 1e-3, 5.0), Link("b", "a", 1e-3, 5.0))


def document(**changed) -> str:
    whole = {
        "schema": "anabranch/platform/1",
        "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "links": [link(), link(source="b", target="c")],
    }
    return json.dumps(whole | changed)


def link(**changed) -> dict:
    whole = {"source": "a", "target": "b", "latency_s": 0, "bandwidth_bytes_per_s": 1e6}
    return {name: value for name, value in (whole | changed).items() if value != "missing"}


def shared(**changed) -> dict:
    return {"name": "t", "bandwidth_bytes_per_s": 1, "links": [["a", "b"]]} | changed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "is not JSON"),
        ("[]", "its schema must be anabranch/platform/1"),
        (document(schema="anabranch/platform/2"), "its schema must be"),
        (document(speed="capacity"), "unknown field 'speed' in the platform: give schema, name"),
        (document(model="full"), "unknown model 'full': give one_port, one_port_unidirectional"),
        (document(nodes=[]), "there is no node"),
        (document(nodes=3), "nodes of the platform is 3: give a list"),
        (document(nodes=["a"]), 'node 0 is "a": give an object'),
        (document(nodes=[{}]), "node 0 has no name: give a text"),
        (document(nodes=[{"name": "\ud800"}]), 'name of node 0 is "\\ud800": give text in UTF-8'),
        (document(name="\udfff"), 'name of the platform is "\\udfff": give text in UTF-8'),
        (document(nodes=[{"name": ""}]), "a node is called ''"),
        (document(nodes=[{"name": "a"}, {"name": "a"}]), "the node 'a' is there 2 times"),
        (document(nodes=[{"name": "a", "in_bytes_per_s": 0}]), "in_bytes_per_s of node 'a' is 0"),
        (document(nodes=[{"name": "a", "send": {"start_s": -1}}]), "start_s of send of node 'a'"),
        (document(nodes=[{"name": "a", "send": 1}]), "must have start_s and s_per_byte"),
        (document(nodes=[{"name": "a", "send": {"x": 1}}]), "unknown field 'x' in send of node 0"),
        (document(links="missing"), "give a list"),
        (document(links=[link(latency_s="missing")]), "link 0 has no latency_s: give a number"),
        (document(links=[link(latency_s=-1)]), "latency_s of the link a -> b is -1: give a finite"),
        (document(links=[link(latency_s="1")]), 'latency_s of link 0 is "1": give a number'),
        (document(links=[link(bandwidth_bytes_per_s=0)]), "is 0: give a finite number, above 0"),
        (document(links=[link(bandwidth_bytes_per_s=float("nan"))]), "is nan: give a finite"),
        (document(links=[link(bandwidth_bytes_per_s=10**400)]), "is inf: give a finite"),
        (document(links=[link(bandwidth_bytes_per_s="missing")]), "nothing limits the link a -> b"),
        (document(links=[link(target="d")]), "there is no node 'd' of the link a -> d: give a, b"),
        (document(links=[link(target="a")]), "the link a -> a leads back"),
        (document(links=[link(), link()]), "the link a -> b is there 2 times: give it once"),
        (document(shared_links=[shared(links=[["a", "c"]])]), "there is no link a -> c, one of"),
        (document(shared_links=[shared(links=[])]), "there are no links of the shared link 't'"),
        (document(shared_links=[shared(links=["ab"])]), "must be a list of [source, target]"),
        (document(shared_links=[shared(), shared()]), "the shared link t is there 2 times"),
        (document(shared_links=[shared(bandwidth_bytes_per_s=-1)]), "shared link 't' is -1"),
    ],
)
def test_files_that_hold_no_platform_are_refused_in_one_line(tmp_path, text, expected):
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(PlatformError) as refused:
        platforms.load(path)
    assert expected in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_nodes_that_the_root_does_not_reach_are_named():
    platform = platforms.from_json(document())
    assert platform.roots() == ("a",)
    assert platform.unreached("b") == ("a",)
    with pytest.raises(PlatformError, match="'b' does not reach a: give links"):
        platform.require_reachable("b")
    with pytest.raises(PlatformError, match="'c' reaches no other node"):
        platform.require_reachable("c")
    with pytest.raises(PlatformError, match="there is no node 'd': give a, b, c"):
        platform.require_reachable("d")


@pytest.mark.parametrize("name", ["p.txt", "p", "p.svg"])
def test_unknown_forms_are_refused(tmp_path, name):
    with pytest.raises(PlatformError, match="give a file that ends in"):
        platforms.load(tmp_path / name)
    with pytest.raises(PlatformError, match="give a file that ends in"):
        platforms.save(platforms.random(3, 1, 1), tmp_path / name)


def test_nothing_is_left_where_a_file_cannot_be_written(tmp_path):
    (tmp_path / "p.json").mkdir()
    with pytest.raises(PlatformError, match="cannot write"):
        platforms.save(platforms.random(3, 1, 1), tmp_path / "p.json")
    assert [each.name for each in tmp_path.iterdir()] == ["p.json"]


FULL = """<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="one" bandwidth="1MBps" latency="50us" sharing_policy="SPLITDUPLEX"/>
<link id="thin" bandwidth="0.8Mbps" latency="1ms"/>
<link id="fat" bandwidth="2MBps" latency="10us" sharing_policy="FATPIPE"/>
<route src="a" dst="b"><link_ctn id="one" direction="UP"/><link_ctn id="fat"/></route>
<route src="a" dst="c" symmetrical="NO">
<link_ctn id="one" direction="UP"/><link_ctn id="thin"/></route>
<route src="c" dst="a" symmetrical="NO"><link_ctn id="thin"/></route>
</zone></platform>"""


def test_simgrid_routes(tmp_path):
    path = tmp_path / "p.xml"
    path.write_text(FULL)
    found = platforms.load(path)
    assert found.names == ("a", "b", "c")
    assert {each.ends: each.bandwidth_bytes_per_s for each in found.links} == {
        ("a", "b"): 1e6,
        ("b", "a"): 1e6,
        ("a", "c"): 1e5,
        ("c", "a"): 1e5,
    }
    assert [each.latency_s for each in found.links] == pytest.approx([6e-5, 6e-5, 1.05e-3, 1e-3])
    assert found.shared_links == (
        SharedLink("one/up", 1e6, (("a", "b"), ("a", "c"))),
        SharedLink("thin", 1e5, (("a", "c"), ("c", "a"))),
    )


def test_ids_of_simgrid_links_may_have_slashes(tmp_path):
    path = tmp_path / "p.xml"
    path.write_text(FULL.replace('"one"', '"rack/one"').replace('"thin"', '"rack/thin"'))
    assert [each.name for each in platforms.load(path).shared_links] == ["rack/one/up", "rack/thin"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1MBps", "fast", "bandwidth is 'fast': write it as 125MBps"),
        ("50us", "5-0us!", "latency is '5-0us!': write it as 50us"),
    ],
)
def test_quantities_are_refused_where_python_leaves_assertions_out(
    tmp_path, run_command, old, new, expected
):
    path = tmp_path / "p.xml"
    path.write_text(FULL.replace(old, new, 1))
    done = run_command([sys.executable, "-O", "-m", "anabranch", "platform", "check", path])
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr


def test_a_simgrid_cluster(tmp_path):
    path = tmp_path / "p.xml"
    path.write_text(
        '<platform version="4.1"><cluster id="c" prefix="n-" suffix=".x" radical="0-1,7"'
        ' speed="1Gf" bw="125MBps" lat="50us" bb_bw="150MBps" bb_lat="10us"/></platform>'
    )
    found = platforms.load(path)
    assert found.names == ("n-0.x", "n-1.x", "n-7.x")
    assert found.nodes[0].out_bytes_per_s == 125e6
    assert (len(found.links), found.links[0].latency_s) == (6, pytest.approx(1.1e-4))
    assert [len(each.links) for each in found.shared_links] == [6]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("<platform", "<plat", "is not XML"),
        ('version="4.1"', 'version="3"', "is not a SimGrid platform of version 4"),
        ('routing="Full"', 'routing="Floyd"', "its routing is Floyd: only Full can be read"),
        ("1MBps", "1 parsec", "bandwidth is '1 parsec': write it as 125MBps"),
        ("50us", "fifty", "latency is 'fifty': write it as 50us"),
        ('id="fat"/>', 'id="flat"/>', "uses no link of its zone: flat"),
        ('speed="1Gf"/><host', 'speed="1Gf"/><cluster id="x"/><host', "zones within zones"),
        ("<?xml version='1.0'?>", "<!DOCTYPE p [<!ENTITY x 'y'>]>", "defines entities of its own"),
        ("FATPIPE", "WIFI", "sharing_policy of a link is WIFI"),
    ],
)
def test_simgrid_files_that_cannot_be_read_are_refused(tmp_path, old, new, expected):
    path = tmp_path / "p.xml"
    path.write_text(FULL.replace(old, new, 1))
    with pytest.raises(PlatformError) as refused:
        platforms.load(path)
    assert expected in str(refused.value)


def test_the_page_has_every_field():
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "platform.md").read_text()
    full = Platform(
        (Node("a", 1.0, 1.0, Occupation(0, 0)), Node("b")),
        (Link("a", "b", 0, 1.0, Occupation(0, 0), Occupation(0, 0)),),
        (SharedLink("t", 1.0, (("a", "b"),)),),
    )
    for name, value in json.loads(platforms.to_json(full)).items():
        assert f"| `{name}` |" in page
        for field in value[0] if isinstance(value, list) else ():
            assert f"| `{name}[].{field}` |" in page


def test_the_command_converts_and_checks(tmp_path, capsys):
    first, second = tmp_path / "p.json", tmp_path / "p.graphml"
    assert main.run(["platform", "generate", "clusters", "--sizes", "2,3", "-o", str(first)]) == 0
    assert main.run(["platform", "convert", str(first), str(second)]) == 0
    assert platforms.load(first) == platforms.load(second)
    capsys.readouterr()
    assert main.run(["platform", "check", str(second), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["nodes"], found["shared_links"], len(found["roots"])) == (5, 2, 5)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["generate", "ring", "-o", "p.json"], "unknown kind of platform 'ring': give random"),
        (["generate", "random", "-o", "p.json", "--density", "2"], "a density of 2: give 0 to 1"),
        (["generate", "random", "-o", "p.txt"], "give a file that ends in"),
        (["generate", "clusters", "-o", "p.json", "--sizes", "6"], "give two sizes or more"),
        (["generate", "random", "-o", "p.json", "--mean", "fast"], "--mean"),
        (["check", "p.json"], "cannot read 'p.json': No such file"),
        (["check", "lone.json"], "'a' reaches no other node"),
        (["draw"], "No such command 'draw'"),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path, monkeypatch, capsys, arguments, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lone.json").write_text(document(links=[]))
    assert main.run(["platform", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert expected in printed.err
    assert printed.err.count("\n") == 1
    assert not (tmp_path / "p.json").exists()
