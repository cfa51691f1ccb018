"""Files of platforms: their format goes by the suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from anabranch import files
from anabranch.platform.description import Platform
from anabranch.platform.document import from_json, to_json
from anabranch.platform.errors import PlatformError
from anabranch.platform.graphml import from_graphml, to_graphml
from anabranch.platform.simgrid import from_simgrid
from anabranch.reading import ReadError, read_text

_READERS: dict[str, Callable[[str], Platform]] = {
    ".json": from_json,
    ".graphml": from_graphml,
    ".xml": from_simgrid,
}
SUFFIXES = tuple(_READERS)  # of files that `load` reads


def load(path: Path) -> Platform:
    """Reads .json, .graphml, or .xml (SimGrid); raises PlatformError."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise PlatformError(f"cannot read '{path}': give a file that ends in {', '.join(SUFFIXES)}")
    try:
        text = read_text(path)
    except ReadError as error:
        raise PlatformError(str(error)) from error
    try:
        return reader(text)
    except PlatformError as error:
        raise PlatformError(f"'{path}': {error}") from error


def save(platform: Platform, path: Path) -> None:
    """Writes .json or .graphml, whole or not at all; raises PlatformError."""
    writers = {".json": to_json, ".graphml": to_graphml}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise PlatformError(f"cannot write '{path}': give a file that ends in {', '.join(writers)}")
    write_whole(path, writer(platform).encode())


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that is there whole or not at all; raises PlatformError where it cannot be."""
    try:
        files.write_whole(path, data)
    except OSError as error:
        message = f"cannot write '{path}': {error.strerror}"
        raise PlatformError(message, is_input=False) from error
