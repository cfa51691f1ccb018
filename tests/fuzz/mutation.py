"""Cases for readers: files of a corpus, changed at random, each told by a seed and its number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

MOST_BYTES = 1 << 14  # of a case, but for the rare ones that are deep or long on purpose
_TOKEN = re.compile(rb"[A-Za-z_]+|[0-9.+-]+|\s+|.", re.DOTALL)
_NUMBERS = (
    *(b"0", b"-1", b"1", b"2147483647", b"2147483648", b"4294967296", b"-2147483649"),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1e308", b"-1e308"),
    *(b"1e999", b"1e-320", b"0.1e-400", b"NaN", b"Infinity", b"-0", b"0x10", b"1_0", b"9" * 400),
    *(b"9" * 5000, b"1.5", b"00", b"+1", b".", b"1e", b"true", b"null", b'"1"', b"[]", b"{}"),
)
_PIECES = (
    *(b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\n", b"\r", b"\t"),
    *(b"\x1b[31m", b'"', b"'", b"\\", b"[", b"]", b"{", b"}", b":", b",", b"=", b"-", b"/", b"#"),
    *(b"<", b">", b"&", b"&x;", b"&#0;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<![CDATA[", b"../"),
    *(b"\xef\xbb\xbf", "\u2028".encode(), "\u202e".encode(), b"%s%n", b"x" * 2000),
)
_DEPTHS = (70, 1100, 20_000, 150_000)
Edit = Callable[[list[bytes], Random], None]


class Mutator:
    """The same corpus, seed and number give the same case on every machine.

    The first cases are the files of the corpus as they are.
    """

    def __init__(self, corpus: Sequence[bytes], seed: int) -> None:
        self._corpus = corpus
        self._files = [_TOKEN.findall(data) for data in corpus]
        self._seed = seed

    def case(self, number: int) -> bytes:
        if number < len(self._corpus):
            return self._corpus[number]
        chance = Random(self._seed << 40 | number)
        tokens = list(chance.choice(self._files))
        if chance.random() < 0.1:
            other = chance.choice(self._files)
            tokens[_place(tokens, chance) :] = other[_place(other, chance) :]
        while True:
            chance.choice(_EDITS)(tokens, chance)
            if chance.random() < 0.5:
                break
        data = b"".join(tokens)[:MOST_BYTES]
        if chance.random() < 0.2:
            data = _with_other_bytes(data, chance)
        return _nested(data, chance) if chance.random() < 0.002 else data


def _place(tokens: Sequence[object], chance: Random) -> int:
    return int(chance.random() * (len(tokens) + 1))


def _stretch(tokens: Sequence[object], chance: Random) -> slice:
    first = _place(tokens, chance)
    return slice(first, first + 1 + int(chance.random() ** 4 * 40))


def _remove(tokens: list[bytes], chance: Random) -> None:
    del tokens[_stretch(tokens, chance)]


def _repeat(tokens: list[bytes], chance: Random) -> None:
    stretch = _stretch(tokens, chance)
    tokens[stretch] = tokens[stretch] * chance.choice((2, 2, 2, 3, 300))


def _move(tokens: list[bytes], chance: Random) -> None:
    stretch = _stretch(tokens, chance)
    moved = tokens[stretch]
    del tokens[stretch]
    place = _place(tokens, chance)
    tokens[place:place] = moved


def _exchange(tokens: list[bytes], chance: Random) -> None:
    if tokens:
        a, b = (int(chance.random() * len(tokens)) for _ in range(2))
        tokens[a], tokens[b] = tokens[b], tokens[a]


def _insert(tokens: list[bytes], chance: Random) -> None:
    tokens.insert(_place(tokens, chance), chance.choice(_PIECES))


def _replace_number(tokens: list[bytes], chance: Random) -> None:
    places = [place for place, token in enumerate(tokens) if token[:1].isdigit()]
    if places:
        tokens[chance.choice(places)] = chance.choice(_NUMBERS)


def _replace_value(tokens: list[bytes], chance: Random) -> None:
    if tokens:
        tokens[int(chance.random() * len(tokens))] = chance.choice(_NUMBERS)


def _cut(tokens: list[bytes], chance: Random) -> None:
    del tokens[_place(tokens, chance) :]


_EDITS: tuple[Edit, ...] = (
    *(_remove, _repeat, _move, _exchange, _insert, _replace_number, _replace_number),
    *(_replace_value, _cut),
)


def _with_other_bytes(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8)) if data else 0):
        place = int(chance.random() * len(changed))
        changed[place] = changed[place] ^ (1 << int(chance.random() * 8))
    return bytes(changed)


def _nested(data: bytes, chance: Random) -> bytes:
    place, depth = _place(data, chance), chance.choice(_DEPTHS)
    opening, closing = chance.choice(
        ((b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"9", b""))
    )
    return data[:place] + opening * depth + closing * depth + data[place:]
