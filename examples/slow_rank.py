"""Iterations of a solver in which another rank is slow each time, as in slow_rank.c.

    anabranch run -n 16 --native -- python examples/slow_rank.py 500
    anabranch run -n 16 --set bcast=bcast/baton --set allreduce=allreduce/arrival_groups \
        --set reduction_order=any -- python examples/slow_rank.py 500

Needs mpi4py and NumPy. Usage: slow_rank.py [MILLISECONDS [ITERATIONS]].
"""

import sys
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
compute_s = float(sys.argv[1]) / 1e3 if len(sys.argv) > 1 else 0.1
iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 20
parts = np.arange((1 << 20) // 8, dtype=np.float64) + comm.rank
totals = np.empty_like(parts)
message = np.zeros(256 << 10, dtype=np.uint8)
expected = comm.size * (comm.size - 1) / 2 + comm.size * (parts.size - 1)
begin_s = 0.0
for step in range(-1, iterations):  # the first makes connections
    if step == 0:
        comm.Barrier()
        begin_s = time.perf_counter()
    is_slow = step >= 0 and step % comm.size == comm.rank
    time.sleep(compute_s * 4 / 3 if is_slow else compute_s)
    comm.Allreduce(parts, totals)
    assert totals[-1] == expected
    if comm.rank == 0:
        message[:] = step % 256
    comm.Bcast(message, root=0)
    assert message[-1] == step % 256
if comm.rank == 0:
    print(f"{(time.perf_counter() - begin_s) / iterations * 1e3:.1f} ms an iteration")
