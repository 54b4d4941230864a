"""One bot's conversation over a socket that is a list, on a clock that jumps."""

import asyncio
import gc
import json
import weakref

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from paper_socket import PaperSocket

from palio_rules.contract import topics
from palio_rules.contract.codec import Encoding, decode_from_server, encode
from palio_rules.contract.messages import Error, Hello, Move, Ready, Turn, Welcome
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.session import Session
from palio_server.match.channel import UNREADABLE
from palio_server.network import connection as module
from palio_server.network.connection import MAX_FAULTS, QUEUE, SEND_TIMEOUT_S, Connection
from palio_server.network.corked_socket import BURST

pytestmark = pytest.mark.virtual_clock
TURN = Turn("m", 1, 0, "position", [[0, 1]], [None, None], None)


class Paper(PaperSocket):
    """`chokes_at`: reading stops when that many messages have been written."""

    def __init__(self) -> None:
        super().__init__()
        self.chokes_at = -1
        self.connection: Connection | None = None

    def write(self, data: bytes, *, text: bool, urgent: bool) -> None:
        super().write(data, text=text, urgent=urgent)
        if len(self.written) == self.chokes_at:
            assert self.connection is not None
            self.connection.flow(False)


class World:
    def __init__(self, encoding: Encoding | None = Encoding.MSGPACK, *, welcomed: bool = True) -> None:
        self.paper, self.bus = Paper(), LocalBus()
        self.heard: list[tuple[str, Envelope]] = []
        self.bus.subscribe("palio/bot/+/out/+", lambda *message: self.heard.append(message))
        self.connection = Connection(self.paper, self.bus, encoding)
        self.paper.connection = self.connection
        if welcomed:
            session = Session.of(Hello("a", ["chess"]), self.connection, "websocket", None)
            session.matches["m"] = None
            self.connection.enter(session)

    def errors(self) -> list[Error]:
        decoded = [
            decode_from_server(data, Encoding.JSON if text else Encoding.MSGPACK) for data, text in self.paper.written
        ]
        return [message for message in decoded if isinstance(message, Error)]


async def test_what_the_bot_says_in_its_match_is_published_as_it_came() -> None:
    world = World()
    data = msgpack.packb({"type": "move", "match": "m", "id": 1, "move": [0, 1]})
    world.connection.hear(data, False)
    assert world.heard == [(topics.bot_out("a", "m"), Envelope(data, Move("m", 1, [0, 1]), at=1000.0))]


async def test_json_travels_as_messagepack_on_the_bus_and_returns_as_json() -> None:
    world = World(Encoding.JSON)
    world.connection.hear(b'{"type": "ready", "match": "m"}', True)
    assert world.heard == [(topics.bot_out("a", "m"), Envelope(encode(Ready("m")), Ready("m"), at=1000.0))]
    world.connection.post("m", Envelope(encode(TURN)))
    (data, text), *_ = world.paper.written
    assert text
    assert json.loads(data)["type"] == "turn"


@pytest.mark.parametrize(("text", "encoding"), [(True, Encoding.JSON), (False, Encoding.MSGPACK)])
async def test_without_a_subprotocol_the_first_frame_decides(text, encoding) -> None:
    world = World(None, welcomed=False)
    world.connection.hear(encode(Hello("a", ["chess"]), encoding), text)
    assert await world.connection.hello == Hello("a", ["chess"])
    world.connection.send(Welcome("s", "palio"))
    assert world.paper.written == [(encode(Welcome("s", "palio"), encoding), text)]
    world.connection.hear(encode(Ready("m"), encoding), not text)
    assert world.paper.written[-1][1] == text
    assert world.errors()[0].code == "wrong-frame"


async def test_a_bot_greets_before_it_speaks_and_only_once() -> None:
    world = World(welcomed=False)
    world.connection.hear(encode(Ready("m")), False)
    world.connection.hear(encode(Hello("a", ["chess"])), False)
    world.connection.hear(encode(Hello("b", ["chess"])), False)
    assert [error.code for error in world.errors()] == ["hello-first", "unexpected"]
    assert (await world.connection.hello).name == "a"


async def test_a_match_that_the_bot_does_not_hold_is_unknown_to_it_and_not_counted_against_it() -> None:
    world = World()
    for _ in range(2 * MAX_FAULTS):  # a match that has just ended, many times
        world.connection.hear(encode(Move("over", 7, [])), False)
    assert world.heard == []
    assert world.paper.goodbye is None
    assert (world.errors()[0].code, world.errors()[0].match, world.errors()[0].id) == ("unknown-match", "over", 7)


async def test_an_error_is_never_answered() -> None:
    world = World()
    world.connection.hear(encode(Error("confused", "what?")), False)
    world.connection.hear(encode(Error("crashed", "Traceback", match="over")), False)
    assert world.paper.written == []


async def test_nonsense_is_answered_until_there_is_too_much_of_it() -> None:
    world = World()
    for _ in range(MAX_FAULTS):
        world.connection.hear(b"\xc1 nonsense", False)
    assert [error.code for error in world.errors()] == ["unreadable"] * MAX_FAULTS
    assert world.paper.goodbye is not None
    assert world.paper.goodbye[0] == module.POLICY
    assert "10 bad messages" in world.paper.goodbye[1]


@given(st.binary(max_size=80), st.booleans(), st.sampled_from([None, Encoding.JSON, Encoding.MSGPACK]), st.booleans())
@example(b"[" * 10_000, True, None, False)
@example(b"\x91" * 10_000, False, None, False)
@example(b'{"type":"move","match":"m","id":1,"move":NaN}', True, Encoding.JSON, True)
@example(b"\xff\xfe", True, Encoding.JSON, True)
def test_no_bytes_ever_raise(virtually, data, text, encoding, welcomed) -> None:
    async def story() -> None:
        world = World(encoding, welcomed=welcomed)
        world.connection.hear(data, text)
        heard = [each for _, each in world.heard if b"unreadable" not in each.data]  # that is for the match's record
        assert len(world.paper.written) + len(heard) + world.connection.hello.done() <= 1
        world.connection.lost()

    virtually(story())


async def test_an_unreadable_message_is_told_to_the_bots_match_with_its_text() -> None:
    world = World(Encoding.JSON)
    world.connection.hear(b"b1-b2", True)
    [(topic, envelope)] = world.heard
    assert topic == "palio/bot/a/out/m"
    told = envelope.message
    assert isinstance(told, Error)
    assert told.code == UNREADABLE
    assert told.reason.startswith("wrote 'b1-b2', which is no message: not JSON")


# --- credit -----------------------------------------------------------------------------------------------------------


async def test_who_answers_turns_may_be_as_fast_as_it_likes() -> None:
    world = World()
    for number in range(20_000):
        world.connection.post("m", Envelope(encode(TURN)))
        assert world.paper.credit.pay_frame(40)
        world.connection.hear(encode(Move("m", number, [0, 1])), False)
    assert len(world.heard) == 20_000


async def test_what_is_not_a_turn_allows_nothing() -> None:
    world = World()
    world.paper.credit.trust()
    paid = 0
    while world.paper.credit.pay_frame(0):
        world.connection.post("m", Envelope(encode(Error("confused", "what?"))))
        paid += 1
    assert paid == BURST


# --- a peer that does not read ----------------------------------------------------------------------------------------


async def test_a_peer_that_reads_again_gets_everything_in_order() -> None:
    world = World()
    world.connection.flow(False)
    for number in range(5):
        world.connection.post("m", Envelope(b"%d" % number, TURN))
    assert world.paper.written == []
    world.paper.chokes_at = 2
    world.connection.flow(True)
    assert [data for data, _ in world.paper.written] == [b"0", b"1"], "it chokes again at once"
    world.connection.post("m", Envelope(b"5", TURN))
    await asyncio.sleep(SEND_TIMEOUT_S / 2)
    world.connection.flow(True)
    await asyncio.sleep(2 * SEND_TIMEOUT_S)
    assert [data for data, _ in world.paper.written] == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert not world.paper.aborted


async def test_a_peer_that_does_not_read_for_long_is_cut_off() -> None:
    world = World()
    world.connection.flow(False)
    world.connection.post("m", Envelope(b"x", TURN))
    await asyncio.sleep(SEND_TIMEOUT_S - 0.1)
    assert not world.paper.aborted
    await asyncio.sleep(0.2)
    assert world.paper.aborted


async def test_a_peer_that_leaves_too_much_unread_is_cut_off() -> None:
    world = World()
    world.connection.flow(False)
    for _ in range(QUEUE):
        world.connection.post("m", Envelope(b"x", TURN))
    assert not world.paper.aborted
    world.connection.post("m", Envelope(b"x", TURN))
    assert world.paper.aborted


async def test_who_does_not_read_is_not_told_goodbye() -> None:
    world = World()
    world.connection.flow(False)
    world.connection.close(1008, "enough")
    assert world.paper.aborted
    assert world.paper.goodbye is None


async def test_a_lost_connection_leaves_no_timer_behind() -> None:
    world = World()
    world.connection.flow(False)
    world.connection.lost()
    await asyncio.sleep(2 * SEND_TIMEOUT_S)
    assert not world.paper.aborted


async def test_a_lost_connection_is_freed_with_its_session_and_waits_for_no_collector() -> None:
    connection = Connection(Paper(), LocalBus(), Encoding.MSGPACK)
    session = Session.of(Hello("a", ["chess"]), connection, "websocket", None)
    connection.enter(session)
    freed = weakref.ref(connection)
    gc.disable()
    try:
        connection.lost()
        del connection, session
        assert freed() is None
    finally:
        gc.enable()
