"""The readers of the Python tool: what each is fuzzed with, and the one error that it may raise."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anabranch import arrivals, bench, lab, launch, planning, trace, tune
from anabranch import platform as platforms
from anabranch._core import format_size
from anabranch.bench import results_file
from anabranch.lab.rates import format_rate, parse_delay, parse_rate
from anabranch.launch import elf, programs

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Reader:
    """read: gets a file with the case. error: what it raises for bad input, and nothing else."""

    name: str
    read: Callable[[Path], object]
    error: type[Exception]
    suffix: str = ""

    @property
    def corpus(self) -> list[bytes]:
        return [path.read_bytes() for path in sorted((CORPUS / self.name).iterdir())]


def _of_text(read: Callable[[str], object]) -> Callable[[Path], object]:
    """What comes from a command line is text, refused before where it is none."""
    return lambda path: read(path.read_bytes().decode(errors="replace").replace("\0", ""))


def _platform(path: Path) -> None:
    found = platforms.load(path)
    assert platforms.from_json(platforms.to_json(found)) == found
    platforms.price(found, 1000)


def _tuning(path: Path) -> None:
    found = tune.load(path)
    tune.rows_of(found.cells)
    tune.differences(found, found)
    with contextlib.suppress(tune.TuneError):
        tune.export(found, "openmpi")


def _timeline(path: Path) -> None:
    for call in trace.load(path):
        assert 0 <= call.spread_s <= call.end_s - call.begin_s
        assert call.average_s >= 0
        assert 0 <= call.last.rank < call.ranks
        format_size(call.size_bytes)
        for visit in call.visits:
            trace.spans_of(visit)


def _records(path: Path) -> None:
    folder = path.with_name("records")
    folder.mkdir(exist_ok=True)
    path.replace(folder / "rank.jsonl")
    trace.save(trace.collect(folder), path)
    _timeline(path)


def _lab(path: Path) -> None:
    found = lab.current({lab.VARIABLE: str(path)})
    assert found is not None
    found.to_json()


def _settings_of_run(text: str) -> None:
    launch.check_settings(launch.settings_environment([text]))


def _loader(path: Path) -> None:
    try:
        elf.dynamic_loader(path)
    except (ValueError, OSError, struct.error) as error:  # as its caller does
        raise launch.LaunchError("no ELF program") from error


def _rate(text: str) -> None:
    rate = parse_rate(text)
    assert parse_rate(format_rate(rate)) == rate


READERS = {
    reader.name: reader
    for reader in (
        Reader("platform", _platform, platforms.PlatformError, ".json"),
        Reader("graphml", _platform, platforms.PlatformError, ".graphml"),
        Reader("simgrid", _platform, platforms.PlatformError, ".xml"),
        Reader("plan", planning.load_plan, platforms.PlatformError),
        Reader("tuning", _tuning, tune.TuneError, ".json"),
        Reader("arrivals", arrivals.load, arrivals.ArrivalError),
        Reader(
            "arrival_kinds",
            _of_text(lambda text: [arrivals.generate(k, 5) for k in arrivals.split_kinds(text)]),
            arrivals.ArrivalError,
        ),
        Reader("trace", _timeline, trace.TraceError),
        Reader("rank_records", _records, trace.TraceError),
        Reader("results", results_file.load_arrivals, bench.BenchError),
        Reader("lab", _lab, lab.LabError),
        Reader("rates", _of_text(_rate), lab.LabError),
        Reader("delays", _of_text(parse_delay), lab.LabError),
        Reader("sizes", _of_text(bench.parse_sizes), bench.BenchError),
        Reader("ranks", _of_text(bench.parse_ranks), bench.BenchError),
        Reader("repetitions", _of_text(bench.parse_repetitions), bench.BenchError),
        Reader("algorithms", _of_text(bench.parse_algorithms), bench.BenchError),
        Reader("settings_of_run", _of_text(_settings_of_run), launch.LaunchError),
        Reader("hosts", _of_text(launch.parse_hosts), launch.LaunchError),
        Reader("hostfile", launch.read_hostfile, launch.LaunchError),
        Reader("elf", _loader, launch.LaunchError),
        Reader("script", programs.script_interpreter, launch.LaunchError),
    )
}
