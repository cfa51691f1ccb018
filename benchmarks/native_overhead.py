#!/usr/bin/env python3
"""What the library costs where it leaves a collective to the MPI, in nanoseconds per call.

    .venv/bin/python benchmarks/native_overhead.py [--mpi openmpi] [--rounds 5] [--json]

Runs native_overhead.c on 1 and 2 ranks, with and without the library in front, in turn. "cost" is
the median, over all rounds, of the difference between a program's call and the MPI's own function,
"at best" that of the fastest tenths of both. Without the library they show the noise.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from anabranch import launch

SOURCE = Path(__file__).with_suffix(".c")
TARGET_NS = 100
Row = tuple[float, ...]


def compiled(installation: launch.Installation, folder: Path) -> Path:
    """The benchmark program for this MPI."""
    wrapper = installation.prefix / "bin" / "mpicc"
    program = folder / "native_overhead"
    subprocess.run([wrapper, "-O2", SOURCE, "-o", program, "-ldl"], check=True)
    return program


def measured(
    program: Path, ranks: int, installation: launch.Installation, preload: bool
) -> dict[str, Row]:
    """By case: direct, called, difference, difference of the fastest tenths, ns."""
    arguments, environment = launch.command([str(program)], ranks, installation, preload=preload)
    environment.setdefault("MPIR_CVAR_DEVICE_COLLECTIVES", "none")
    done = subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return {name: tuple(map(float, values)) for name, *values in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="mpich", help="mpich, openmpi, or an MPI's folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    installation = launch.find_installation(options.mpi)
    samples: dict[tuple[str, bool], list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(installation, Path(folder))
        for _ in range(options.rounds):
            for ranks in (1, 2):
                for preload in (True, False):
                    for case, row in measured(program, ranks, installation, preload).items():
                        samples.setdefault((case, preload), []).append(row)
    results = [
        {
            "case": case,
            "library": preload,
            "direct_ns": statistics.median(row[0] for row in rows),
            "called_ns": statistics.median(row[1] for row in rows),
            "cost_ns": statistics.median(row[2] for row in rows),
            "cost_at_best_ns": statistics.median(row[3] for row in rows),
        }
        for (case, preload), rows in samples.items()
    ]
    if options.json:
        environment = {"mpi": str(installation.library), "cores": os.cpu_count()}
        schema = "anabranch/native-overhead/1"
        print(json.dumps({"schema": schema, **environment, "results": results}, indent=2))
        return 0
    print("case                             library     MPI ns   call ns   cost ns   at best ns")
    for r in results:
        library = "yes" if r["library"] else "no"
        figures = f"{r['direct_ns']:9.1f} {r['called_ns']:9.1f} {r['cost_ns']:9.1f}"
        print(f"{r['case']:32} {library:8} {figures} {r['cost_at_best_ns']:12.1f}")
    print(f"The aim is a cost of at most {TARGET_NS} ns.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
