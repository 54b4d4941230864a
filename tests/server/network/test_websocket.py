"""One WebSocket over a transport that is a list: frames as `websockets` reads them, a price for each, and an end."""

import asyncio
import errno
import gc
import weakref
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol
from websockets.utils import apply_mask

from palio_rules.contract.codec import MAX_BYTES, frame, frame_at
from palio_rules.contract.endpoints import FAILED, POLICY, PROTOCOL, RESTART, TOO_LONG
from palio_server.network.corked_socket import BURST, FLOOD, GOODBYE_S, PIECE, Cork
from palio_server.network.entrance import LONGEST_S, Entrance, ReadBudget
from palio_server.network.websocket import LATE_S, PING_S, SHARE, WebSocket

pytestmark = pytest.mark.virtual_clock
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
MASK = b"\x01\x02\x03\x04"
PONG, PING, TINY, PART = 0x8A, 0x89, 0x82, 0x00


def accepted() -> ServerProtocol:
    """The library's side of a connection after its handshake."""
    protocol = ServerProtocol(max_size=MAX_BYTES)
    protocol.receive_data(HANDSHAKE)
    (request,) = protocol.events_received()
    protocol.send_response(protocol.accept(request))
    protocol.data_to_send()
    return protocol


class World:
    """A socket with a listener."""

    def __init__(self, wire: Any, ears: Any) -> None:
        self.wire, self.ears, self.connections = wire, ears, set()
        entrance = Entrance()
        entrance.read_budget = ReadBudget(lambda: 0.0)  # however slow this machine is
        self.socket = WebSocket(wire, accepted(), self.connections, asyncio.Event(), entrance.visit(wire))
        self.socket.credit.trust()
        self.socket.listen(ears, Cork(asyncio.get_running_loop()))

    def receive(self, *pieces: bytes) -> None:
        for piece in pieces:
            if self.wire.reading and self.wire.ended is None:
                self.socket.data_received(piece)


@pytest.fixture
async def world(wire_type, ears_type) -> World:
    return World(wire_type(), ears_type())


async def test_only_of_the_last_frame_that_was_read_it_is_known_when_it_came(world: World, monkeypatch) -> None:
    monkeypatch.setattr("palio_server.network.corked_socket.silence", lambda _end: 0.25)
    known, one = [], Frame(Opcode.BINARY, b"{}").serialize(mask=True)
    world.ears.hear = lambda _data, _text: known.append(world.socket.silent_s())
    world.receive(one * 3, one, one + one[:3], one[3:])
    assert known == [None, None, 0.25, 0.25, None, 0.25]


async def turns(count: int) -> None:
    """Let the event loop turn that often."""
    for _ in range(count):
        await asyncio.sleep(0)


def masked(first: int, payload: bytes = b"", *, mask: bool = True) -> bytes:
    """A frame as a client sends it."""
    bit, size = 0x80 if mask else 0, len(payload)
    if size < 126:
        head = bytes([first, bit | size])
    elif size < 65536:
        head = bytes([first, bit | 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([first, bit | 127]) + size.to_bytes(8, "big")
    return head + (MASK + apply_mask(payload, MASK) if mask else payload)


# --- frames -----------------------------------------------------------------------------------------------------------


def as_websockets_reads(whole: list[bytes]) -> tuple[list[tuple[bytes, bool]], bytes]:
    """The messages in a stream of frames, and what has to be answered, by the library alone.

    It takes a goodbye between two parts of a message for an error, which it is not (RFC 6455, section 5.4).
    """
    protocol = accepted()
    messages, parts, text, written = [], b"", False, b""
    for piece in whole:
        if piece[0] == 0x88:
            protocol.current_size = None
        protocol.receive_data(piece)
        for event in protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode in (Opcode.TEXT, Opcode.BINARY):
                parts, text = b"", event.opcode is Opcode.TEXT
            if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                parts += event.data
                if event.fin:
                    messages.append((parts, text))
        output = protocol.data_to_send()
        written += b"".join(output)
        if b"" in output:
            break
    return messages, written


def without_reason(written: bytes) -> bytes:
    """Return the written bytes; of a goodbye only its code."""
    at = 0
    while (bounds := frame_at(written, at)) is not None and written[at] != 0x88:
        at = bounds[1]
    return written[:at] + (b"" if bounds is None else b"goodbye" + written[bounds[0] : bounds[0] + 2])


sizes = st.integers(0, 130) | st.sampled_from([125, 126, 127, 300, 65535, 65536, 65537])
firsts = st.sampled_from([0x82] * 6 + [0x81, 0x81, 0x02, 0x01, 0x80, 0x00, 0x89, 0x8A, 0x88, 0xC2, 0x83])
streams = st.lists(st.tuples(firsts, sizes, st.sampled_from([True] * 12 + [False])), max_size=6)


@given(streams, st.lists(st.integers(0, 400), max_size=8))
@example([(0x82, 3, True)] * 3, [])
@example([(0x82, 3, True)], [1, 2, 3, 6, 7])
@example([(0x82, 200, True)], [1, 2, 3, 4, 8, 9])
@example([(0x02, 2, True), (0x89, 4, True), (0x80, 2, True), (0x82, 1, True)], [9])
@example([(0x02, 2, True), (0x82, 16, True)], [8])  # a message within a message
@example([(0x88, 0, True), (0x82, 5, True)], [])  # a message after the goodbye
@example([(0x82, 5, False), (0x82, 5, True)], [])
@example([(0x82, 65537, True), (0x82, 5, True)], [4])
@example([(0x81, 3, True), (0x81, 3, True)], [7])
@example([], [])
def test_messages_are_those_that_websockets_finds(virtually, wire_type, ears_type, stream, cuts) -> None:
    whole = [masked(first, b"x" * size, mask=mask) for first, size, mask in stream]
    data = b"".join(whole)
    cuts = sorted(min(cut, len(data)) for cut in cuts)

    async def story() -> None:
        world = World(wire_type(), ears_type())
        pieces = [data[start:end] for start, end in pairwise([0, *cuts, len(data)])]
        world.receive(*filter(None, pieces))
        messages, written = as_websockets_reads(whole)
        assert world.ears.heard == messages
        ours, theirs = without_reason(world.wire.written), without_reason(written)
        if theirs.endswith(TOO_LONG.to_bytes(2, "big")) and ours.endswith(PROTOCOL.to_bytes(2, "big")):
            ours, theirs = ours[:-2], theirs[:-2]  # of two faults each names another one
        assert ours == theirs
        has_ended = world.wire.ended is not None or world.wire.said_all
        assert has_ended == (world.wire.goodbye() is not None)

    virtually(story())


async def test_a_message_in_many_parts_is_one(world: World) -> None:
    world.receive(masked(0x01, b"a"), *[masked(0x00, b"b")] * 50, masked(0x80, b"c"))
    assert world.ears.heard == [(b"a" + b"b" * 50 + b"c", True)]


@pytest.mark.parametrize("parts", [1, 3])
async def test_a_message_that_is_too_long_ends_the_connection_before_it_has_come(world: World, parts: int) -> None:
    if parts == 1:
        world.receive(masked(0x82, b"x" * (MAX_BYTES + 1))[:20])
    else:
        piece = b"x" * (MAX_BYTES // parts + 1)
        world.receive(masked(0x02, piece), masked(0x00, piece), masked(0x80, piece))
    assert world.wire.goodbye()[0] == TOO_LONG
    assert world.ears.heard == []


# --- floods -----------------------------------------------------------------------------------------------------------

KINDS = [(PONG, b""), (PONG, b"p" * 125), (PING, b""), (PING, b"p" * 125), (TINY, b""), (TINY, b"x"), (0x81, b"x")]


@pytest.mark.parametrize(("first", "payload"), [*KINDS, (PART, b"")])
@pytest.mark.parametrize("at_once", [True, False])
async def test_whoever_floods_is_disconnected_and_not_read_any_more(world, first, payload, at_once) -> None:
    begun = [masked(0x02)] if first == PART else []
    flood = [*begun, *[masked(first, payload)] * 20_000]
    world.receive(*([b"".join(flood)] if at_once else flood))
    await turns(20_000 // SHARE)
    assert world.wire.goodbye() == (POLICY, FLOOD)
    assert not world.wire.reading
    assert len(world.ears.heard) <= BURST
    assert world.socket.gone.is_set()
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "aborted"


async def test_the_work_that_a_flood_makes_is_bounded_by_its_credit(world: World, monkeypatch) -> None:
    read: list[bytes] = []
    monkeypatch.setattr(WebSocket, "_read", lambda socket, data: read.append(data))
    world.receive(masked(PONG) * 40_000)
    await turns(40_000 // SHARE)
    assert SHARE < len(read) <= BURST


async def test_who_sends_much_at_once_is_read_piece_by_piece_and_in_order(world: World) -> None:
    others: list[int] = []
    asyncio.get_running_loop().call_soon(lambda: others.append(len(world.ears.heard)))
    frames = [masked(TINY, bytes([number])) for number in range(3 * SHARE)]
    world.receive(b"".join(frames) + masked(TINY, b"cut")[:3])
    assert not world.wire.reading
    await turns(10)
    assert others == [SHARE], "somebody else's turn comes between"
    assert world.ears.heard == [(bytes([number]), False) for number in range(3 * SHARE)]
    assert world.wire.reading
    world.receive(masked(TINY, b"cut")[3:])
    assert world.ears.heard[-1] == (b"cut", False)


async def test_a_hundred_peers_that_send_much_together_have_no_more_read_in_a_turn_than_there_is_time_for(
    wire_type, ears_type
) -> None:
    spent = 0.0

    def slow(_data: bytes, _text: bool) -> None:
        nonlocal spent
        spent += LONGEST_S / 8  # each message causes work

    peers, read_budget = [World(wire_type(), ears_type()) for _ in range(100)], ReadBudget(lambda: spent)
    frames = b"".join(masked(TINY, bytes([number])) for number in range(SHARE))
    for world in peers:
        world.socket._read_budget = read_budget
        world.ears.hear = lambda data, text, ears=world.ears: (ears.heard.append((data, text)), slow(data, text))
        world.receive(frames)
    read = [len(world.ears.heard) for world in peers]
    assert sum(read) <= 8 + len(peers), "the time is up for all, and each has one more read"
    assert min(read) == 1, "nobody starves"
    await turns(SHARE * len(peers))
    assert all(world.ears.heard == [(bytes([number]), False) for number in range(SHARE)] for world in peers)


async def test_a_peer_that_sends_drop_by_drop_without_end_is_disconnected(world: World) -> None:
    drops = masked(0x82, b"x" * MAX_BYTES)
    world.receive(*(drops[at : at + 1] for at in range(int(BURST / PIECE) + 20)))
    assert world.wire.goodbye() == (POLICY, FLOOD)


async def test_whoever_has_been_disconnected_and_floods_is_not_read_any_more(world: World) -> None:
    world.socket.close(POLICY, "enough")
    world.receive(*[masked(PONG)] * 2000)
    assert world.wire.goodbye() == (POLICY, "enough")
    assert not world.wire.reading


async def test_pings_are_answered(world: World) -> None:
    world.receive(masked(PING, b"hello"))
    assert world.wire.written == b"\x8a\x05hello"


# --- what is written --------------------------------------------------------------------------------------------------


async def test_what_is_urgent_goes_out_at_once_and_takes_along_what_is_not(world: World) -> None:
    world.socket.write(b"played", text=False, urgent=False)
    await asyncio.sleep(0)
    assert world.wire.written == b""
    world.socket.write(b"turn", text=True)
    assert world.wire.written == frame(b"played") + frame(b"turn", text=True)
    assert world.wire.writes == 1, "in one call"
    world.socket.write(b"turn", text=False)
    assert world.wire.writes == 2


async def test_what_is_not_urgent_goes_out_a_little_later(world: World) -> None:
    world.socket.write(b"played", text=False, urgent=False)
    await asyncio.sleep(0.02)
    assert world.wire.written == frame(b"played")


async def test_what_was_written_before_a_goodbye_goes_out_before_it_and_nothing_after(world: World) -> None:
    world.socket.write(b"last", text=False)
    world.socket.close(POLICY, "enough")
    world.socket.write(b"late", text=False)
    world.socket.send_frame(frame(b"late"))
    await asyncio.sleep(0.1)
    assert world.wire.written.startswith(frame(b"last"))
    assert world.wire.goodbye() == (POLICY, "enough")


async def test_the_listener_learns_whether_the_peer_reads(world: World) -> None:
    world.socket.pause_writing()
    world.socket.resume_writing()
    assert world.ears.flows == [False, True]


async def test_a_peer_that_answers_pings_stays(world: World) -> None:
    for _ in range(5):
        await asyncio.sleep(PING_S)
        assert world.wire.written[:2] == b"\x89\x04"
        world.receive(masked(PONG, world.wire.written[2:]))
        world.wire.written = b""
    assert world.wire.ended is None


async def test_an_answer_that_waits_while_the_server_is_busy_for_a_minute_is_read_in_time(world: World) -> None:
    await asyncio.sleep(PING_S)
    answer = masked(PONG, world.wire.written[2:])
    asyncio.get_running_loop().call_later(
        PING_S + LATE_S / 2, world.socket.data_received, answer
    )  # the timer came first
    await asyncio.sleep(2 * PING_S)
    assert world.wire.goodbye() is None
    assert world.wire.ended is None


@pytest.mark.parametrize("answer", [b"", b"else"])
async def test_a_peer_that_does_not_answer_a_ping_is_gone(world: World, answer: bytes) -> None:
    await asyncio.sleep(PING_S)
    world.receive(masked(PONG, answer))
    await asyncio.sleep(PING_S + LATE_S)
    assert world.wire.goodbye() == (FAILED, "no answer to a ping")
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "aborted"


# --- the end ----------------------------------------------------------------------------------------------------------


async def test_a_peer_that_says_goodbye_is_answered_and_the_connection_ends(world: World) -> None:
    world.receive(masked(0x88, b"\x03\xe8bye"))
    assert world.wire.goodbye() == (1000, "bye")
    assert world.wire.said_all
    assert world.wire.reading, "or what it still sends might cost it our answer"
    assert world.socket.gone.is_set()
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "aborted", "it has not read our answer"


async def test_a_peer_that_leaves_without_a_goodbye_and_does_not_read_is_gone_as_soon(world: World) -> None:
    assert not world.socket.eof_received()
    assert world.wire.ended == "closed"
    assert world.socket.gone.is_set()
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "aborted", "what it was sent before is still there"


async def test_our_goodbye_ends_with_the_answer_to_it(world: World) -> None:
    world.socket.close(POLICY, "enough")
    world.receive(masked(0x82, b"still talking"))
    assert world.wire.ended is None
    world.receive(masked(0x88, b"\x03\xf0enough"))
    assert world.wire.ended == "closed"
    assert world.ears.heard == []


async def test_a_peer_that_has_just_gone_is_no_fault_when_we_say_goodbye(world: World, monkeypatch: Any) -> None:
    def nobody_there() -> None:
        raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")

    monkeypatch.setattr(world.wire, "write_eof", nobody_there)
    world.socket.close(POLICY, "out")
    assert world.socket.gone.is_set()


async def test_our_goodbye_does_not_wait_for_an_answer_for_long(world: World) -> None:
    world.socket.close(POLICY, "enough")
    world.socket.close(POLICY, "again")
    await asyncio.sleep(GOODBYE_S - 0.1)
    assert world.wire.ended is None
    await asyncio.sleep(0.2)
    assert world.wire.ended == "aborted"
    assert world.wire.goodbye() == (POLICY, "enough")


@pytest.mark.parametrize("reason", ["x" * 500, "\N{HORSE}" * 40])
async def test_a_long_reason_is_cut_to_what_a_close_frame_holds(world: World, reason: str) -> None:
    world.socket.close(POLICY, reason)
    code, said = world.wire.goodbye()
    assert code == POLICY
    assert reason.startswith(said)
    assert 100 < len(said.encode()) <= 123


async def test_whatever_is_done_to_a_lost_connection_is_harmless(world: World) -> None:
    world.socket.connection_lost(None)
    world.wire.ended = "lost"  # from here on, writing fails
    world.socket.keep_little(1000)
    world.socket.send_frame(frame(b"late"))
    world.socket.write(b"late", text=False)
    world.socket.close(POLICY, "late")
    await asyncio.sleep(2 * PING_S)
    assert world.wire.written == b""


async def test_when_the_server_ends_peers_are_told_to_come_back(world: World) -> None:
    world.socket.shutdown()
    assert world.wire.goodbye() == (RESTART, "the server ends")


async def test_a_lost_connection_leaves_nothing_behind(world: World) -> None:
    assert world.connections == {world.socket}
    world.socket.connection_lost(None)
    await asyncio.sleep(0.001)
    assert not world.connections
    world.wire.written = b""
    await asyncio.sleep(2 * PING_S)
    assert (world.wire.written, world.wire.ended) == (b"", None)


async def test_a_lost_connection_and_its_listener_are_freed_without_the_garbage_collector(world: World) -> None:
    class Knowing(type(world.ears)):  # as viewers and conversations do, it knows its socket
        socket = world.socket

    listener = Knowing()
    world.socket.listen(listener, Cork(asyncio.get_running_loop()))
    freed = weakref.ref(listener)
    world.socket.connection_lost(None)
    gc.disable()
    try:
        del listener
        assert freed() is None
    finally:
        gc.enable()
