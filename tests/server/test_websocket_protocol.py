"""Frames are read the same, however the network cuts them up, and as websockets' own parser reads them."""

from typing import Any

import pytest
import uvicorn
from hypothesis import example, given
from hypothesis import strategies as st
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.utils import apply_mask

from palio_server.network.cork import Cork
from palio_server.network.websocket_protocol import WebSocketProtocol, frame, socket_of

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
MASK = b"\x01\x02\x03\x04"


class Wire:
    """A transport that writes everything down."""

    def __init__(self) -> None:
        self.written = b""
        self.ended: str | None = None

    def get_extra_info(self, name: str) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return self.ended is not None

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.ended = self.ended or "closed"

    def abort(self) -> None:
        self.ended = "aborted"


async def idle(scope: Any, receive: Any, send: Any) -> None:
    """Accepts, and waits for the end."""
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


def connection(kind: type[WebSocketsSansIOProtocol]) -> tuple[Any, Wire]:
    config = uvicorn.Config(idle, ws=kind, lifespan="off", log_config=None, ws_max_size=65536, ws_ping_interval=None)
    config.load()
    protocol, wire = kind(config, ServerState(), {}), Wire()
    protocol.connection_made(wire)  # type: ignore[arg-type]
    return protocol, wire


def masked(first: int, payload: bytes, *, mask: bool = True) -> bytes:
    """A frame as a client sends it."""
    bit, size = 0x80 if mask else 0, len(payload)
    if size < 126:
        head = bytes([first, bit | size])
    elif size < 65536:
        head = bytes([first, bit | 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([first, bit | 127]) + size.to_bytes(8, "big")
    return head + (MASK + apply_mask(payload, MASK) if mask else payload)


def heard(data: bytes, cuts: list[int], kind: type[WebSocketsSansIOProtocol], virtually: Any) -> tuple[Any, bytes]:
    """The messages that come out when `data` comes in pieces, and what is written."""

    async def story() -> tuple[Any, bytes]:
        import asyncio

        protocol, wire = connection(kind)
        protocol.data_received(HANDSHAKE)
        await asyncio.sleep(0.001)
        messages: list[tuple[bytes, bool]] = []
        if isinstance(protocol, WebSocketProtocol):
            protocol.tap(
                lambda data, text: messages.append((data, text)), lambda _: None, Cork(asyncio.get_running_loop())
            )
        else:
            protocol.send_receive_event_to_app = lambda: messages.append(
                (b"".join(protocol.frames), protocol.curr_msg_data_type == "text")
            )
        wire.written = b""
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            if start < end and wire.ended is None:
                protocol.data_received(data[start:end])
        protocol.connection_lost(None)
        await asyncio.sleep(0.001)
        return messages, wire.written

    return virtually(story())


sizes = st.integers(0, 130) | st.sampled_from([125, 126, 127, 300, 65535, 65536, 65537])
firsts = st.sampled_from([0x82] * 6 + [0x81, 0x81, 0x02, 0x01, 0x80, 0x00, 0x89, 0x8A, 0x88, 0xC2, 0x83])
frames = st.tuples(firsts, sizes, st.sampled_from([True] * 12 + [False]))


@given(st.lists(frames, max_size=6), st.lists(st.integers(0, 400), max_size=8))
@example([(0x82, 3, True)] * 3, [])
@example([(0x82, 3, True)], [1, 2, 3, 6, 7])
@example([(0x82, 200, True)], [1, 2, 3, 4, 8, 9])
@example([(0x02, 2, True), (0x89, 4, True), (0x80, 2, True), (0x82, 1, True)], [9])
@example([(0x02, 2, True), (0x82, 16, True)], [8])  # a message within a message
@example([(0x88, 0, True), (0x82, 5, True)], [])  # a message after the goodbye
@example([(0x82, 5, False), (0x82, 5, True)], [])
@example([], [])
def test_messages_are_those_that_websockets_finds(virtually, stream: list[tuple[int, int, bool]], cuts) -> None:
    whole = [masked(first, b"x" * size, mask=mask) for first, size, mask in stream]
    data = b"".join(whole)
    cuts = sorted(min(cut, len(data)) for cut in cuts)
    frame_by_frame = [sum(map(len, whole[:number])) for number in range(1, len(whole))]
    if any(size >= 65536 for _, size, _ in stream):
        cuts = frame_by_frame  # from here on it is websockets that reads, and an error hides what has come with it
    expected = heard(data, frame_by_frame, WebSocketsSansIOProtocol, virtually)
    assert heard(data, cuts, WebSocketProtocol, virtually) == expected


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_frames_to_a_bot_are_those_that_websockets_would_send(size: int) -> None:
    from websockets.frames import Frame, Opcode

    for opcode, text in ((Opcode.TEXT, True), (Opcode.BINARY, False)):
        assert frame(b"x" * size, text=text) == Frame(opcode, b"x" * size).serialize(mask=False)


def test_under_another_protocol_the_operator_is_told_what_is_missing() -> None:
    with pytest.raises(RuntimeError, match=r"ws=palio_server\.network\.websocket_protocol\.WebSocketProtocol"):
        socket_of({"type": "websocket", "extensions": {}})
