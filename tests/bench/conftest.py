"""What the tests of the benchmark share: real runs on this machine, and events made up for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anabranch import bench, launch
from anabranch.bench.contenders import Contender
from anabranch.bench.launches import Launch
from anabranch.bench.measurement import Measurement
from anabranch.bench.program import program_path
from anabranch.bench.results import assemble


def require_program(kind: str) -> None:
    try:
        program_path(kind)
    except bench.BenchError as error:
        pytest.skip(str(error))


@pytest.fixture
def contender(mpi) -> Contender:
    """Anabranch over each MPI in turn."""
    require_program(mpi.name)
    return bench.contenders([mpi.name], ["native", "bcast/chain:segment=1KiB"])[0]


@pytest.fixture
def small_measurement() -> Measurement:
    return Measurement(
        ranks=3,
        sizes=(1, 5000),
        root=1,
        minimum_repetitions=3,
        maximum_repetitions=4,
        maximum_s=20,
        lead_s=0.005,
    )


def made_up_launch(
    *,
    offsets_s: tuple[float, float] = (0.0, 0.0),
    drift: float = 0.0,
    native_s: float = 2e-3,
    chain_s: float = 1e-3,
    contender: str = "mpich",
    preload: bool = True,
    block: int = 0,
) -> Launch:
    """Two ranks, sizes 1000 and 8000, seven repetitions. Rank 1's clock is behind by `offsets_s[1]`
    at time 0, and by `drift` more each second. Arrivals at the start and 10 us later; one exit.
    """
    installation = launch.Installation("mpich", Path("/x"), Path("/x"), Path("/x"), ("mpich",))
    measurement = Measurement(ranks=2, sizes=(1000, 8000), maximum_repetitions=7)
    algorithms = ("native", "bcast/chain")
    found = Launch(measurement, Contender(contender, installation, algorithms, preload), block)
    found.add(
        {
            "event": "start",
            "mpi_version": "made up",
            "hosts": ["a", "b"],
            "peer_rank": 1,
            "compiler": "none",
            "clock": "estimated",
        }
    )

    def offset_s(time_s: float) -> float:
        return offsets_s[1] + drift * time_s

    def own_s(time_s: float) -> float:  # what rank 1's clock shows
        return time_s - offset_s(time_s)

    def read_clocks(time_s: float) -> None:
        by_rank = [offsets_s[0], offset_s(time_s)]
        found.add(
            {
                "event": "clock",
                "time_s": time_s,
                "offset_s": by_rank,
                "estimated_offset_s": by_rank,
                "round_trip_s": [0.0, 40e-6],
            }
        )

    def send_message(time_s: float, size: int, turn: int) -> None:
        end_s = time_s + 1e-4 + size * 1e-7
        times = {"start_s": time_s, "sent_s": time_s + 1e-6, "received_s": own_s(end_s)}
        place = {"size_bytes": size, "repetition": turn, "dst_rank": 1}
        found.add({"event": "message", **place, **times})
        trip = {"duration_s": 2 * (end_s - time_s)}
        found.add({"event": "round_trip", **place, **trip})

    read_clocks(0.0)
    for turn in range(5):
        send_message(1.0 + turn, 1, turn)
    for size in measurement.sizes:
        for turn in range(7):
            time_s = 10.0 + turn
            send_message(time_s, size, turn)
            for algorithm, duration_s in zip(algorithms, (native_s, chain_s), strict=True):
                exit_s = time_s + 10e-6 + duration_s * (1 + turn / 100)
                found.add(
                    {
                        "event": "sample",
                        "size_bytes": size,
                        "buffer_bytes": size,
                        "algorithm": algorithm,
                        "repetition": turn,
                        "ran": algorithm,
                        "start_s": time_s,
                        "arrival_s": [time_s, own_s(time_s + 10e-6)],
                        "exit_s": [time_s + 1e-4, own_s(exit_s)],
                    }
                )
        found.add({"event": "size", "size_bytes": size, "ended_by": "repetitions"})
    read_clocks(20.0)
    return found


@pytest.fixture
def make_launch() -> Callable[..., Launch]:
    return made_up_launch


@pytest.fixture
def document() -> dict[str, Any]:
    environment = {"lab": None}
    return assemble([made_up_launch()], environment, 0.0)
