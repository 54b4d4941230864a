"""A viewer's end of a WebSocket: in order, each message once, and no patience with those who do not read."""

import asyncio
from dataclasses import dataclass, field

import pytest

from palio_rules.contract.endpoints import POLICY
from palio_server.live.live_hub import CHATTER, PATIENCE_S, QUEUE, Message, MessageBatch, Viewer


@dataclass
class FakeSocket:
    written: list[bytes] = field(default_factory=list)
    fate: str = ""
    room: int = 10_000
    viewer: Viewer | None = None

    def send_frame(self, data):
        self.written.append(data)
        self.room -= 1
        if self.room == 0:
            self.viewer.flow(False)

    def close(self, code, reason):
        self.fate = f"{code}: {reason}"

    def abort(self):
        self.fate = "aborted"


def watching():
    socket = FakeSocket()
    socket.viewer = Viewer(socket)
    return socket, socket.viewer


async def test_messages_are_written_at_once_and_each_only_once():
    socket, viewer = watching()
    for seq in (0, 1, 1, 0, 2):
        viewer.post(seq, b"%d" % seq)
    assert socket.written == [b"0", b"1", b"2"]


async def test_what_has_no_number_is_written_whenever_it_is_posted():
    socket, viewer = watching()
    viewer.post(3, b"3")
    viewer.post(None, b"news")
    viewer.post(None, b"news")
    viewer.post(3, b"3")
    viewer.post(4, b"4")
    assert socket.written == [b"3", b"news", b"news", b"4"]


async def test_a_viewer_that_reads_again_gets_what_waited_in_order():
    socket, viewer = watching()
    viewer.post(0, b"0")
    viewer.flow(False)
    for seq in range(1, 6):
        viewer.post(seq, b"%d" % seq)
    assert socket.written == [b"0"]
    socket.room = 2
    viewer.flow(True)
    assert socket.written == [b"0", b"1", b"2"], "writing paused again"
    viewer.post(6, b"6")
    socket.room = 10
    viewer.flow(True)
    assert socket.written == [b"0", b"1", b"2", b"3", b"4", b"5", b"6"]
    viewer.post(7, b"7")
    assert socket.written[-1] == b"7"
    assert not socket.fate


async def test_a_viewer_whose_queue_is_full_is_cut_off():
    socket, viewer = watching()
    viewer.flow(False)
    for seq in range(QUEUE):
        viewer.post(seq, b"")
    assert not socket.fate
    viewer.post(QUEUE, b"")
    assert socket.fate == "aborted"


async def test_a_viewer_who_talks_is_disconnected():
    socket, viewer = watching()
    for _ in range(CHATTER):
        viewer.hear(b"hello?", True)
    assert not socket.fate
    viewer.hear(b"hello?", True)
    assert socket.fate.startswith(f"{POLICY}: viewers only listen")


@pytest.mark.virtual_clock
async def test_a_viewer_that_reads_nothing_for_a_while_is_cut_off():
    socket, viewer = watching()
    viewer.flow(False)
    await asyncio.sleep(PATIENCE_S - 0.1)
    viewer.flow(True)
    viewer.flow(False)
    await asyncio.sleep(PATIENCE_S - 0.1)
    assert not socket.fate
    await asyncio.sleep(0.2)
    assert socket.fate == "aborted"


@pytest.mark.virtual_clock
async def test_nothing_is_left_behind_by_a_viewer_who_is_gone():
    socket, viewer = watching()
    viewer.flow(False)
    viewer.lost()
    await asyncio.sleep(PATIENCE_S + 1)
    assert not socket.fate


async def test_messages_that_go_out_together_are_one_write_unless_some_are_known_already():
    socket, viewer = watching()
    some = MessageBatch.of([Message(1, b"1"), Message(None, b"n"), Message(2, b"2"), Message(3, b"3")])
    viewer.post_all(some)
    assert (socket.written, viewer.seq) == ([b"1n23"], 3)
    socket, viewer = watching()
    viewer.post(2, b"snapshot")
    viewer.post_all(some)
    assert socket.written == [b"snapshot", b"n", b"3"]
    viewer.post_all(MessageBatch.of([Message(None, b"news")]))
    assert (socket.written[-1], viewer.seq) == (b"news", 3)


async def test_from_a_renewed_snapshot_on_the_numbers_are_its_own():
    socket, viewer = watching()
    viewer.post(99, b"as saved")
    viewer.post_all(MessageBatch.of([Message(3, b"3"), Message(4, b"as told", renewed=True), Message(5, b"5")]))
    viewer.post_all(MessageBatch.of([Message(5, b"5"), Message(6, b"6")]))
    assert (socket.written, viewer.seq) == ([b"as saved", b"as told", b"5", b"6"], 6)
