"""A process without a clock: what took long in one block cannot be seen in the next.

Blocks run one after the other, so a block that takes its time on purpose would delay the next, and a clock
would tell that one of it. Programs read clocks without asking the kernel: from pages that it maps into every
process, and from a counter of the processor. ``Clock.stop`` forbids the counter (it ends the process), takes
the kernel's pages away, and puts functions in the place of those that read them that always answer 0.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from pathlib import Path

from privet.isolation.kernel import Processor, library, prctl

__all__ = ["Clock"]

_SET_COUNTER, _FORBIDDEN = 26, 2
_PRIVATE, _MOVE_TO = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 3
# No clock: how a process comes back from a signal, and how it enters an enclave.
_KEPT = ("__kernel_rt_sigreturn", "__vdso_sgx_enter_enclave")


class Clock:
    """The pages and functions of this process that tell the time; copies of the process have them too."""

    def __init__(self, processor: Processor) -> None:
        self._data: list[tuple[int, int]] = []
        self._code: tuple[int, int] | None = None
        for line in Path("/proc/self/maps").read_text().splitlines():
            start, end = (int(place, 16) for place in line.split(maxsplit=1)[0].split("-"))
            if "[vvar" in line:
                self._data.append((start, end - start))
            elif "[vdso]" in line:
                self._code = (start, end - start)
        self._stopped = b"" if self._code is None else _stopped(ctypes.string_at(*self._code), processor)

    def stop(self) -> None:
        """Take every clock from this process, for good if it cannot ask the kernel afterwards.

        The functions are replaced first, at one stroke: Python itself reads the clock now and then.
        """
        if self._code is not None:
            start, size = self._code
            ready = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, _PRIVATE, -1, 0)
            ctypes.memmove(ready, self._stopped, size)
            library.mprotect(ready, size, mmap.PROT_READ | mmap.PROT_EXEC)
            if library.mremap(ready, size, size, _MOVE_TO, start) != start:
                raise OSError("The functions that read the clock could not be replaced.")
        for start, size in self._data:
            if library.munmap(start, size) != 0:
                raise OSError("The pages that tell the time could not be taken away.")
        prctl(_SET_COUNTER, _FORBIDDEN)


def _stopped(code: bytes, processor: Processor) -> bytes:
    """The kernel's library of functions, with each that reads a clock replaced by one that answers 0."""
    changed = bytearray(code)
    for name, place in _functions(code).items():
        if name not in _KEPT:
            instead = processor.instead.get(name, processor.trap)
            changed[place : place + len(instead)] = instead
    return bytes(changed)


def _functions(code: bytes) -> dict[str, int]:
    """The names of the functions of an ELF library of 64 bits, and where each begins."""
    table, size, count = *struct.unpack_from("<Q", code, 40), *struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, table + size * place) for place in range(count)]
    found = {}
    for _, kind, _, _, start, length, link, _, _, width in sections:
        if kind != 11:  # the symbols that a library offers
            continue
        names = sections[link][4]
        for place in range(start, start + length, width):
            name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", code, place)
            if info & 15 == 2 and section:
                text = code[names + name : code.index(b"\0", names + name)].decode()
                if text.startswith("__"):
                    found[text] = value
    return found
