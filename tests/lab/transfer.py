"""Runs on node 0 of a lab: sends bytes to another node and prints bits of payload per second.

transfer.py NODE BYTES. Counts from before the connection until the receiver says it has all.
"""

import os
import socket
import subprocess
import sys
import time

RECEIVER = """
import socket, sys
server = socket.create_server((sys.argv[1], 7000))
print("ready", flush=True)
connection = server.accept()[0]
left = int(sys.argv[2])
while left:
    left -= len(connection.recv(min(left, 65536)))
connection.sendall(b"!")
"""


def main() -> None:
    node, size_bytes = sys.argv[1], int(sys.argv[2])
    command = [os.environ["LAB_SHELL"], node, "exec", sys.executable, "-c", f"'{RECEIVER}'"]
    command += [node, str(size_bytes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == b"ready\n"
        started_s = time.perf_counter()
        with socket.create_connection((node, 7000)) as connection:
            connection.sendall(bytes(size_bytes))
            assert connection.recv(1) == b"!"
        elapsed_s = time.perf_counter() - started_s
    print(8 * size_bytes / elapsed_s)


main()
