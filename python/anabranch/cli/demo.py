"""`anabranch demo`, which `make demo` calls: Anabranch and MPICH on an emulated cluster."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from anabranch import lab as emulated
from anabranch.cli import app, main
from anabranch.cli.errors import reported

NODES = 16
RATE = "40mbit"
NEXT = (
    "Next: 'anabranch run -n 4 --explain -- ./your_program' runs an MPI program of yours, and\n"
    "says which algorithm served its calls; 'anabranch bench --help' measures other collectives."
)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the results go.")] = Path("results"),
    sizes: Annotated[str, typer.Option(help="Sizes as for bench.")] = "1KiB:4MiB:4x",
    max_seconds: Annotated[float, typer.Option(help="Time for each size, as for bench.")] = 20.0,
) -> None:
    """Compares broadcasts on an emulated cluster of 16 nodes.

    MPICH alone, Anabranch in front of it, and the limit of the network.
    """
    outputs = [folder / f"demo.{suffix}" for suffix in ("json", "csv", "svg", "png")]
    command = ["bench", "bcast", "-n", str(NODES)]
    command += ["--sizes", sizes, "--algorithms", "native,auto", "--mpi", "mpich"]
    command += ["--max-seconds", str(max_seconds)]
    command += ["--json", str(outputs[0]), "--csv", str(outputs[1])]
    command += ["--plot", str(outputs[2]), "--plot", str(outputs[3])]
    with reported(emulated.LabError, exit_code=1):
        status = _run(command)
    if status == 0:
        print(NEXT)
    raise typer.Exit(status)


def _run(command: list[str]) -> int:
    """In a lab where the machine can make one; a lab that this runs in already will do."""
    if emulated.current() is None:
        reason = emulated.supported()
        if reason is None:
            network = emulated.Network(nodes=NODES, rate_bits_per_s=emulated.parse_rate(RATE))
            return emulated.run(network, [sys.executable, "-m", "anabranch", *command])
        print(f"No emulated cluster ({reason}): all ranks run on this machine.", flush=True)
    # In this process: who waits for another one is interrupted together with it.
    return main.run(command)
