"""What the process that runs V8 gives up once V8 is loaded; see `confine`. It imports nothing of `engine`.

A script that runs in V8 as it should reaches no file, socket or process anyway. These measures hold where it does not:
a script that takes over V8 itself gets what the process may still do, which is to compute, to use its memory, and to
read and write the pipes to its parent.

Two layers, neither of which needs a privilege:

- Resource limits, on Linux and macOS. No descriptor can be opened, so no file, socket or pipe; no file can grow; no
  core is written.
- A seccomp filter, on Linux on x86-64 and AArch64. It denies the system calls that reach files, the network, other
  processes and the kernel's administration. It lists what is denied, because V8, the C library and Python need other
  calls in each of their versions.

`RLIMIT_AS` is not used: V8 reserves 1.4 TB of addresses. `RLIMIT_NPROC` is not used on Linux: it counts the threads of
the user there, and V8 starts a thread for each context. Landlock is not used: it covers less than the filter, and
only the thread that asks for it, not those of V8.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

DATA_LIMIT = 768 << 20
"""Bytes of private memory: the lowest limit with which V8 starts."""
CPU_LIMIT = 600
"""Seconds of processor time after which the process ends; its parent starts another, and repeats what was lost."""

_DENIED = Path(__file__).with_name("denied_calls.txt").read_text("utf-8")
"""Each system call with its number on x86-64 and on AArch64, from `asm/unistd_64.h` and `asm-generic/unistd.h`."""
NEWEST_CALL = 450
"""Calls with greater numbers are denied as unknown. Linux 6.1 does not have them either, so nothing depends on them."""


class _Machine(Enum):
    """The machines on which the filter is known: column of the table, `AUDIT_ARCH_*`, and four more calls."""

    X86_64 = (1, 0xC000003E, 317, 56, 435, 234, 302)
    AARCH64 = (2, 0xC00000B7, 277, 220, 435, 131, 261)

    def __init__(
        self, column: int, audit: int, seccomp: int, clone: int, clone3: int, tgkill: int, prlimit64: int
    ) -> None:
        self.column = column
        self.audit = audit
        self.seccomp = seccomp
        self.clone = clone
        self.clone3 = clone3
        self.tgkill = tgkill
        self.prlimit64 = prlimit64


_MACHINES = {"x86_64": _Machine.X86_64, "aarch64": _Machine.AARCH64}


def calls(column: int) -> Iterator[tuple[str, int]]:
    """The denied calls and their numbers; `column` is 1 for x86-64, 2 for AArch64."""
    for entry in _DENIED.split():
        parts = entry.split(":")
        if parts[column] != "-":
            yield parts[0], int(parts[column])


def limit_memory() -> None:
    """Limit the private memory of this process, before V8 is loaded. Windows has only V8's own limit."""
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_DATA, DATA_LIMIT)


def confine() -> None:
    """Give up files, network and other processes, as far as the system lets a process do so; for all threads.

    What the system does not have is left out. Nothing can be opened or imported afterwards.
    """
    os.environ.clear()
    limit_resources()
    if sys.platform == "linux":
        forbid_dumps()
        filter_system_calls()


def limit_resources() -> None:
    """No new descriptors, no file that grows, no core, and a bound on the processor time."""
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_NOFILE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_CPU, CPU_LIMIT)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_MSGQUEUE, 0)
    else:  # counts processes there, not threads
        _lower(resource.RLIMIT_NPROC, 0)


def _lower(limited: int, value: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(limited)
    value = value if hard == resource.RLIM_INFINITY else min(hard, value)
    with contextlib.suppress(OSError, ValueError):  # a system that does not have this limit, or not this low
        resource.setrlimit(limited, (value, value))


_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38


def forbid_dumps() -> bool:
    """Keep the texts of a blueprint out of crash collectors, to which `RLIMIT_CORE` does not apply."""
    return ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0


class _Program(ctypes.Structure):
    """`struct sock_fprog`: the number of instructions, and their `struct sock_filter`."""

    _fields_ = (("len", ctypes.c_uint16), ("filter", ctypes.c_char_p))


_LOAD, _IF_EQUAL, _IF_GREATER, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
"""Offsets in `struct seccomp_data`; both machines are little-endian, so an argument starts with its low half."""
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_CLONE_THREAD = 0x00010000


def filter_system_calls() -> bool:
    """Deny the calls of the table to all threads, for good; False where the system or the machine has no filter."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None or sys.maxsize < 2**32:  # a 32-bit program on such a machine has other numbers
        return False
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    rows = _rules(machine)
    program = _Program(len(rows), b"".join(struct.pack("HBBI", *row) for row in rows))
    library.syscall.restype = ctypes.c_long
    return library.syscall(machine.seccomp, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0


def _rules(machine: _Machine) -> list[tuple[int, int, int, int]]:
    """The filter as rows of code, jump if true, jump if false, operand."""
    unknown, denied = _FAIL | errno.ENOSYS, _FAIL | errno.EPERM
    rows = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IF_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, unknown),  # the calls of another machine, as 32-bit programs make them
        (_LOAD, 0, 0, _NUMBER_AT),
        (_IF_GREATER, 0, 1, NEWEST_CALL),
        (_RETURN, 0, 0, unknown),
        (_IF_EQUAL, 0, 1, machine.clone3),
        (_RETURN, 0, 0, unknown),  # its flags are in memory, so the C library has to use `clone`
        # A thread may be started, a process not.
        (_IF_EQUAL, 0, 4, machine.clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_IF_ANY_BIT, 0, 1, _CLONE_THREAD),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, denied),
        # A signal may be sent to this process, as `abort` does, and to no other.
        *_only_with(machine.tgkill, os.getpid()),
        *_only_with(machine.prlimit64, 0),
    ]
    for _, number in calls(machine.column):
        rows += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, denied)]
    return [*rows, (_RETURN, 0, 0, _ALLOW)]


def _only_with(number: int, argument: int) -> list[tuple[int, int, int, int]]:
    return [
        (_IF_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_IF_EQUAL, 0, 1, argument),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
    ]
