"""Reading files that others wrote, within limits: each field is what it must be, or is named."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOST_BYTES = 256 << 20
MOST_DEPTH = 64  # lists and objects within each other
_MOST_WHOLE = 2**63 - 1


class ReadError(ValueError):
    """What is wrong with a file, for the error of whoever reads it."""


def read_text(path: Path, what: str = "") -> str:
    """The text of a file of at most MOST_BYTES in UTF-8; raises ReadError, which names it.

    what: goes before its name, as "the hostfile ".
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ReadError(f"'{path}' is too large: give a file of at most {MOST_BYTES >> 20} MiB")
        return data.decode("utf-8")
    except OSError as error:
        raise ReadError(f"cannot read {what}'{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ReadError(f"'{path}' is not text in UTF-8") from error


def is_utf8(text: str) -> bool:
    """Whether text from the command line, the environment or JSON can be written down."""
    return text.isascii() or text == text.encode(errors="replace").decode()


def read_json(path: Path) -> Any:
    """The document in a file; raises ReadError, which names it."""
    text = read_text(path)
    try:
        return parse_json(text)
    except ReadError as error:
        raise ReadError(f"'{path}' {error}") from error


def parse_json(text: str) -> Any:
    """Raises ReadError for what is not JSON, or deeper than MOST_DEPTH."""
    try:
        document = json.loads(text, parse_int=_whole)
    except ValueError as error:
        raise ReadError(f"is not JSON: {error}") from error
    except RecursionError as error:
        raise ReadError(_TOO_DEEP) from error
    level = [document]
    for _ in range(MOST_DEPTH):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return document
    raise ReadError(_TOO_DEEP)


_TOO_DEEP = f"is not JSON that can be read: more than {MOST_DEPTH} lists within each other"


def _whole(digits: str) -> int | float:
    """Numbers beyond 64 bits are as good as infinite."""
    value = float(digits)
    return int(digits) if abs(value) < 2**64 else value


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return []
    return [inner for inner in value if isinstance(inner, dict | list)]


class Fields:
    """One object of a document, and what to call it in complaints; all raise ReadError."""

    def __init__(self, value: Any, what: str) -> None:
        if not isinstance(value, dict):
            raise ReadError(f"{what} is {shown(value)}: give an object")
        self._fields: Mapping[str, Any] = value
        self.what = what

    def get(self, name: str, wanted: str) -> Any:
        if name not in self._fields:
            raise ReadError(f"{self.what} has no {name}: give {wanted}")
        return self._fields[name]

    def has(self, name: str) -> bool:
        """Whether there is such a field, and not null."""
        return self._fields.get(name) is not None

    def text(self, name: str) -> str:
        return as_text(self.get(name, "a text"), self._called(name))

    def whole(self, name: str, least: int = 0, most: int = _MOST_WHOLE) -> int:
        return as_whole(self.get(name, "a whole number"), self._called(name), least, most)

    def number(self, name: str) -> float:
        return as_number(self.get(name, "a number"), self._called(name))

    def flag(self, name: str) -> bool:
        value = self.get(name, "true or false")
        if not isinstance(value, bool):
            raise ReadError(f"{self._called(name)} is {shown(value)}: give true or false")
        return value

    def list(self, name: str) -> list[Any]:
        return as_list(self.get(name, "a list"), self._called(name))

    def object(self, name: str) -> Fields:
        return Fields(self.get(name, "an object"), self._called(name))

    def objects(self, name: str, each: str) -> list[Fields]:
        """Of a list; they are called by `each` and their number."""
        return [Fields(value, f"{each} {place}") for place, value in enumerate(self.list(name))]

    def items(self) -> list[tuple[str, Any]]:
        return list(self._fields.items())

    def _called(self, name: str) -> str:
        return f"{name} of {self.what}"


def as_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ReadError(f"{what} is {shown(value)}: give a text")
    if not is_utf8(value):  # JSON can hold halves of characters
        raise ReadError(f"{what} is {shown(value)}: give text in UTF-8")
    return value


def as_whole(value: Any, what: str, least: int = 0, most: int = _MOST_WHOLE) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        wanted = f"{least} or more" if most == _MOST_WHOLE else f"{least} to {most}"
        raise ReadError(f"{what} is {shown(value)}: give a whole number, {wanted}")
    return value


def as_number(value: Any, what: str) -> float:
    """A finite one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise ReadError(f"{what} is {shown(value)}: give a finite number")
    return float(value)


def as_list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ReadError(f"{what} is {shown(value)}: give a list")
    return value


def shown(value: Any) -> str:
    """A value in a sentence; of a list or an object only that it is one."""
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else json.dumps(value)
