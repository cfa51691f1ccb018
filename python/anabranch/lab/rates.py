"""Rates and delays as text."""

from __future__ import annotations

import re

from anabranch.lab.errors import LabError

_RATE_UNITS = {
    "bit": 1,
    "kbit": 10**3,
    "mbit": 10**6,
    "gbit": 10**9,
    "tbit": 10**12,
    "bps": 8,
    "kbps": 8 * 10**3,
    "mbps": 8 * 10**6,
    "gbps": 8 * 10**9,
}
_TIME_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_MINIMUM_RATE = 8_000
_MAXIMUM_RATE = 400 * 10**9


def parse_rate(text: str) -> int | None:
    """Bits per second from tc's syntax (`40mbit`, `1.5gbit`, `500kbit`), None for `unlimited`."""
    if text.strip().lower() == "unlimited":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", text.strip().lower())
    if match is None or match[2] not in _RATE_UNITS:
        raise LabError(
            f"'{text}' is not a rate: give a number and bit, kbit, mbit or gbit "
            "(40mbit, 1gbit, 500kbit), or unlimited"
        )
    rate = float(match[1]) * _RATE_UNITS[match[2]]
    if not _MINIMUM_RATE <= rate <= _MAXIMUM_RATE:
        raise LabError(f"a rate of '{text}' cannot be emulated: give 8kbit to 400gbit")
    return round(rate)


def format_rate(rate_bits_per_s: int | None) -> str:
    """The shortest text that `parse_rate` reads back as the same rate."""
    if rate_bits_per_s is None:
        return "unlimited"
    for unit in ("gbit", "mbit", "kbit"):
        if rate_bits_per_s % _RATE_UNITS[unit] == 0:
            return f"{rate_bits_per_s // _RATE_UNITS[unit]}{unit}"
    return f"{rate_bits_per_s}bit"


def parse_delay(text: str) -> float:
    """Seconds from `500us`, `1ms` or `0.1s`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)", text.strip().lower())
    if match is None:
        raise LabError(f"'{text}' is not a delay: give a number and us, ms or s (500us, 1ms)")
    delay_s = float(match[1]) * _TIME_UNITS[match[2]]
    if delay_s > 10:
        raise LabError(f"a delay of '{text}' is too long: give at most 10s")
    return delay_s
