"""The system calls that a confined program may make: those that Python, Node.js, Java, Go, Rust and C++ need.

All others are refused as an older kernel would refuse them (ENOSYS), so that libraries fall back to older calls: calls
of a new kernel are refused until they are listed here. Some calls depend on their arguments: namespaces, a higher
priority, and above all memory of the kernel that belongs to no process and that would not be counted (locks of ranges,
large pipes, buffers of sockets, anonymous files, huge pages). docs/evidence/system-calls.md says what remains of it.

See seccomp(2); the filter is classic BPF, and the warden sets it for the program, not for itself.
"""

import errno
import platform
import struct
import sys
from collections.abc import Iterable

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
LOAD, EQUAL, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06  # linux/bpf_common.h
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
WARDEN = 1  # its process

# By purpose: name, number on x86_64, number on aarch64 (-: it has none).
ALLOWED = {
    "memory": """brk 12 214, munmap 11 215, mprotect 10 226, mremap 25 216, madvise 28 233, msync 26 227,
        mincore 27 232""",
    "reading and writing": """read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68,
        preadv 295 69, pwritev 296 70, preadv2 327 286, pwritev2 328 287, lseek 8 62, close 3 57, close_range 436 436,
        dup 32 23, dup2 33 -, dup3 292 24, copy_file_range 326 285""",
    "files": """open 2 -, openat 257 56, creat 85 -, access 21 -, faccessat 269 48, faccessat2 439 439, stat 4 -,
        fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44, readlink 89 -,
        readlinkat 267 78, getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, umask 95 166,
        fadvise64 221 223, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12,
        flistxattr 196 13""",
    "changes to files": """rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -,
        unlink 87 -, unlinkat 263 35, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36, chmod 90 -,
        fchmod 91 52, fchmodat 268 53, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, truncate 76 45,
        ftruncate 77 46, fallocate 285 47, fsync 74 82, fdatasync 75 83, flock 73 32, utime 132 -, utimes 235 -,
        futimesat 261 -, utimensat 280 88""",
    "waiting": """poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -, epoll_create1 291 20,
        epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, eventfd 284 -, eventfd2 290 19,
        timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87, signalfd 282 -, signalfd4 289 74,
        pipe 22 -, pipe2 293 59""",
    "sockets": """connect 42 203, accept 43 202, accept4 288 242, bind 49 200, listen 50 201, getsockname 51 204,
        getpeername 52 205, getsockopt 55 209, sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212,
        sendmmsg 307 269, recvmmsg 299 243, shutdown 48 210""",
    "processes and threads": """fork 57 -, vfork 58 -, execve 59 221, exit 60 93, exit_group 231 94, wait4 61 260,
        waitid 247 95, kill 62 129, tkill 200 130, tgkill 234 131, getpid 39 172, getppid 110 173, gettid 186 178,
        getpgid 121 155, getpgrp 111 -, setpgid 109 154, getsid 124 156, setsid 112 157, pidfd_open 434 434,
        pidfd_send_signal 424 424, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293, futex 202 98,
        membarrier 324 283, arch_prctl 158 -""",
    "signals": """rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
        rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, pause 34 -, restart_syscall 219 128,
        alarm 37 -, getitimer 36 102, setitimer 38 103""",
    "time": """time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115,
        nanosleep 35 101, times 100 153""",
    "the machine and oneself": """uname 63 160, sysinfo 99 179, getrandom 318 278, getcpu 309 168, getuid 102 174,
        geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158,
        capget 125 90, getrlimit 97 163, setrlimit 160 164, getrusage 98 165, getpriority 140 141, sched_yield 24 124,
        sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120, sched_getattr 315 275,
        sched_get_priority_max 146 125, sched_get_priority_min 147 126""",
}
# Allowed for some arguments: `_conditions` says for which.
CONDITIONAL = """clone 56 220, mmap 9 222, socket 41 198, socketpair 53 199, setsockopt 54 208, fcntl 72 25,
    ioctl 16 29, prctl 157 167, prlimit64 302 261, setpriority 141 140, mknod 133 -, mknodat 259 33"""
# Refused with the error that the call's own manual page names, after which programs continue.
REFUSED = {
    errno.EINVAL: "sendfile 40 71, splice 275 76",  # "read and write instead"; in a pipe they hold pages of any file
    errno.EOPNOTSUPP: """setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, removexattr 197 14, lremovexattr 198 15,
        fremovexattr 199 16""",  # as a file system without attributes does
    errno.EPERM: """mlock 149 228, mlock2 325 284, mlockall 151 230, sched_setaffinity 203 122, sched_setparam 142 118,
        sched_setscheduler 144 119, sched_setattr 314 274, ioprio_set 251 30""",  # decided by the warden
}

NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME
ANONYMOUS, KIND_OF_MAPPING, PRIVATE = 0x20, 0x0F, 0x02  # flags of mmap
HUGE_PAGES = 0x40000  # MAP_HUGETLB: from a pool of the machine's, and not among a process's own memory
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16  # families of sockets
STREAM, KIND_OF_SOCKET = 1, 0x0F  # a socket for datagrams keeps what ten others have sent, after they have closed
ROUTE = 0  # the protocol of netlink by which libraries ask for addresses
IP, TCP, IPV6, SOCKET = 0, 6, 41, 1  # levels of options
# REUSEADDR, ERROR, BROADCAST, KEEPALIVE, LINGER, REUSEPORT, PASSCRED, RCVTIMEO, SNDTIMEO (old and new): none with a
# size or a filter, which take memory of the kernel's.
OPTIONS = (2, 4, 6, 9, 13, 15, 16, 20, 21, 66, 67)
# DUPFD, GETFD, SETFD, GETFL, SETFL, GETLK, DUPFD_CLOEXEC, DUPFD_QUERY, GETPIPE_SZ, GET_SEALS: no locks of ranges, of
# which there is no limit (flock has one for each open file), no larger pipes, no leases, no notes of changes.
ON_DESCRIPTORS = (0, 1, 2, 3, 4, 5, 1030, 1027, 1032, 1034)
# TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGPGRP, TIOCSPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX; not TIOCSTI.
ON_DEVICES = (0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
ON_INTERFACES = 0x8900  # SIOCGIFCONF and what else there is about networks; to change them needs privileges
OF_INTERFACES = 0xFFFFFF00
# SET_PDEATHSIG, GET_PDEATHSIG, GET_DUMPABLE, GET_KEEPCAPS, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ,
# SET_TIMERSLACK, GET_TIMERSLACK, SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS, GET_TID_ADDRESS, GET_THP_DISABLE, SVE_SET_VL,
# SVE_GET_VL: none by which a process hides or that allocates.
SET_DUMPABLE = 4  # where a program has processes of its own to protect: staff's tests, from a student's program
ON_ONESELF = (1, 2, 3, 7, 15, 16, 21, 23, 29, 30, 38, 39, 40, 42, 50, 51)
DEVICE = 0x2000  # a bit of the modes S_IFCHR and S_IFBLK, and of neither a file, a FIFO nor a socket

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # as the kernel gives them
SETS_FILTER = {"x86_64": 317, "aarch64": 277}  # seccomp

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, value
ALLOWED_LINE: Instruction = (RETURN, 0, 0, ALLOW)


def numbers(listed: str, machine: str) -> dict[str, int]:
    """Return the calls of a list above that this kind of machine has, by name.

    >>> numbers("dup 32 23, dup2 33 -", "aarch64")
    {'dup': 23}
    """
    column = 1 + tuple(ARCHITECTURES).index(machine)
    rows = (each.split() for each in listed.split(","))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def is_known(machine: str) -> bool:
    """Return True if there is a filter for this kind of machine, named as by `platform.machine`."""
    return machine in ARCHITECTURES and sys.byteorder == "little"


def lines(machine: str, *, network: bool, private: bool = False) -> list[Instruction]:
    """Return the filter. Without `network` a program has Unix sockets only; with `private` its processes may close
    their memory to each other.
    """
    found: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, ARCHITECTURES[machine]), _refuse(errno.EPERM),
        (LOAD, 0, 0, NUMBER),
    ]  # fmt: skip
    conditions = _conditions(network=network, private=private)
    for name, number in numbers(CONDITIONAL, machine).items():
        found += _of(number, conditions[name])
    for listed in ALLOWED.values():
        for number in numbers(listed, machine).values():
            found += _of(number, ())
    for error, listed in REFUSED.items():
        for number in numbers(listed, machine).values():
            found += _of(number, [_refuse(error)])
    return [*found, _refuse(errno.ENOSYS)]


def filter_words(*, network: bool, private: bool = False) -> tuple[str, str]:
    """Return the number of the call that sets a filter here, and the filter as the kernel takes it, in hexadecimal
    digits.
    """
    machine = platform.machine()
    code = b"".join(struct.pack("HBBI", *line) for line in lines(machine, network=network, private=private))
    return str(SETS_FILTER[machine]), code.hex()


def _conditions(*, network: bool, private: bool) -> dict[str, list[Instruction]]:
    """Return lines that refuse a call by its arguments; where they end it is allowed. Refusals are those of older
    kernels.
    """
    not_the_warden = [_argument(0), (EQUAL, 0, 1, WARDEN), _refuse(errno.EPERM)]
    socket = _socket(network=network)
    levels = (IP, TCP, IPV6) if network else ()
    return {
        "clone": [_argument(0), (ANY_BIT, 0, 1, NEW_NAMESPACES), _refuse(errno.EPERM)],
        "mmap": [
            _argument(3), (ANY_BIT, 0, 1, HUGE_PAGES), _refuse(errno.EPERM),
            (ANY_BIT, 0, 3, ANONYMOUS), (AND, 0, 0, KIND_OF_MAPPING), (EQUAL, 1, 0, PRIVATE), _refuse(errno.EPERM),
        ],
        "socket": socket,
        "socketpair": socket,
        "setsockopt": [
            _argument(1), *_allow(levels), (EQUAL, 1, 0, SOCKET), _refuse(errno.ENOPROTOOPT),
            _argument(2), *_only(OPTIONS, errno.ENOPROTOOPT),
        ],
        "fcntl": [_argument(1), *_only(ON_DESCRIPTORS, errno.EPERM)],
        "ioctl": [
            _argument(1), *_allow(ON_DEVICES),
            *([(AND, 0, 0, OF_INTERFACES), *_allow((ON_INTERFACES,))] if network else ()), _refuse(errno.ENOTTY),
        ],
        "prctl": [_argument(0), *_only((*ON_ONESELF, *((SET_DUMPABLE,) if private else ())), errno.EINVAL)],
        "prlimit64": not_the_warden,
        "setpriority": [  # of one process (0), not of a whole group or user
            _argument(0), (EQUAL, 1, 0, 0), _refuse(errno.EPERM), _argument(1), (EQUAL, 0, 1, WARDEN),
            _refuse(errno.EPERM),
        ],
        "mknod": [_argument(1), (ANY_BIT, 0, 1, DEVICE), _refuse(errno.EPERM)],
        "mknodat": [_argument(2), (ANY_BIT, 0, 1, DEVICE), _refuse(errno.EPERM)],
    }  # fmt: skip


def _socket(*, network: bool) -> list[Instruction]:
    found = [
        _argument(0), (EQUAL, 0, 5, UNIX), _argument(1), (AND, 0, 0, KIND_OF_SOCKET), *_allow((STREAM,)),
        _refuse(errno.EACCES),
    ]  # fmt: skip
    if network:
        found += [*_allow((INET, INET6)), (EQUAL, 0, 3, NETLINK), _argument(2), *_allow((ROUTE,))]
    return [*found, _refuse(errno.EACCES)]


def _refuse(error: int) -> Instruction:
    return RETURN, 0, 0, REFUSE | error


def _argument(number: int) -> Instruction:
    return LOAD, 0, 0, FIRST_ARGUMENT + 8 * number  # its lower half: that is all of an int, and has all flags


def _allow(values: Iterable[int]) -> list[Instruction]:
    return [line for value in values for line in ((EQUAL, 0, 1, value), ALLOWED_LINE)]


def _only(values: Iterable[int], error: int) -> list[Instruction]:
    return [*_allow(values), _refuse(error)]


def _of(call: int, then: Iterable[Instruction]) -> list[Instruction]:
    """Return lines that apply `then` to this call, which is allowed if `then` decides nothing."""
    body = [*then, ALLOWED_LINE]
    return [(EQUAL, 0, len(body), call), *body]
