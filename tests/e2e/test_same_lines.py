"""The network, a program's pipes and `palio check-bot` read the same lines, with any chunks and line ends."""

import asyncio
from contextlib import suppress

from hypothesis import example, given
from hypothesis import settings as limited
from hypothesis import strategies as st

from palio_clients.checks.scripted_server import ConnectionEnded, JsonLinesConnection
from palio_clients.sdk.lines import Lines
from palio_rules.contract.codec import MAX_BYTES, Encoding, encode, is_blank
from palio_rules.contract.messages import Ready
from palio_server.network.corked_socket import Cork
from palio_server.network.entrance import Entrance
from palio_server.network.line_socket import LineSocket

READY = encode(Ready("m"), Encoding.JSON)
LINES = [READY, READY + b"\r", b" " + READY + b"\t\r", b"", b"\r", b" \t", b"nonsense", b"{}\r", b"x" * (MAX_BYTES + 1)]


class Transport:
    """Of nothing."""

    def get_extra_info(self, _name: str) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def set_write_buffer_limits(self, high: int) -> None: ...
    def write(self, data: bytes) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...
    def is_closing(self) -> bool:
        return False


class Ears:
    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def hear(self, data: bytes, _text: bool) -> None:
        self.heard.append(data)

    def flow(self, reading: bool) -> None: ...


async def by_network(pieces: list[bytes]) -> list[bytes]:
    ears, transport = Ears(), Transport()
    socket = LineSocket(transport, set(), asyncio.Event(), Entrance().visit(transport))
    socket.credit.trust()
    socket.listen(ears, Cork(asyncio.get_running_loop()))
    for piece in pieces:
        socket.data_received(piece)
        await asyncio.sleep(0)
    socket.eof_received()
    return ears.heard


async def by_check(pieces: list[bytes]) -> list[bytes]:
    reader = asyncio.StreamReader()
    connection = JsonLinesConnection(reader, None)
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    heard = []
    with suppress(ConnectionEnded):
        while True:
            heard.append(await connection._read())
    return heard


def by_pipe(pieces: list[bytes]) -> list[bytes]:
    """As `Program` takes them, and a message too long stands for a line that is."""
    lines = Lines()
    found = [line for piece in pieces for line in lines.feed(piece)] + lines.end()
    assert lines.end() == [], "an end is one"
    return [b" " * (MAX_BYTES + 1) if line is None else line for line in found if line is None or not is_blank(line)]


@limited(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(LINES), max_size=8), st.lists(st.integers(1, 70_000), max_size=8), st.booleans())
@example(LINES, [], True)
@example([READY + b"\r", b"\r", READY], list(range(1, 9)), False)
def test_all_hear_the_same_lines(lines: list[bytes], cuts: list[int], whole: bool) -> None:
    data = b"\n".join(lines) + (b"\n" if whole else b"")
    pieces, at = [], 0
    for cut in (*cuts, len(data)):
        if piece := data[at : at + cut]:
            pieces.append(piece)
        at += cut
    heard, checked = asyncio.run(by_network(pieces)), asyncio.run(by_check(pieces))

    def seen(line: bytes) -> bytes:
        return line if len(line) <= MAX_BYTES else b"too long"

    said = [seen(line) for line in lines if line.strip()]
    assert [seen(line) for line in heard] == said
    assert [seen(line) for line in checked] == said
    assert [seen(line) for line in by_pipe(pieces)] == said
