"""The program that simulates on SimGrid: processes of it, each with the same cluster."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from anabranch import native_folder
from anabranch.simulate.errors import SimulateError

PROGRAM = "simulate-simgrid"
FOLDER_VARIABLE = "ANABRANCH_SIMULATE_DIR"
Document = Mapping[str, Any]


def find_program() -> Path:
    """Raises SimulateError, which says what gets it, where there is none."""
    folder = os.environ.get(FOLDER_VARIABLE)
    found = (Path(folder) if folder else native_folder() / "bin") / PROGRAM
    if not found.is_file():
        raise SimulateError(
            "simulations need SimGrid 3.32 or newer, which was not there when this was built: "
            "in the source tree, apt install libsimgrid-dev and make setup, or make setup-simgrid"
        )
    return found


def simulated(
    cluster: Document, cells: Sequence[Document], processes: int | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The index of each cell with its answer, as they come; raises SimulateError.

    processes: at once; as many as there are cores unless given.
    """
    if processes is None:
        processes = len(os.sched_getaffinity(0))
    if processes < 1:
        raise SimulateError(f"{processes} simulations at once: give 1 or more")
    program = find_program()
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(cells)):
        waiting.put(index)
    answers: queue.SimpleQueue[tuple[int, dict[str, Any]] | Exception] = queue.SimpleQueue()
    with contextlib.ExitStack() as ending:
        for _ in range(min(processes, len(cells))):
            messages = ending.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            process = _Process(program, messages)
            thread = threading.Thread(
                target=_serve, args=(process, cluster, cells, waiting, answers), daemon=True
            )
            thread.start()
            ending.callback(process.close)
            ending.callback(thread.join)
            ending.callback(process.kill)  # first of all, which ends the thread
        for _ in cells:
            answer = answers.get()
            if isinstance(answer, Exception):
                raise answer
            yield answer


class _Process:
    """One process of the program; its messages go to a file, which cannot fill up a pipe."""

    def __init__(self, program: Path, messages: IO[str]) -> None:
        self._messages = messages
        self.process = subprocess.Popen(
            [program, str(os.getpid())],  # it ends when we do
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            text=True,
            start_new_session=True,  # an interrupt is for the tool, which ends it
        )

    def send(self, document: Document) -> None:
        assert self.process.stdin is not None
        print(json.dumps(document), file=self.process.stdin, flush=True)

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise self.failure()
        answer = json.loads(line)
        if "error" in answer:
            raise SimulateError(answer["error"], is_input=False)
        return dict(answer)

    def failure(self) -> SimulateError:
        """What it said last, in one line."""
        self.process.kill()
        status = self.process.wait()
        self._messages.seek(0)
        said = self._messages.read().strip().splitlines()
        why = said[-1] if said else f"status {status}"
        return SimulateError(f"the simulation ended: {why}", is_input=False)

    def kill(self) -> None:
        self.process.kill()

    def close(self) -> None:
        self.process.communicate()


def _serve(
    process: _Process,
    cluster: Document,
    cells: Sequence[Document],
    waiting: queue.SimpleQueue[int],
    answers: queue.SimpleQueue[tuple[int, dict[str, Any]] | Exception],
) -> None:
    try:
        try:
            process.send(cluster)
            while True:
                try:
                    index = waiting.get_nowait()
                except queue.Empty:
                    return
                process.send(cells[index])
                answers.put((index, process.answer()))
        except (OSError, ValueError):
            raise process.failure() from None
    except Exception as error:  # whoever waits for an answer must hear of it
        answers.put(error)
