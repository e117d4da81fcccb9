"""The calls to Linux that Python has no words for, by ``ctypes``: nothing to install, nothing to compile.

Numbers and machine code are those of the kernel's public interface, which never changes, for the two kinds of
processor that Privet closes cells on.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["PROCESSOR", "Processor", "fork_unseen", "library", "prctl"]


@dataclass(frozen=True)
class Processor:
    """What differs from one kind of processor to the next.

    ``audit`` is its name in a filter; ``allowed`` are the calls that a function may make; ``constant`` those
    that are answered with 0 instead of the truth. ``instead`` has machine code for the functions that read a
    clock, and ``trap`` ends the process.
    """

    audit: int
    clone: int
    own_id_last: bool
    getpid: int
    futex: int
    socket: int
    allowed: tuple[int, ...]
    constant: tuple[int, ...]
    instead: Mapping[str, bytes]
    trap: bytes


# x86-64. test rsi, rsi; jz end; mov qword [rsi], 0; mov qword [rsi + 8], 0; end: xor eax, eax; ret
_SECOND = bytes.fromhex("4885f6 740f 48c70600000000 48c7460800000000 31c0 c3")
# The same with rdi.
_FIRST = bytes.fromhex("4885ff 740f 48c70700000000 48c7470800000000 31c0 c3")
# aarch64. cbz x1, end; stp xzr, xzr, [x1]; end: mov x0, 0; ret
_SECOND_ARM = bytes.fromhex("410000b4 3f7c00a9 000080d2 c0035fd6")
_FIRST_ARM = bytes.fromhex("400000b4 1f7c00a9 000080d2 c0035fd6")

# allowed: read, write, close, mmap, mprotect, munmap, brk, rt_sigreturn, mremap, madvise, exit, exit_group,
# getrandom. constant: getpid, getppid, gettid, getuid, geteuid, getgid, getegid, sched_yield.
_PROCESSORS = {
    "x86_64": Processor(
        audit=0xC000003E,
        clone=56,
        own_id_last=False,
        getpid=39,
        futex=202,
        socket=41,
        allowed=(0, 1, 3, 9, 10, 11, 12, 15, 25, 28, 60, 231, 318),
        constant=(39, 110, 186, 102, 107, 104, 108, 24),
        instead={
            "__vdso_clock_gettime": _SECOND,
            "__vdso_clock_getres": _SECOND,
            "__vdso_gettimeofday": _FIRST,
            # xor eax, eax; test rdi, rdi; jz end; mov [rdi], rax; end: ret
            "__vdso_time": bytes.fromhex("31c0 4885ff 7403 488907 c3"),
            # the same with eax, and then with rsi
            "__vdso_getcpu": bytes.fromhex("31c0 4885ff 7402 8907 4885f6 7402 8906 c3"),
            # mov eax, 318; syscall; ret
            "__vdso_getrandom": bytes.fromhex("b83e010000 0f05 c3"),
        },
        trap=bytes.fromhex("0f0b"),
    ),
    "aarch64": Processor(
        audit=0xC00000B7,
        clone=220,
        own_id_last=True,
        getpid=172,
        futex=98,
        socket=198,
        allowed=(63, 64, 57, 222, 226, 215, 214, 139, 216, 233, 93, 94, 278),
        constant=(172, 173, 178, 174, 175, 176, 177, 124),
        instead={
            "__kernel_clock_gettime": _SECOND_ARM,
            "__kernel_clock_getres": _SECOND_ARM,
            "__kernel_gettimeofday": _FIRST_ARM,
            # mov x8, 278; svc 0; ret
            "__kernel_getrandom": bytes.fromhex("c82280d2 010000d4 c0035fd6"),
        },
        trap=bytes.fromhex("00000000"),
    ),
}

#: The processor that this process runs on; None if Privet cannot close a cell on it.
PROCESSOR = _PROCESSORS.get(platform.machine()) if sys.platform == "linux" and sys.maxsize > 1 << 32 else None
# Python's lock stays held during a call: a process is copied with the thread that asks for it, and no other.
library = ctypes.PyDLL(None, use_errno=True)
_place, _size, _number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
for _name, _result, _arguments in (
    ("mmap", _place, (_place, _size, _number, _number, _number, ctypes.c_long)),
    ("mremap", _place, (_place, _size, _size, _number, _place)),
    ("mprotect", _number, (_place, _size, _number)),
    ("munmap", _number, (_place, _size)),
    ("prctl", _number, (_number, *[ctypes.c_ulong] * 4)),
):
    if PROCESSOR is not None:
        _function = getattr(library, _name)
        _function.restype, _function.argtypes = _result, _arguments
_OWN_ID_IN_CHILD = 0x01000000  # CLONE_CHILD_SETTID


def fork_unseen(processor: Processor) -> bool:
    """Copy this process, and leave nothing in the memory of either that tells the copy's number.

    True in the copy. Numbers of processes count what happens on the machine, so they are a clock of sorts.
    The C library and Python write them down after a fork of theirs; here the kernel makes the copy, and says
    which of the two is the copy by a word in memory, which is erased. Python's own clean-up after a fork is
    for threads, of which there must be none.
    """
    mark = ctypes.c_int(0)
    place = ctypes.c_void_p(ctypes.addressof(mark))
    words = (ctypes.c_void_p(), place) if processor.own_id_last else (place, ctypes.c_void_p())
    call = library["syscall"]
    call.restype = None  # the answer, which is the copy's number, is thrown away
    call(
        ctypes.c_long(processor.clone), ctypes.c_ulong(_OWN_ID_IN_CHILD | signal.SIGCHLD), None, None, *words
    )
    copied = mark.value != 0
    mark.value = 0
    call(
        ctypes.c_long(processor.getpid), ctypes.c_ulong(0), None, None, *words
    )  # over what it left on the stack
    return copied


def prctl(option: int, *arguments: int) -> None:
    """Change how this process is treated, or raise."""
    padded = [*arguments, 0, 0, 0, 0][:4]
    if library.prctl(option, *padded) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
