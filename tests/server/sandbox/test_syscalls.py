"""The filter of system calls, as the kernel would run it: every call is judged by a small interpreter."""

import errno
from collections.abc import Sequence

import pytest

from palio_server.sandbox.syscalls import ALLOW, CONDITIONAL, MACHINES, OF_THE_WARDEN, X32, Line, is_known, lines


def verdict(program: Sequence[Line], architecture: int, call: int, *arguments: int) -> int:
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
                return 0 if value == ALLOW else value & 0xFFFF
            case _:
                true = {0x15: kept == value, 0x35: kept >= value, 0x45: bool(kept & value)}[code]
                at += yes if true else no


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def judge(machine: str, name: str | int, *arguments: int, network: bool = False) -> int:
    calls = MACHINES[machine]
    number = calls[name] if isinstance(name, str) else name
    return verdict(lines(machine, network=network), calls["architecture"], number, *arguments)


def test_every_listed_call_is_refused_and_others_are_not(machine: str):
    calls = MACHINES[machine]
    for name in calls.keys() - {"architecture", "seccomp", *CONDITIONAL, *OF_THE_WARDEN}:
        assert judge(machine, name), name
    for number in set(range(460)) - {number for name, number in calls.items() if name != "seccomp"}:
        assert judge(machine, number) == 0, number


def test_a_call_by_another_convention_is_refused(machine: str):
    program = lines(machine, network=True)
    assert verdict(program, 0x40000003, 1) == errno.EPERM
    assert judge(machine, X32 + 1) == errno.EPERM


def test_threads_and_processes_may_be_made_and_namespaces_may_not(machine: str):
    assert judge(machine, "clone", 0x3D0F00) == judge(machine, "clone", 17) == 0
    for bit in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(machine, "clone", bit | 17) == errno.EPERM
    assert judge(machine, "clone3") == errno.ENOSYS


def test_memory_that_nobody_counts_cannot_be_had(machine: str):
    assert judge(machine, "mmap", 0, 4096, 3, 0x22) == 0  # private, anonymous
    assert judge(machine, "mmap", 0, 4096, 3, 0x01, 5) == 0  # shared, of a file
    assert judge(machine, "mmap", 0, 4096, 3, 0x21) == judge(machine, "mmap", 0, 4096, 3, 0x23) == errno.EPERM


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_unix_sockets_only_but_for_whom_a_network_is_given(machine: str, call: str):
    for family in (2, 10, 16, 17, 38, 40):
        assert judge(machine, call, family) == errno.EACCES
    assert judge(machine, call, 1) == 0
    assert judge(machine, call, 2, network=True) == judge(machine, call, 10, network=True) == 0
    assert judge(machine, call, 40, network=True) == errno.EACCES


def test_the_wardens_priority_and_limits_are_its_own(machine: str):
    for name in OF_THE_WARDEN:
        assert judge(machine, name, 1) == errno.EPERM
        assert judge(machine, name, 0) == judge(machine, name, 4711) == 0
    assert judge(machine, "setpriority", 0, 1) == judge(machine, "setpriority", 2, 0) == errno.EPERM
    assert judge(machine, "setpriority", 0, 0) == 0


def test_other_machines_have_no_filter():
    assert not is_known("riscv64")
