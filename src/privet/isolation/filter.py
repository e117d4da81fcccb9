"""A filter of calls to the kernel (seccomp): all that a closed cell may ask of it.

Thirteen calls are allowed: to read from and write to what is open, to get and give back memory, to draw
random bytes, and to end. Who the process is (its number, its parent's, its user) is answered with 0. A lock
may be opened, but not waited for. Every other call fails with "not permitted", those of later kernels too:
there is no way to open a file or a socket, to make or find another process, to share memory, to wait, to set
a timer or to ask the time. The filter cannot be taken off again, by root neither.

``offline`` is a milder one, for a worker that reads rows: it may do everything but open a socket that leads
out of this machine.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from privet.isolation.kernel import Processor, prctl

__all__ = ["install", "offline", "program"]

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
# Where the filter finds the call's number, the processor, and the low halves of the first two arguments.
_NUMBER, _AUDIT, _FIRST, _SECOND = 0, 4, 16, 24
_WAKE = 1
_SAME_MACHINE = 1  # AF_UNIX
_RINGS = 425  # io_uring_setup, on every processor: what is asked for in a ring passes no filter
_OTHER_NUMBERS = 0x40000000  # from here on, on x86-64, calls have a second number (x32)


def program(processor: Processor) -> bytes:
    """The filter as the kernel reads it: steps of eight bytes, each an operation, two jumps and a number."""
    steps = _begun(processor)
    for number in processor.allowed:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for number in processor.constant:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL)]  # "failed" with error 0: the answer is 0
    steps += [
        (_EQUAL, 0, 4, processor.futex),
        (_LOAD, 0, 0, _SECOND),
        (_AND, 0, 0, 0x7F),
        (_EQUAL, 0, 1, _WAKE),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
    ]
    return _packed(steps)


def offline(processor: Processor) -> bytes:
    """Forbids new sockets but those of this machine's own files, by which a database is reached."""
    return _packed(
        [
            *_begun(processor),
            (_AT_LEAST, 4, 0, _OTHER_NUMBERS),
            (_EQUAL, 3, 0, _RINGS),
            (_EQUAL, 0, 3, processor.socket),
            (_LOAD, 0, 0, _FIRST),
            (_EQUAL, 1, 0, _SAME_MACHINE),
            (_RETURN, 0, 0, _FAIL | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
    )


def _begun(processor: Processor) -> list[tuple[int, int, int, int]]:
    return [
        (_LOAD, 0, 0, _AUDIT),
        (_EQUAL, 1, 0, processor.audit),
        (_RETURN, 0, 0, _KILL),  # a call in the language of another processor, where numbers differ
        (_LOAD, 0, 0, _NUMBER),
    ]


def _packed(steps: list[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def install(code: bytes) -> None:
    """Put the filter on this thread and on all that it starts, for good."""
    steps = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(steps)))
    prctl(_NO_NEW_PRIVILEGES, 1)
    prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(header))
