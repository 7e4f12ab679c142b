"""What the reader's process may do: compute, within limits, and nothing else.

Knows resource limits and, on Linux, a system call filter: no socket, no writing, no
program. Elsewhere the limits hold alone. Knows nothing of documents.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*
_UNKNOWN = -1
# System calls by name: (x86_64, aarch64). Refused with EPERM.
_NEVER = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "io_uring_setup": (425, 425),
    "creat": (85, _UNKNOWN), "openat2": (437, 437), "truncate": (76, 45), "mkdir": (83, _UNKNOWN),
    "mkdirat": (258, 34), "rmdir": (84, _UNKNOWN), "unlink": (87, _UNKNOWN), "unlinkat": (263, 35),
    "rename": (82, _UNKNOWN), "renameat": (264, 38), "renameat2": (316, 276), "link": (86, _UNKNOWN),
    "linkat": (265, 37), "symlink": (88, _UNKNOWN), "symlinkat": (266, 36), "chmod": (90, _UNKNOWN),
    "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, _UNKNOWN), "fchown": (93, 55), "fchownat": (260, 54),
    "mknod": (133, _UNKNOWN), "mknodat": (259, 33), "setxattr": (188, 5), "utimensat": (280, 88),
}  # fmt: skip
_PROGRAMS = {"execve": (59, 221), "execveat": (322, 281)}
_OPEN = {"open": (2, _UNKNOWN), "openat": (257, 56)}
_OPEN_FLAGS = {"open": 1, "openat": 2}  # which argument they are
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SIGKILL = 9
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF: ld [k], jeq, jge, jset, ret
_X32 = 0x40000000  # numbers from here on are the same calls once more
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data


def enclose(*, programs: bool) -> None:
    """Give up for good what reading needs not; `programs` may still be started by an OCR reader."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        _filter(libc, programs)


def limit(memory: int, cpu_seconds: float) -> None:
    """Bound the next piece of work: bytes of address space, and CPU time, beyond what is used already."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime + cpu_seconds + 0.999)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    size = _address_space()
    if size:
        resource.setrlimit(resource.RLIMIT_AS, (size + memory, resource.RLIM_INFINITY))


def release() -> None:
    """Lift the bound on memory, to say how it went."""
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _address_space() -> int:
    """Bytes of address space in use; 0 where that cannot be told."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _filter(libc: ctypes.CDLL, programs: bool) -> None:
    machine = platform.machine()
    if machine not in _MACHINES:
        return
    column = list(_MACHINES).index(machine)
    never = {**_NEVER, **({} if programs else _PROGRAMS)}
    numbers = [row[column] for row in never.values() if row[column] != _UNKNOWN]
    rules = [_rule(_LOAD, _ARCHITECTURE), _rule(_EQUAL, _MACHINES[machine], 1, 0), _rule(_RETURN, _REFUSE)]
    rules += [_rule(_LOAD, _NUMBER), _rule(_AT_LEAST, _X32, 0, 1), _rule(_RETURN, _REFUSE)]
    for number in numbers:
        rules += [_rule(_EQUAL, number, 0, 1), _rule(_RETURN, _REFUSE)]
    for name, row in _OPEN.items():
        if row[column] != _UNKNOWN:
            flags = _ARGUMENTS + 8 * _OPEN_FLAGS[name]
            rules += [_rule(_EQUAL, row[column], 0, 4), _rule(_LOAD, flags)]
            rules += [_rule(_ANY_BIT, _WRITING, 0, 1), _rule(_RETURN, _REFUSE), _rule(_RETURN, _ALLOW)]
    rules.append(_rule(_RETURN, _ALLOW))
    code = b"".join(rules)
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        """struct sock_fprog."""

        _fields_ = (("length", ctypes.c_ushort), ("rules", ctypes.c_void_p))

    program = Program(len(rules), ctypes.cast(buffer, ctypes.c_void_p))
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0)


def _rule(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """struct sock_filter."""
    return struct.pack("HBBI", code, then, otherwise, value)
