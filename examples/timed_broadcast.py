"""Broadcasts 1 MiB again and again, and prints how long it takes until everybody has it.

    anabranch run -n 8 -- python examples/timed_broadcast.py [BROADCASTS]

It prints the median of the last five of 50 broadcasts, or of as many as you say. Needs mpi4py
(`pip install mpi4py`).
"""

import statistics
import sys

from mpi4py import MPI

broadcasts = int(sys.argv[1]) if len(sys.argv) > 1 else 50
comm = MPI.COMM_WORLD
data = bytearray(1 << 20)
times_s = []
for number in range(broadcasts):
    if comm.rank == 0:
        data[:] = bytes([number % 256]) * len(data)
    comm.Barrier()
    start_s = MPI.Wtime()
    comm.Bcast(data, root=0)
    comm.Barrier()
    times_s.append(MPI.Wtime() - start_s)
    assert set(data) == {number % 256}
if comm.rank == 0:
    print(f"1 MiB reaches {comm.size} processes in {statistics.median(times_s[-5:]):.2f} s")
