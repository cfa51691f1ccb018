"""Settings from the environment and from a file: what is valid, what is refused, and how."""

from __future__ import annotations

import contextlib

import pytest
from anabranch import _core as core
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = [setting.name for setting in core.all_settings()]
# One value other than the default for every setting; a new setting needs its line.
OTHER_VALUES = {
    **{collective.name: f"{collective.name}/native" for collective in core.Collective},
    "bandwidth": "5MB/s",
    "bcast": "bcast/chain:segment=4KiB",
    "cache": "1MiB",
    "check_decisions": "1",
    "config": "/settings",
    "disable": "1",
    "eager_limit": "16KiB",
    "explain": "1",
    "guard": "0",
    "lab": "/lab.json",
    "latency": "150us",
    "library_dir": "/lib",
    "plan": "/plan.json",
    "plans": "/plans",
    "receive_window": "8",
    "reduction_order": "any",
    "reproducible": "1",
    "send_window": "1",
    "summary": "1",
    "trace": "/trace",
    "tuning": "/tuning.json",
    "wait": "yield",
    "watchdog": "30s",
}


def refusal(environment: list[str], file_text: str = "") -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is what is tested
        core.parse_settings(environment, file_text, "my.conf")
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_every_setting_is_described():
    assert sorted(OTHER_VALUES) == NAMES == sorted(NAMES)
    for setting in core.all_settings():
        assert setting.variable == f"ANABRANCH_{setting.name.upper()}"
        assert setting.summary.endswith(".")
        assert setting.values


@pytest.mark.parametrize("name", NAMES)
def test_a_setting_can_be_set_in_the_environment_and_in_a_file(name):
    value = OTHER_VALUES[name]
    default = core.Settings().text(name)
    assert default != value
    by_variable = core.parse_settings([f"ANABRANCH_{name.upper()}={value}", "HOME=/root"])
    assert by_variable.text(name) == value
    by_name = core.Settings()
    by_name.set(name, value)
    assert by_name.text(name) == value
    if name != "config":
        from_file = core.parse_settings([], f"\n  {name} = {value}   # as wished\n")
        assert from_file.text(name) == value


@pytest.mark.parametrize("name", [n for n in NAMES if core.Settings().text(n)])
def test_the_default_can_be_written_out(name):
    settings = core.Settings()
    settings.set(name, core.Settings().text(name))
    assert settings.hash == core.Settings().hash


def test_the_environment_goes_before_the_file():
    settings = core.parse_settings(["ANABRANCH_SEND_WINDOW=7"], "send_window = 9\nexplain = 1")
    assert settings.text("send_window") == "7"
    assert settings.text("explain") == "1"


def test_the_file_is_read(tmp_path):
    path = tmp_path / "anabranch.conf"
    path.write_text("# tuned\nlatency = 30us\nbandwidth = 1.2GB/s\n")
    settings = core.read_settings([f"ANABRANCH_CONFIG={path}"])
    assert settings.latency_s == pytest.approx(30e-6)
    assert settings.time_per_byte_s == pytest.approx(1 / 1.2e9)
    with pytest.raises(ValueError, match=r"missing.conf.*cannot be read: No such file"):
        core.read_settings([f"ANABRANCH_CONFIG={tmp_path}/missing.conf"])
    with pytest.raises(ValueError, match="cannot be read"):
        core.read_settings([f"ANABRANCH_CONFIG={tmp_path}"])


def test_unknown_names_are_refused_with_the_nearest_and_all_valid_ones():
    message = refusal(["ANABRANCH_BCATS=native"])
    assert message.startswith('"ANABRANCH_BCATS" is not a setting: did you mean ANABRANCH_BCAST?')
    assert all(f"ANABRANCH_{name.upper()}" in message for name in NAMES)
    assert "did you mean ANABRANCH_BCAST?" in refusal(["ANABRANCH_bcast=native"])
    assert "did you mean" not in refusal(["ANABRANCH_FLUX_CAPACITOR=1"])
    message = refusal([], "explain = 1\nlatenzy = 3us")
    assert message.startswith('my.conf:2: "latenzy" is not a setting: did you mean latency?')
    assert "ANABRANCH" not in message


@pytest.mark.parametrize(
    ("variable", "value", "hint"),
    [
        ("BCAST", "bcast/chian", "did you mean bcast/chain?"),
        ("BCAST", "chain", "did you mean bcast/chain?"),
        ("BCAST", "bcast/chain:segmnt=4KiB", "valid are segment"),
        ("BCAST", "bcast/chain:segment=0", "1 to 1TiB"),
        ("BCAST", "", "valid are auto, native, bcast/"),
        ("EXPLAIN", "yes", "give 0 or 1"),
        ("DISABLE", "", "give 0 or 1"),
        ("WATCHDOG", "30", "30s"),
        ("WATCHDOG", "-1s", "30s"),
        ("LATENCY", "100 us", "100us"),
        ("BANDWIDTH", "40", "40mbit"),
        ("BANDWIDTH", "0mbit", "above 0"),
        ("BANDWIDTH", "nanmbit", "above 0"),
        ("EAGER_LIMIT", "8 KB", "4KiB"),
        ("RECEIVE_WINDOW", "0", "1 to 64"),
        ("RECEIVE_WINDOW", "65", "1 to 64"),
        ("SEND_WINDOW", "4.5", "1 to 64"),
        ("SEND_WINDOW", "99999999999", "1 to 64"),
        ("WAIT", "forever", "auto, spin, yield or sleep"),
        ("CACHE", "-1", "4KiB"),
        ("LIBRARY_DIR", "", "a path"),
    ],
)
def test_invalid_values_are_refused_with_what_is_valid(variable, value, hint):
    message = refusal([f"ANABRANCH_{variable}={value}"])
    assert message.startswith(f"ANABRANCH_{variable}: ")
    assert hint in message


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("bcast native", 'my.conf:1: "bcast native" is not a setting: write it as name = value'),
        ("explain = 1\n\nexplain = 0", 'my.conf:3: "explain" is set a second time'),
        ("wait = later", 'my.conf:1: wait: "later" is not valid'),
        ("config = other.conf", '"config" is valid in the environment only'),
        ("= 1", 'my.conf:1: "" is not a setting'),
    ],
)
def test_a_file_is_refused_with_its_line(text, what):
    assert what in refusal([], text)


def test_native_is_short_for_the_collectives_native():
    settings = core.parse_settings(["ANABRANCH_BCAST=native"])
    assert settings.text("bcast") == "bcast/native"
    assert settings.hash == core.parse_settings(["ANABRANCH_BCAST=bcast/native"]).hash


@pytest.mark.parametrize("setting", core.all_settings(), ids=lambda s: s.name)
def test_the_hash_changes_with_what_decisions_depend_on_and_with_nothing_else(setting):
    changed = core.Settings()
    changed.set(setting.name, OTHER_VALUES[setting.name])
    assert (changed.hash != core.Settings().hash) == setting.same_on_all_ranks


def test_the_hash_sees_differences_that_the_text_rounds_off():
    first, second = core.Settings(), core.Settings()
    first.set("latency", "100.0001us")
    second.set("latency", "100.0002us")
    assert first.text("latency") == second.text("latency")
    assert first.hash != second.hash


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("30s", 30), ("1.5ms", 1.5e-3), ("100us", 1e-4), ("7ns", 7e-9), ("2min", 120)],
)
def test_durations(text, seconds):
    assert core.parse_duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("40mbit", 5e6),
        ("40Mbit/s", 5e6),
        ("1gbit", 1.25e8),
        ("8bit", 1),
        ("1.2GB/s", 1.2e9),
        ("1MiB/s", 2**20),
        ("3kB", 3000),
    ],
)
def test_bandwidths(text, bytes_per_s):
    assert core.parse_bandwidth_bytes_per_s(text) == pytest.approx(bytes_per_s)


@given(st.floats(1e-9, 1e6))
@settings(deadline=None)
def test_quantities_survive_being_printed(value):
    assert core.parse_duration_s(core.format_duration(value)) == pytest.approx(value, rel=1e-3)
    rate = value * 1e6
    printed = core.format_bandwidth(rate)
    assert core.parse_bandwidth_bytes_per_s(printed) == pytest.approx(rate, rel=1e-3)


@pytest.mark.parametrize(
    "parse", [core.parse_duration_s, core.parse_bandwidth_bytes_per_s, core.parse_size]
)
@given(text=st.text(max_size=20))
@settings(deadline=None)
def test_no_text_is_worse_than_refused(parse, text):
    with contextlib.suppress(ValueError):
        assert parse(text) >= 0
