"""A connection that two processes hold: looked at without taking, waited for without spinning."""

import asyncio
import contextlib
import socket
import sys

import pytest

from palio_clients.sdk import direct_program
from palio_clients.sdk.direct_program import LINE_BYTES, LineConnection, SocketWatch, open_lines
from palio_clients.sdk.failures import LinkLost
from palio_rules.contract.messages import Ready

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere programs are relayed")


class Watch(SocketWatch):
    """Counts how often it is woken."""

    woken = 0

    def _look(self) -> None:
        self.woken += 1
        super()._look()


@pytest.fixture
async def watch():
    watch = Watch()
    yield watch
    watch.close()


@pytest.fixture
def ends(watch):
    """Our end of a connection, and the server's."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.closing(LineConnection(ours, watch)) as connection, theirs:
        yield connection, theirs


async def soon(waiting):
    async with asyncio.timeout(20):
        return await waiting


async def test_a_line_stays_until_it_is_dropped(ends):
    ours, theirs = ends
    theirs.sendall(b"one\ntwo\n")
    assert await soon(ours.next_line()) == b"one\n"
    assert await soon(ours.next_line()) == b"one\n"
    ours.drop(b"one\n")
    assert ours.look() == b"two\n"


async def test_a_line_that_has_not_come_whole_is_waited_for(ends, monkeypatch):
    ours, theirs = ends
    seen = []
    rest = asyncio.sleep

    async def sleep(seconds):  # between two looks
        seen.append(ours.look())
        theirs.sendall(b"ne\n")
        await rest(0)

    monkeypatch.setattr(direct_program.asyncio, "sleep", sleep)
    theirs.sendall(b"o")
    assert await soon(ours.next_line()) == b"one\n"
    assert seen == [b"o"]


@pytest.mark.parametrize("last", [b"", b"half a li"])
async def test_after_the_end_there_is_no_line(ends, last):
    ours, theirs = ends
    theirs.sendall(last)
    theirs.shutdown(socket.SHUT_WR)
    assert await soon(ours.next_line()) is None


async def test_a_line_without_end_is_an_error(watch, monkeypatch):
    monkeypatch.setattr(direct_program, "LINE_BYTES", 1000)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.closing(LineConnection(ours, watch)) as connection, theirs:
        theirs.sendall(b"x" * 1000)
        with pytest.raises(LinkLost, match="without an end"):
            await soon(connection.next_line())


async def test_what_a_program_has_not_read_yet_wakes_nobody_who_waits_for_the_end(ends, watch):
    ours, theirs = ends
    theirs.sendall(b"a turn\n")
    closed = asyncio.ensure_future(ours.closed())
    for _ in range(50):
        await asyncio.sleep(0)
    assert watch.woken == 0
    theirs.shutdown(socket.SHUT_WR)
    await soon(closed)
    for _ in range(50):
        await asyncio.sleep(0)
    assert watch.woken <= 2


async def test_what_does_not_fit_is_sent_when_the_other_side_reads(ends):
    ours, theirs = ends
    ours.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with contextlib.suppress(BlockingIOError):
        while True:
            ours.socket.send(b"x" * 1000, socket.MSG_DONTWAIT)
    sending = asyncio.ensure_future(ours.send_after(Ready("m")))
    await asyncio.sleep(0)
    assert not sending.done()
    read = b""
    theirs.setblocking(False)
    while not read.endswith(b'\n{"type":"ready","match":"m"}\n'):
        read += await soon(asyncio.get_running_loop().sock_recv(theirs, LINE_BYTES))
    await soon(sending)


async def test_to_send_to_somebody_who_is_gone_does_nothing(ends):
    ours, theirs = ends
    theirs.close()
    await ours.send(Ready("m"))
    assert ours.look() is None


async def test_where_nobody_listens_there_is_no_connection(watch, tmp_path):
    with pytest.raises(LinkLost, match="is it running"):
        await open_lines(str(tmp_path / "none"), watch)
