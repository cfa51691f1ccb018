"""Measuring collectives on real MPI, with the network's limit and other libraries beside them.

    from anabranch import bench
    measurement = bench.Measurement(ranks=16, sizes=(4096, 65536))
    results = bench.measure([measurement], bench.contenders(["mpich"], ["native", "auto"]))

`anabranch bench` is the command for it; docs/guides/measuring.md says how it measures.
"""

from anabranch.bench.contenders import (
    Contender,
    contenders,
    parse_algorithms,
    parse_also,
    peer_names,
    peers,
)
from anabranch.bench.errors import BenchError
from anabranch.bench.files import write_csv, write_json
from anabranch.bench.functions import collective_of, function_names
from anabranch.bench.interruption import Interrupted
from anabranch.bench.measurement import Measurement, parse_ranks, parse_repetitions, parse_sizes
from anabranch.bench.measuring import measure
from anabranch.bench.points import Point, points_of
from anabranch.bench.results import SCHEMA
from anabranch.bench.table import print_tables

__all__ = [
    "SCHEMA",
    "BenchError",
    "Contender",
    "Interrupted",
    "Measurement",
    "Point",
    "collective_of",
    "contenders",
    "function_names",
    "measure",
    "parse_algorithms",
    "parse_also",
    "parse_ranks",
    "parse_repetitions",
    "parse_sizes",
    "peer_names",
    "peers",
    "points_of",
    "print_tables",
    "write_csv",
    "write_json",
]
