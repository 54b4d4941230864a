"""The filter of system calls, as the kernel would run it: every call is judged by a small interpreter.

That the kernel judges alike, and that programs in six languages get on with it: `tests/e2e/test_sandbox_calls.py`.
"""

import errno
import re
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from conftest import lacking

from palio_server.sandbox import syscalls
from palio_server.sandbox.syscalls import (
    ALLOW,
    ALLOWED,
    ARCHITECTURES,
    CONDITIONAL,
    REFUSED,
    SETS_FILTER,
    Instruction,
    is_known,
    lines,
    numbers,
)

ALL_NUMBERS = range(1024)  # the kernel has some 470, and gives out few a year
X32 = 0x40000000  # by another convention of x86_64 numbers begin here
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
SOL_SOCKET, SO_SNDBUF, SO_RCVBUF, SO_ATTACH_FILTER = 1, 7, 8, 26
F_SETLK, F_SETLKW, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS, F_OFD_SETLK, F_OFD_SETLKW = (
    6, 7, 1024, 1026, 1031, 1033, 37, 38
)  # fmt: skip
TIOCSTI, TIOCSETD, TIOCLINUX, RNDADDENTROPY, SIOCGIFCONF = 0x5412, 0x5423, 0x541C, 0x40085203, 0x8912
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_SYSCALL_USER_DISPATCH, PR_FUTEX_HASH = 4, 22, 24, 59, 78
FOR_NETWORKS = pytest.mark.parametrize("network", [False, True])


def verdict(program: Sequence[Instruction], architecture: int, call: int, *arguments: int) -> int:
    """0 if the call is allowed, else the error that it gets."""
    words = {0: call, 4: architecture, **{16 + 8 * at: value & 0xFFFFFFFF for at, value in enumerate(arguments)}}
    at = kept = 0
    while True:
        code, yes, no, value = program[at]
        at += 1
        match code:
            case 0x20:
                kept = words.get(value, 0)
            case 0x54:
                kept &= value
            case 0x06:
                assert value == ALLOW or value >> 16 == 0x0005, "an end that neither allows nor refuses"
                return 0 if value == ALLOW else value & 0xFFFF
            case _:
                true = {0x15: kept == value, 0x45: bool(kept & value)}[code]
                at += yes if true else no


@pytest.fixture(params=ARCHITECTURES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def named(machine: str) -> dict[str, int]:
    """All calls that the filter knows."""
    listed = [*ALLOWED.values(), CONDITIONAL, *REFUSED.values()]
    return {name: number for each in listed for name, number in numbers(each, machine).items()}


@cache
def program_of(machine: str, network: bool) -> list[Instruction]:
    return lines(machine, network=network)


def judge(machine: str, name: str, *arguments: int, network: bool = False) -> int:
    return verdict(program_of(machine, network), ARCHITECTURES[machine], named(machine)[name], *arguments)


@FOR_NETWORKS
def test_of_all_numbers_those_of_the_list_are_allowed_and_all_others_refused(machine: str, network: bool):
    program = lines(machine, network=network)
    allowed = {number for listed in ALLOWED.values() for number in numbers(listed, machine).values()}
    errors = {number: error for error, listed in REFUSED.items() for number in numbers(listed, machine).values()}
    for number in set(ALL_NUMBERS) - set(numbers(CONDITIONAL, machine).values()):
        expected = 0 if number in allowed else errors.get(number, errno.ENOSYS)
        assert verdict(program, ARCHITECTURES[machine], number) == expected, number


@FOR_NETWORKS
def test_numbers_of_another_convention_are_refused(machine: str, network: bool):
    program = lines(machine, network=network)
    for number in named(machine).values():
        for high in (X32, 0x20000000, 0x80000000, 0xFFFFF800):
            assert verdict(program, ARCHITECTURES[machine], high | number) == errno.ENOSYS, (high, number)
        for other in (0x40000003, *set(ARCHITECTURES.values()) - {ARCHITECTURES[machine]}):
            assert verdict(program, other, number) == errno.EPERM, (other, number)


def test_every_call_stands_in_one_list_and_has_one_number(machine: str):
    listed = [*ALLOWED.values(), CONDITIONAL, *REFUSED.values()]
    names = [each.split()[0] for text in listed for each in text.split(",")]
    assert len(names) == len(set(names))
    assert len(named(machine)) == len(set(named(machine).values()))


def test_numbers_are_those_of_the_kernels_own_headers(machine: str):
    header = HEADERS[machine]
    if not header.is_file():
        lacking("the kernel's header of call numbers", "install linux-libc-dev (apt-get install g++)")
    given = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    given["newfstatat"] = given.get("newfstatat", given.get("fstatat", "79"))
    everything = {**named(machine), "seccomp": SETS_FILTER[machine]}
    assert {name: str(number) for name, number in everything.items()} == {name: given[name] for name in everything}


def test_what_memory_of_the_kernel_could_be_taken_by_is_on_no_list(machine: str):
    known = named(machine).keys() - {name for text in REFUSED.values() for name in numbers(text, machine)}
    assert not known & {
        "vmsplice", "splice", "tee", "sendfile", "io_setup", "io_submit", "io_uring_setup", "io_uring_enter",
        "memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open", "inotify_init", "inotify_init1",
        "inotify_add_watch", "fanotify_init", "timer_create", "keyctl", "add_key", "userfaultfd", "perf_event_open",
        "bpf", "seccomp", "mlock", "mlock2", "mlockall", "landlock_create_ruleset", "setxattr", "remap_file_pages",
        "clone3", "unshare", "setns", "mount", "ptrace", "process_vm_readv", "personality", "sync", "syncfs",
    }  # fmt: skip


def test_threads_and_processes_may_be_made_and_namespaces_may_not(machine: str):
    assert judge(machine, "clone", 0x3D0F00) == judge(machine, "clone", 17) == 0
    for bit in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(machine, "clone", bit | 17) == errno.EPERM


def test_memory_that_nobody_counts_cannot_be_mapped(machine: str):
    assert judge(machine, "mmap", 0, 4096, 3, 0x22) == 0  # private, anonymous
    assert judge(machine, "mmap", 0, 4096, 3, 0x01, 5) == judge(machine, "mmap", 0, 4096, 3, 0x02, 5) == 0  # of a file
    for shared in (0x20, 0x21, 0x23, 0x26, 0x2A):
        assert judge(machine, "mmap", 0, 4096, 3, shared) == errno.EPERM
    for huge in (0x40022, 0x40002, 0x78040022):
        assert judge(machine, "mmap", 0, 2 << 20, 3, huge) == errno.EPERM


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_streams_of_unix_only_but_for_whom_a_network_is_given(machine: str, call: str):
    for family in set(range(64)) - {1}:
        assert judge(machine, call, family, 1) == errno.EACCES
        with_network = judge(machine, call, family, 3, network=True)
        assert with_network == (0 if family in {2, 10, 16} else errno.EACCES), family
    for network in (False, True):
        assert judge(machine, call, 1, 1, network=network) == judge(machine, call, 1, 0x80801, network=network) == 0
        for kind in set(range(16)) - {1}:  # a socket for datagrams keeps those of many that have closed
            assert judge(machine, call, 1, kind | 0x80800, network=network) == errno.EACCES
    assert judge(machine, call, 16, 3, 4, network=True) == errno.EACCES  # of netlink addresses and routes only


@FOR_NETWORKS
def test_options_of_sockets_that_take_no_memory(machine: str, network: bool):
    allowed = {
        number for number in range(512) if judge(machine, "setsockopt", 3, SOL_SOCKET, number, network=network) == 0
    }
    assert allowed == {2, 4, 6, 9, 13, 15, 16, 20, 21, 66, 67}
    assert not allowed & {SO_SNDBUF, SO_RCVBUF, SO_ATTACH_FILTER, 32, 33, 50, 51, 52, 60}
    for level in set(range(300)) - {SOL_SOCKET}:
        expected = 0 if network and level in {0, 6, 41} else errno.ENOPROTOOPT
        assert judge(machine, "setsockopt", 3, level, 1, network=network) == expected


def test_locks_of_ranges_larger_pipes_and_leases_are_refused_and_nothing_that_is_usual(machine: str):
    for command in (F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETPIPE_SZ, F_SETLEASE, F_NOTIFY, F_ADD_SEALS):
        assert judge(machine, "fcntl", 3, command) == errno.EPERM
    allowed = {command for command in range(2048) if judge(machine, "fcntl", 3, command) == 0}
    assert allowed == {0, 1, 2, 3, 4, 5, 1027, 1030, 1032, 1034}
    assert judge(machine, "flock", 3, 2) == 0


@FOR_NETWORKS
def test_devices_hear_what_programs_ask_of_files_and_nothing_else(machine: str, network: bool):
    allowed = {
        word
        for word in (*range(0x5300, 0x5500), *range(0x8800, 0x8B00))
        if judge(machine, "ioctl", 0, word, network=network) == 0
    }
    usual = {0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5410, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451}
    assert allowed == (usual | set(range(0x8900, 0x8A00)) if network else usual)
    for word in (TIOCSTI, TIOCSETD, TIOCLINUX, RNDADDENTROPY, 0x18900, 0xC0105401):
        assert judge(machine, "ioctl", 0, word, network=network) == errno.ENOTTY
    assert (judge(machine, "ioctl", 0, SIOCGIFCONF, network=network) == 0) is network


def test_a_program_can_name_itself_and_neither_hide_nor_allocate(machine: str):
    allowed = {option for option in range(256) if judge(machine, "prctl", option) == 0}
    assert allowed == {1, 2, 3, 7, 15, 16, 21, 23, 29, 30, 38, 39, 40, 42, 50, 51}
    for option in (PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_SYSCALL_USER_DISPATCH, PR_FUTEX_HASH):
        assert judge(machine, "prctl", option) == errno.EINVAL
    assert judge(machine, "prctl", 0x53564D41) == errno.EINVAL  # a name for each mapping
    program, number = lines(machine, network=False, private=True), named(machine)["prctl"]
    private = {option for option in range(256) if verdict(program, ARCHITECTURES[machine], number, option) == 0}
    assert private == allowed | {PR_SET_DUMPABLE}


def test_nobody_changes_priority_policy_or_processors_and_the_wardens_limits_are_its_own(machine: str):
    for name in ("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set"):
        assert judge(machine, name, 0) == judge(machine, name, 1) == judge(machine, name, 4711) == errno.EPERM
    assert judge(machine, "prlimit64", 1) == errno.EPERM
    assert judge(machine, "prlimit64", 0) == judge(machine, "prlimit64", 2) == 0
    assert judge(machine, "setpriority", 0, 1) == judge(machine, "setpriority", 2, 0) == errno.EPERM
    assert judge(machine, "setpriority", 1, 7) == errno.EPERM
    assert judge(machine, "setpriority", 0, 0) == judge(machine, "setpriority", 0, 2) == 0


def test_fifos_may_be_made_and_devices_may_not(machine: str):
    for kind, expected in ((0x1000, 0), (0x8000, 0), (0xC000, 0), (0x2000, errno.EPERM), (0x6000, errno.EPERM)):
        assert judge(machine, "mknodat", -100, 0, kind | 0o600) == expected
        if machine == "x86_64":
            assert judge(machine, "mknod", 0, kind | 0o600) == expected


def test_the_kernel_gets_eight_bytes_for_each_line(machine: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("platform.machine", lambda: machine)
    call, code = syscalls.filter_words(network=False)
    assert call == str(SETS_FILTER[machine])
    found = list(struct.iter_unpack("HBBI", bytes.fromhex(code)))
    assert found == lines(machine, network=False)
    assert len(found) < 4096  # BPF_MAXINSNS


def test_other_machines_have_no_filter():
    assert is_known("x86_64")
    assert is_known("aarch64")
    assert not is_known("riscv64")
