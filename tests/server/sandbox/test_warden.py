"""Parts of the warden that can be asked outside of a sandbox; what it does within stands in `e2e/`."""

import os
import signal
import socket
import sys
from collections.abc import Iterator

import pytest

if sys.platform != "linux":
    pytest.skip("a warden needs Linux", allow_module_level=True)

from palio_server.sandbox import processor, warden


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, warden._Server]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, warden._Server(theirs.fileno())


def test_of_what_the_server_says_the_last_word_counts(ends: tuple[socket.socket, warden._Server]):
    ours, server = ends
    assert server.heard(0) is None
    ours.sendall(warden.AWAITED)
    assert server.heard(10) is True
    ours.sendall(warden.AWAITED + warden.NOT_AWAITED)
    assert server.heard(10) is False
    assert server.heard(0) is None
    assert not server.is_gone


def test_a_server_that_is_gone_is_noticed(ends: tuple[socket.socket, warden._Server]):
    ours, server = ends
    ours.close()
    assert server.heard(10) is None
    assert server.is_gone


def test_by_a_pipe_nothing_is_heard_but_its_end():
    reading, writing = os.pipe()
    server = warden._Server(writing)
    assert server.heard(0) is None
    assert not server.is_gone
    os.close(reading)
    assert server.heard(10) is None
    assert server.is_gone
    os.close(writing)


def test_no_signal_goes_to_the_whole_machine():
    with pytest.raises(OSError, match="not the first process of a namespace"):
        warden._signal_all(0)


@pytest.mark.parametrize("release", ["5.14.0-1-amd64", "6.1.0", "5.14"])
def test_since_linux_5_14_processes_of_a_user_namespace_are_counted_apart(
    monkeypatch: pytest.MonkeyPatch, release: str
):
    monkeypatch.setattr(os, "uname", lambda: type("Uname", (), {"release": release}))
    assert warden._counts_apart(None)


@pytest.mark.parametrize("release", ["5.13.19-generic", "4.19", "5"])
def test_before_only_those_of_a_user_of_its_own_are(monkeypatch: pytest.MonkeyPatch, release: str):
    monkeypatch.setattr(os, "uname", lambda: type("Uname", (), {"release": release}))
    assert not warden._counts_apart(None)
    assert warden._counts_apart(warden.Passage(61184))


class Reaper:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def reaped(self, name: str, used: int) -> None:
        assert 0 <= used < processor.S
        self.heard.append(name)


def test_the_programs_end_is_told_and_others_are_waited_for_in_passing():
    reading, writing = os.pipe()
    other = os.fork()
    if other == 0:
        os._exit(1)
    os.waitid(os.P_PID, other, os.WEXITED | os.WNOWAIT)
    child = os.fork()
    if child == 0:
        os.read(reading, 1)
        os._exit(3)
    reaper = Reaper()
    assert warden._reaped(child, reaper) is None  # type: ignore[arg-type]
    os.write(writing, b"x")
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert warden._reaped(child, reaper) == 3  # type: ignore[arg-type]
    assert reaper.heard == [str(other), str(child)]
    os.close(reading)
    os.close(writing)


def test_a_program_that_was_killed_ends_with_its_signal():
    child = os.fork()
    if child == 0:
        signal.pause()
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert warden._reaped(child, Reaper()) == -signal.SIGKILL  # type: ignore[arg-type]


def test_chance_is_a_share():
    found = {warden._chance() for _ in range(2000)}
    assert 0 <= min(found) < 0.1
    assert 0.9 < max(found) <= 1
