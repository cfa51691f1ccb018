#!/usr/bin/env python3
"""The way of one broadcast through the sources, from MPI_Bcast to the MPI's Isend.

    .venv/bin/python benchmarks/way_of_a_call.py [--tree FOLDER] [--all]

Builds the library of a tree (after `make setup` there) for MPICH so that it tells of each function
that is entered and left. Runs a program of two broadcasts of 256 KiB on 4 ranks, each on a node of
its own, with a set algorithm and with what is chosen by default. Prints for rank 0, of the first
call on a communicator and of a later one, what is entered until the first Isend.

Totals: a *stop* is an entry of a function that a .cpp or .inc file under src/ defines. What headers
define, lambdas and destructors are no stops: most have one line; nor is what waits for other ranks
(mpi/waiting.cpp), which is entered again until they come. A *return* is a stop that comes
right after the end of another one: control came back to a function, which then went on to the next.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
RANKS = 4
NETWORK = {"ANABRANCH_LATENCY": "100us", "ANABRANCH_BANDWIDTH": "40mbit"}
MODES = {"ANABRANCH_BCAST=bcast/chain": {"ANABRANCH_BCAST": "bcast/chain"}, "the default": {}}
# addr2line of binutils 2.40 takes the wrong file from DWARF 5.
TELLING = "-O1 -gdwarf-4 -finstrument-functions -finstrument-functions-exclude-file-list=/c++/"
PROGRAM = """
#include <mpi.h>
static char data[256 * 1024];
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2; ++i) MPI_Bcast(data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""
CALLS = ("first call on a communicator", "later call")


@dataclass(frozen=True)
class Function:
    name: str
    file: str  # relative to the tree
    line: str

    @property
    def is_stop(self) -> bool:
        is_small = "{lambda" in self.name or "::~" in self.name
        waits = self.file.endswith("mpi/waiting.cpp")
        return self.file.endswith((".cpp", ".inc")) and not is_small and not waits


@dataclass(frozen=True)
class Step:
    function: Function
    is_entry: bool


def run(*arguments: str | Path, text: str = "") -> str:
    """The output of a command; what it prints is shown only if it fails."""
    done = subprocess.run(arguments, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}way_of_a_call: {Path(arguments[0]).name} failed")
    return done.stdout


def build(tree: Path) -> tuple[Path, Path, Path]:
    """The dispatcher, the library that takes the MPI's place, and the program."""
    folder = tree / "build" / "way-of-a-call"
    mpi = tree / ".venv"
    os.environ["PATH"] = f"{mpi}/bin:{os.environ['PATH']}"
    if not (mpi / "bin" / "mpicc").exists():
        sys.exit(f"way_of_a_call: no MPICH in {mpi}; run make setup in {tree}")
    options = {
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_C_FLAGS": TELLING,
        "CMAKE_CXX_FLAGS": TELLING,
        "Python_EXECUTABLE": f"{mpi}/bin/python",
        "ANABRANCH_MPICH_PREFIX": str(mpi),
    }
    given = [f"-D{name}={value}" for name, value in options.items()]
    run("cmake", "-S", tree, "-B", folder, "-G", "Ninja", *given)
    run("cmake", "--build", folder, "--target", "anabranch_dispatcher", "anabranch_mpich")
    listener = folder / "libmpi.so.12.listener"  # a name that the dispatcher takes for MPICH
    run("mpicc", "-O1", "-fPIC", "-shared", SOURCE, "-o", listener)
    program = folder / "program"
    run("mpicc", "-O1", "-x", "c", "-", "-o", program, text=PROGRAM)
    return folder / "libanabranch.so", listener, program


def recorded(
    tree: Path, built: tuple[Path, Path, Path], settings: dict[str, str]
) -> list[list[str]]:
    """The lines of way_of_a_call.c for each broadcast, until its first send."""
    dispatcher, listener, program = built
    launcher = ["mpiexec", "-n", str(RANKS), "-genv", "LD_PRELOAD", f"{dispatcher} {listener}"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        variables = {**NETWORK, **settings, "WAY_OF_A_CALL": str(path)}
        for name, value in variables.items():
            launcher += ["-genv", name, value]
        run(*launcher, program)
        lines = path.read_text().splitlines()
    calls: list[list[str]] = []
    depth = 0
    for line in lines:
        if line == "send":
            depth = 0  # nothing is told of the call after that
        elif line.startswith("+"):
            if depth == 0:
                calls.append([])
            depth += 1
        else:
            depth -= 1
        calls[-1].append(line)
    return calls


def short(name: str) -> str:
    """Without the outer namespace and the arguments of templates."""
    name = name.replace("(anonymous namespace)::", "").replace("anabranch::", "")
    before = ""
    while before != name:
        before, name = name, re.sub(r"(?<!operator)<[^<>]*>", "", name)
    return name


def look_up(tree: Path, lines: set[str]) -> dict[str, Function]:
    """The function by "object offset"."""
    by_object: dict[str, list[str]] = {}
    for line in sorted(lines):
        path, offset = line.rsplit(" ", 1)
        by_object.setdefault(path, []).append(offset)
    found = {}
    for path, offsets in by_object.items():
        text = run("c++filt", "-p", text=run("addr2line", "-f", "-e", path, *offsets)).splitlines()
        for offset, name, place in zip(offsets, text[::2], text[1::2], strict=True):
            file, line = place.split(" ")[0].rsplit(":", 1)
            found[f"{path} {offset}"] = Function(short(name), os.path.relpath(file, tree), line)
    return found


def steps_of(tree: Path, lines: list[str]) -> list[Step]:
    functions = look_up(tree, {line[2:] for line in lines if line != "send"})
    steps = [Step(functions[line[2:]], line[0] == "+") for line in lines if line != "send"]
    return [step for step in steps if step.function.file.startswith("src/")]


def show_way(steps: list[Step], show_all: bool) -> None:
    depth = 0
    for step in steps:
        function = step.function
        if not (function.is_stop or show_all):
            continue
        if step.is_entry:
            note = "" if function.is_stop else "  (no stop)"
            print(f"{'  ' * depth}{function.name}  {function.file}:{function.line}{note}")
        depth += 1 if step.is_entry else -1


def show_totals(steps: list[Step]) -> str:
    """Prints what is counted; returns the totals."""
    ends = [step for step in steps if step.function.is_stop]
    returns = sum(b.is_entry and not a.is_entry for a, b in itertools.pairwise(ends))
    stops = Counter(step.function for step in ends if step.is_entry)
    files = Counter(function.file for function in stops.elements())
    print("\nstops by file:")
    for file, count in files.most_common():
        print(f"{count:5}  {file}")
    print("\nentered more than once:")
    for function, count in stops.most_common():
        if count > 1:
            print(f"{count:5}  {function.name}  {function.file}:{function.line}")
    others = sum(step.is_entry for step in steps) - stops.total()
    counts = f"{stops.total()} stops at {len(stops)} functions in {len(files)} files"
    return f"{counts}, {returns} returns; {others} entries are no stops"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=SOURCE.parent.parent, help="what to count")
    parser.add_argument("--all", action="store_true", help="show also what is no stop")
    options = parser.parse_args()
    tree = options.tree.resolve()
    for name in [name for name in os.environ if name.startswith("ANABRANCH_")]:
        del os.environ[name]
    built = build(tree)
    summary = ["totals:"]
    for mode, settings in MODES.items():
        calls = recorded(tree, built, settings)
        broadcasts = [(lines, steps_of(tree, lines)) for lines in calls]
        broadcasts = [call for call in broadcasts if call[1][0].function.name == "MPI_Bcast"]
        for when, (lines, steps) in zip(CALLS, broadcasts, strict=True):
            if lines[-1] != "send":
                sys.exit(f"way_of_a_call: the {when} with {mode} ends without an Isend")
            print(f"== {mode}, {when}\n")
            show_way(steps, options.all)
            totals = show_totals(steps)
            print(f"\n{totals}\n")
            summary.append(f"  {mode}, {when}: {totals}")
    print("\n".join(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
