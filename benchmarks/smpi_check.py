#!/usr/bin/env python3
"""SimGrid's own MPI (SMPI) beside anabranch simulate, algorithm by algorithm.

    .venv/bin/python benchmarks/smpi_check.py [--ranks 4,16,128] [--sizes 32KiB] [--json FILE]

Both simulate a switch with a rank on each node, of the same rate and latency, but SMPI runs its
own code of each algorithm. Its factors for TCP and its times for calls are off, so that a message
takes its latency and its bytes, and shares links evenly. Then the same for the rules by which SMPI
selects as MPICH and Open MPI do. Marks what deviates by more than 15 %.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from anabranch import bench, simulate

SOURCE = Path(__file__).with_suffix(".c")
BUILT = SOURCE.parent.parent / "build" / "simgrid" / "bin"
TOLERANCE = 0.15
MAXIMUM_RANKS = 128
# What SMPI calls it, and our name for the same.
ALGORITHMS = {
    "bcast": {
        "binomial_tree": "binomial",
        "flattree": "flat",
        "scatter_LR_allgather": "scatter_ring_allgather",
        "scatter_rdb_allgather": "scatter_doubling_allgather",
    },
    "allgather": {
        "NTSLR": "ring",
        "ring": "pairwise",
        "rdb": "recursive_doubling",
        "bruck": "bruck",
    },
    "allreduce": {
        "rdb": "recursive_doubling",
        "lr": "ring",
        "rab_rdb": "reduce_scatter_allgather",
    },
    "reduce": {"binomial": "binomial", "scatter_gather": "reduce_scatter_gather"},
    "reduce_scatter": {
        "ompi_ring": "ring",
        "ompi_basic_recursivehalving": "recursive_halving",
        "mpich_pair": "pairwise",
    },
    "alltoall": {
        "bruck": "bruck",
        "ring": "pairwise",
        "pair": "pairwise_xor",
        "basic_linear": "all_at_once",
    },
}
# Those of SMPI's selectors, and our policy that follows the same library, if there is one.
SELECTORS = {"mpich": "mpich3", "ompi": None}
HEADER = (
    f"{'function':15}{'SMPI':28}{'ours':27}{'ranks':>5}{'bytes':>9}"
    f"{'SMPI us':>12}{'ours us':>12}{'ratio':>8}"
)


@dataclass(frozen=True)
class Network:
    rate_bytes_per_s: float
    latency_s: float
    eager_bytes: int


@dataclass(frozen=True)
class Row:
    function: str
    smpi: str
    ours: str | None
    ran: str | None
    ranks: int
    size_bytes: int
    smpi_s: float
    ours_s: float | None

    @property
    def ratio(self) -> float | None:
        return None if self.ours_s is None else self.ours_s / self.smpi_s

    @property
    def deviates(self) -> bool:
        return self.ratio is not None and abs(self.ratio - 1) > TOLERANCE


def tool(name: str) -> str:
    found = BUILT / name
    path = str(found) if found.is_file() else shutil.which(name)
    if path is None:
        sys.exit(
            f"smpi_check: no {name}: apt install libsimgrid-dev, or make setup-simgrid SMPI=ON"
        )
    return path


def run(*arguments: str | Path) -> str:
    """The output of a command; what it says of errors is shown only if it fails."""
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}smpi_check: {Path(arguments[0]).name} failed")
    return done.stdout


def version() -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)", run(tool("smpirun"), "-version"))
    return tuple(int(number) for number in found.groups()) if found else (0,)


def settings(network: Network) -> list[str]:
    """As configure() in src/simgrid/network.cpp, and no time for calls."""
    precision = "precision/timing" if version() >= (3, 35) else "surf/precision"
    chosen = {
        "network/latency-factor": 1,
        "network/bandwidth-factor": 1,
        "network/TCP-gamma": 0,
        "network/crosstraffic": 0,
        "network/weight-S": 0,
        precision: 1e-12,
        "smpi/lat-factor": "0:1",
        "smpi/bw-factor": "0:1",
        "smpi/simulate-computation": "no",
        "smpi/wtime": 0,
        "smpi/test": 0,
        "smpi/iprobe": 0,
        "smpi/async-small-thresh": network.eager_bytes,
        "smpi/send-is-detached-thresh": network.eager_bytes,
    }
    return ["--log=root.thres:error", *(f"--cfg={name}:{value}" for name, value in chosen.items())]


def write_platform(folder: Path, ranks: int, network: Network) -> list[str | Path]:
    """A switch; both links on a way have half of its latency, and a rank's way to itself none."""
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(ranks)))
    platform = folder / "switch.xml"
    platform.write_text(
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'<cluster id="switch" prefix="n" suffix="" radical="0-{ranks - 1}" speed="1Gf"'
        f' bw="{network.rate_bytes_per_s}Bps" lat="{network.latency_s / 2}s"'
        ' sharing_policy="SPLITDUPLEX" loopback_bw="1e18Bps" loopback_lat="0s"/>\n'
        "</platform>\n"
    )
    return ["-platform", platform, "-hostfile", folder / "hosts", "-np", str(ranks)]


class Smpi:
    def __init__(self, folder: Path, network: Network) -> None:
        self.folder, self.network = folder, network
        self.program = folder / "smpi_check"
        self.settings = settings(network)
        run(tool("smpicc"), "-O2", SOURCE, "-o", self.program)

    def times_s(
        self, function: str, setting: str, ranks: int, sizes: list[int]
    ) -> dict[int, float]:
        launch = write_platform(self.folder, ranks, self.network)
        bytes_of = [str(size) for size in sizes]
        chosen = [*self.settings, f"--cfg=smpi/{setting}"]
        said = run(tool("smpirun"), *launch, *chosen, self.program, function, *bytes_of)
        lines = (line.split() for line in said.splitlines() if re.fullmatch(r"\d+ \S+", line))
        return {int(size): float(time_s) for size, time_s in lines}


def simulated(
    function: str, algorithm: str, ranks: int, sizes: list[int], network: Network
) -> dict[int, tuple[str, float]]:
    """What ran and its time, by size; empty where it cannot run on so many ranks."""
    machine = simulate.Machine(
        simulate.parse_cluster(f"switch:{ranks}"),
        ranks,
        rate_bytes_per_s=network.rate_bytes_per_s,
        latency_s=network.latency_s,
    )
    measurement = bench.Measurement(ranks=ranks, sizes=tuple(sizes), function=function)
    try:
        document = simulate.simulate(machine, measurement, [f"{function}/{algorithm}"])
    except simulate.SimulateError as error:
        print(f"smpi_check: {error}", file=sys.stderr)
        return {}
    cells = document["cells"]
    return {cell["size_bytes"]: (cell["ran"], cell["completion"]["median"]) for cell in cells}


def compared(
    smpi: Smpi, function: str, setting: str, ours: str | None, ranks: int, sizes: list[int]
) -> list[Row]:
    theirs = smpi.times_s(function, setting, ranks, sizes)
    own = simulated(function, ours, ranks, sizes, smpi.network) if ours else {}
    rows = []
    for size, time_s in theirs.items():
        ran, ours_s = own.get(size, (None, None))
        name = setting.partition(":")[2]
        rows.append(Row(function, name, ours, ran, ranks, size, time_s, ours_s))
    return rows


def show(row: Row) -> None:
    ours_s = "-" if row.ours_s is None else f"{row.ours_s * 1e6:.1f}"
    ratio = "-" if row.ratio is None else f"{row.ratio:.3f}"
    mark = "  <--" if row.deviates else ""
    names = f"{row.function:15}{row.smpi:28}{row.ours or '-':27}{row.ranks:5}{row.size_bytes:9}"
    print(f"{names}{row.smpi_s * 1e6:12.1f}{ours_s:>12}{ratio:>8}{mark}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="4,16,128", help=f"with commas, up to {MAXIMUM_RANKS}")
    parser.add_argument("--sizes", default="1KiB:1MiB:32x", help="as those of anabranch bench")
    parser.add_argument("--functions", default=",".join(ALGORITHMS), help="with commas")
    parser.add_argument("--rate", type=float, default=1e9, help="of a port, bytes per second")
    parser.add_argument("--latency", type=float, default=1e-5, help="between nodes, seconds")
    parser.add_argument("--eager", type=int, default=65536, help="sends below do not wait, bytes")
    parser.add_argument("--json", type=Path, help="write all rows; - prints them")
    options = parser.parse_args()
    numbers = options.ranks.split(",")
    if not all(number.isdecimal() and 2 <= int(number) <= MAXIMUM_RANKS for number in numbers):
        parser.error(f"--ranks: give 2 to {MAXIMUM_RANKS}, several with commas")
    ranks = [int(number) for number in numbers]
    functions = options.functions.split(",")
    if unknown := set(functions) - set(ALGORITHMS):
        parser.error(f"--functions: no {', '.join(unknown)}; give some of {', '.join(ALGORITHMS)}")
    try:
        sizes = list(bench.parse_sizes(options.sizes))
        simulate.find_program()
    except (bench.BenchError, simulate.SimulateError) as error:
        sys.exit(f"smpi_check: {error}")
    if odd := [size for size in sizes if any(size % (4 * count) for count in ranks)]:
        parser.error(f"--sizes: {odd[0]} is no multiple of 4 bytes for each rank")
    network = Network(options.rate, options.latency, options.eager)
    is_printed = str(options.json) == "-"
    if not is_printed:
        print(HEADER)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        smpi = Smpi(Path(folder), network)
        for function in functions:
            single = {f"{function}:{name}": ours for name, ours in ALGORITHMS[function].items()}
            selected = {f"coll-selector:{name}": ours for name, ours in SELECTORS.items()}
            for setting, ours in (single | selected).items():
                for count in ranks:
                    found = compared(smpi, function, setting, ours, count, sizes)
                    rows += found
                    for row in found if not is_printed else []:
                        show(row)
    document = {
        "schema": "anabranch/smpi-check/1",
        "smpi_version": ".".join(map(str, version())),
        "network": asdict(network),
        "results": [{**asdict(row), "ratio": row.ratio} for row in rows],
    }
    if is_printed:
        print(json.dumps(document, indent=2))
        return 0
    if options.json is not None:
        options.json.write_text(json.dumps(document, indent=2) + "\n")
    both = [row for row in rows if row.ratio is not None]
    close = sum(not row.deviates for row in both)
    print(f"{close} of {len(both)} within {TOLERANCE:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
