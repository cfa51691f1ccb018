"""Messages as they are printed: one line that a terminal can show, whatever they quote."""

from __future__ import annotations

_MOST_CHARACTERS = 1000
_KEPT_AT_ENDS = 450


def one_line(message: object) -> str:
    """Without control characters; the middle of a long one, which quotes the input, left out."""
    printable = "".join(c if c.isprintable() else " " for c in str(message))
    text = " ".join(printable.split())
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_KEPT_AT_ENDS]} [...] {text[-_KEPT_AT_ENDS:]}"
