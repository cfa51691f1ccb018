"""How the processes of a lab share its cores: in slices that are short beside a call.

Nodes share the cores of this machine. With the usual slices of some milliseconds, a rank that polls
keeps those of other nodes from running for that long, which nodes of their own would not.
"""

from __future__ import annotations

import ctypes
import os
import platform

SLICE_NS = 100_000
# Of getting and setting the attributes, for which libc has no functions.
_SYSTEM_CALLS = {"x86_64": (315, 314), "aarch64": (275, 274)}


class _Attributes(ctypes.Structure):
    """struct sched_attr of the kernel, in its first form."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime_ns", ctypes.c_uint64),
        ("deadline_ns", ctypes.c_uint64),
        ("period_ns", ctypes.c_uint64),
    )


def ask_for_short_slices() -> None:
    """For this process and those that it starts; kernels before Linux 6.12 ignore it."""
    found = _attributes()
    if found is None or found.policy != os.SCHED_OTHER:
        return
    found.runtime_ns = SLICE_NS
    _, set_attributes = _SYSTEM_CALLS[platform.machine()]
    ctypes.CDLL(None).syscall(set_attributes, 0, ctypes.byref(found), 0)


def slice_ns() -> int | None:
    """Of this process; 0 or None where the kernel tells none."""
    found = _attributes()
    return None if found is None else found.runtime_ns


def _attributes() -> _Attributes | None:
    if platform.machine() not in _SYSTEM_CALLS:
        return None
    attributes = _Attributes(size=ctypes.sizeof(_Attributes))
    get_attributes, _ = _SYSTEM_CALLS[platform.machine()]
    size = ctypes.sizeof(attributes)
    failed = ctypes.CDLL(None).syscall(get_attributes, 0, ctypes.byref(attributes), size, 0)
    return None if failed else attributes
