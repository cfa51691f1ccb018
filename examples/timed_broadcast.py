"""Broadcasts 1 MiB from rank 0 and prints how long it took until everybody had it.

    anabranch run -n 8 -- python examples/timed_broadcast.py

Needs mpi4py (`pip install mpi4py`).
"""

from mpi4py import MPI

comm = MPI.COMM_WORLD
data = bytearray(1 << 20)
comm.Bcast(data, root=0)  # opens the connections

if comm.rank == 0:
    data[:] = bytes([7]) * len(data)
comm.Barrier()
start_s = MPI.Wtime()
comm.Bcast(data, root=0)
comm.Barrier()
if comm.rank == 0:
    print(f"1 MiB reached {comm.size} processes after {MPI.Wtime() - start_s:.2f} s")
assert set(data) == {7}
