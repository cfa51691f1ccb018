"""Broadcasts 256 KiB from rank 0 five times, while the other ranks come up to 0.4 s late.

    anabranch trace -n 16 --set bcast=bcast/baton -- python examples/late_ranks.py
    anabranch timeline trace.json
    anabranch timeline trace.json --svg picture.svg

Needs mpi4py (`pip install mpi4py`). It stands for a program that computes between its broadcasts.
"""

import random
import time

from mpi4py import MPI

LATEST_S = 0.4
comm = MPI.COMM_WORLD
data = bytearray(256 * 1024)
delays = random.Random(7)
for step in range(5):
    comm.Barrier()
    delay_s = [delays.uniform(0, LATEST_S) for _ in range(comm.size)]
    if comm.rank != 0:
        time.sleep(delay_s[comm.rank])
    if comm.rank == 0:
        data[:] = bytes([step]) * len(data)
    comm.Bcast(data, root=0)
    assert set(data) == {step}
