"""Which calls a confined program may not make of the kernel: those that namespaces and limits do not cover.

Memory that belongs to no process (memfd, System V segments, shared anonymous mappings) would escape whoever counts it;
new namespaces, keyrings, tracing and io_uring are what break-outs begin with; and the warden's own priority and limits
are nobody's business. See seccomp(2); the filter is classic BPF, and set by the warden.
"""

import errno
import platform
import struct
import sys
from collections.abc import Iterable

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06  # linux/bpf_common.h
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000  # calls of another convention begin here
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME
ANONYMOUS, KIND_OF_MAPPING, PRIVATE = 0x20, 0x0F, 0x02  # flags of mmap
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16  # families of sockets
WARDEN = 1  # its process

# Of each machine: its number as the kernel gives it, then numbers of calls. `seccomp` is how the filter is set.
X86_64 = {
    "architecture": 0xC000003E, "seccomp": 317, "clone": 56, "clone3": 435, "mmap": 9, "socket": 41, "socketpair": 53,
    "prlimit64": 302, "sched_setaffinity": 203, "sched_setscheduler": 144, "sched_setparam": 142, "sched_setattr": 314,
    "setpriority": 141, "ioprio_set": 251, "memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68,
    "semget": 64, "mq_open": 240, "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155,
    "chroot": 161, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "keyctl": 250,
    "add_key": 248, "request_key": 249, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "open_by_handle_at": 304, "kexec_load": 246,
    "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "delete_module": 176, "reboot": 169,
    "swapon": 167, "swapoff": 168, "acct": 163, "quotactl": 179, "syslog": 103, "fanotify_init": 300,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "mount_setattr": 442, "pidfd_getfd": 438, "process_madvise": 440, "migrate_pages": 256, "move_pages": 279,
    "iopl": 172, "ioperm": 173, "modify_ldt": 154, "uselib": 134, "_sysctl": 156,
}  # fmt: skip
AARCH64 = {
    "architecture": 0xC00000B7, "seccomp": 277, "clone": 220, "clone3": 435, "mmap": 222, "socket": 198,
    "socketpair": 199, "prlimit64": 261, "sched_setaffinity": 122, "sched_setscheduler": 119, "sched_setparam": 118,
    "sched_setattr": 274, "setpriority": 140, "ioprio_set": 30, "memfd_create": 279, "memfd_secret": 447,
    "shmget": 194, "msgget": 186, "semget": 190, "mq_open": 180, "unshare": 97, "setns": 268, "mount": 40,
    "umount2": 39, "pivot_root": 41, "chroot": 51, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271,
    "kcmp": 272, "keyctl": 219, "add_key": 217, "request_key": 218, "bpf": 280, "perf_event_open": 241,
    "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_by_handle_at": 265, "kexec_load": 104, "kexec_file_load": 294, "init_module": 105, "finit_module": 273,
    "delete_module": 106, "reboot": 142, "swapon": 224, "swapoff": 225, "acct": 89, "quotactl": 60, "syslog": 116,
    "fanotify_init": 262, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "mount_setattr": 442, "pidfd_getfd": 438, "process_madvise": 440, "migrate_pages": 238,
    "move_pages": 239,
}  # fmt: skip
MACHINES = {"x86_64": X86_64, "aarch64": AARCH64}
CONDITIONAL = ("clone", "mmap", "socket", "socketpair", "setpriority", "ioprio_set")  # it depends on what they say
OF_THE_WARDEN = ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")
UNKNOWN_HERE = ("clone3", "memfd_create", "memfd_secret")  # as on an older kernel: libraries know what to do then

Line = tuple[int, int, int, int]  # code, jump if true, jump if false, value


def is_known(machine: str) -> bool:
    """Whether there is a filter for this kind of machine, as `platform.machine` calls it."""
    return machine in MACHINES and sys.byteorder == "little"


def lines(machine: str, *, network: bool) -> list[Line]:
    """The filter. Without `network` a program has Unix sockets only."""
    calls = MACHINES[machine]
    families = (UNIX, INET, INET6, NETLINK) if network else (UNIX,)
    found: list[Line] = [
        (LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, calls["architecture"]), _refuse(errno.EPERM),
        (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), _refuse(errno.EPERM),
    ]  # fmt: skip
    shared = [*_argument(3), (ANY_BIT, 0, 3, ANONYMOUS), (AND, 0, 0, KIND_OF_MAPPING), (EQUAL, 1, 0, PRIVATE),
              _refuse(errno.EPERM)]  # fmt: skip
    other = [*_argument(0), *((EQUAL, len(families) - at, 0, each) for at, each in enumerate(families)),
             _refuse(errno.EACCES)]  # fmt: skip
    whole_group = [*_argument(0), (EQUAL, 1, 0, 0), _refuse(errno.EPERM), *_is_warden(1)]  # 0: of one process
    found += _of(calls["clone"], [*_argument(0), (ANY_BIT, 0, 1, NEW_NAMESPACES), _refuse(errno.EPERM)])
    found += _of(calls["mmap"], shared)
    for name in ("socket", "socketpair"):
        found += _of(calls[name], other)
    found += _of(calls["setpriority"], whole_group)
    for name in OF_THE_WARDEN:
        found += _of(calls[name], _is_warden(0))
    plain = calls.keys() - {"architecture", "seccomp", *CONDITIONAL, *OF_THE_WARDEN}
    for name in sorted(plain):
        found += [(EQUAL, 0, 1, calls[name]), _refuse(errno.ENOSYS if name in UNKNOWN_HERE else errno.EPERM)]
    found += [(EQUAL, 0, 1, calls["ioprio_set"]), _refuse(errno.EPERM)]
    return [*found, (RETURN, 0, 0, ALLOW)]


def filter_words(*, network: bool) -> tuple[str, str]:
    """The number of the call that sets a filter here, and the filter as the kernel takes it, in hexadecimal digits."""
    machine = platform.machine()
    code = b"".join(struct.pack("HBBI", *line) for line in lines(machine, network=network))
    return str(MACHINES[machine]["seccomp"]), code.hex()


def _refuse(number: int) -> Line:
    return RETURN, 0, 0, REFUSE | number


def _argument(number: int) -> list[Line]:
    return [(LOAD, 0, 0, FIRST_ARGUMENT + 8 * number)]  # its lower half: that is all of an int


def _is_warden(argument: int) -> list[Line]:
    return [*_argument(argument), (EQUAL, 0, 1, WARDEN), _refuse(errno.EPERM)]


def _of(call: int, then: Iterable[Line]) -> list[Line]:
    """`then` is for this call; afterwards the number is loaded again for what follows."""
    body = [*then, (LOAD, 0, 0, NUMBER)]
    return [(EQUAL, 0, len(body), call), *body]
