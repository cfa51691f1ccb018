"""What an ELF program loads, by its own dynamic loader."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from pathlib import Path

from anabranch.launch.installations import LaunchError

_SEGMENT_OF_LOADER = 3  # PT_INTERP
_LONGEST_NAME = 4096  # bytes, of a file
# A library, its file, and where it would be in memory; names may have blanks.
_LISTED = re.compile(r"\s*(.+?)(?: => (.+?))?(?: \(0x[0-9a-f]+\))?\s*")


def needed_libraries(path: Path, name: str) -> dict[str, Path | None]:
    """All libraries that the dynamic loader would load, with their files where it finds them.

    Raises LaunchError, with the program's name, for what is no ELF program or is statically linked.
    """
    try:
        loader = dynamic_loader(path)
    except (struct.error, ValueError) as error:
        raise LaunchError(f"'{name}' is neither an ELF program nor a script with #!") from error
    except OSError as error:
        raise LaunchError(f"'{name}' cannot be read: {error.strerror}") from error
    if loader is None:
        raise LaunchError(
            f"'{name}' is statically linked, so that nothing can be put in front of its MPI: "
            "link it dynamically, or run it with --native"
        )
    # The loader itself knows best where it looks; it only lists, the program does not run. musl's
    # is asked by an option; glibc's by a variable, as its option gives up at a missing library.
    option = ["--list"] if Path(loader).name.startswith("ld-musl") else []
    try:
        listing = subprocess.run(
            [loader, *option, str(path.absolute())],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
        ).stdout
    except OSError as error:
        raise LaunchError(
            f"'{name}' cannot run here: its loader {loader} is missing ({error.strerror})"
        ) from error
    libraries: dict[str, Path | None] = {}
    for line in listing.splitlines():
        match = _LISTED.fullmatch(line)
        if match:
            file = match[2] or match[1]
            libraries[Path(match[1]).name] = None if file == "not found" else Path(file)
    return libraries


def dynamic_loader(path: Path) -> str | None:
    """The program that an ELF file names to load its libraries; None when statically linked.

    Raises ValueError or struct.error for a file that is not ELF, OSError where it cannot be read.
    """
    with path.open("rb") as stream:
        identity = stream.read(16)
        if identity[:4] != b"\x7fELF" or identity[4:6] not in (b"\1\1", b"\1\2", b"\2\1", b"\2\2"):
            raise ValueError("not an ELF file")
        wide = identity[4] == 2
        order = "<" if identity[5] == 1 else ">"
        stream.seek(32 if wide else 28)
        (table,) = struct.unpack(order + ("Q" if wide else "I"), stream.read(8 if wide else 4))
        stream.seek(54 if wide else 42)
        entry_size, entries = struct.unpack(order + "HH", stream.read(4))
        # Of a program header: type, file offset, size in the file.
        layout = struct.Struct(order + ("I4xQ16xQ" if wide else "II8xI"))
        for index in range(entries):
            stream.seek(table + index * entry_size)
            kind, offset, size = layout.unpack(stream.read(layout.size))
            if kind == _SEGMENT_OF_LOADER:
                stream.seek(offset)
                return _file_name(stream.read(min(size, _LONGEST_NAME)))
    return None


def _file_name(data: bytes) -> str:
    name = data.partition(b"\0")[0].decode()
    if not name:
        raise ValueError("a loader without a name")
    return name
