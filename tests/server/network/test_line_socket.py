"""JSON lines over a transport that is a list: heard however they are cut, a price for each, an end."""

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palio_rules.contract.codec import MAX_BYTES
from palio_rules.contract.endpoints import NORMAL, POLICY
from palio_server.network.corked_socket import BURST, FLOOD, GOODBYE_S, PIECE, TICK_S, Cork
from palio_server.network.entrance import LONGEST_S, Entrance, ReadBudget
from palio_server.network.line_socket import REST_S, SHARE, LineSocket

pytestmark = pytest.mark.virtual_clock


class World:
    """A socket with a listener; `program`: it has been handed to one."""

    def __init__(self, wire: Any, ears: Any, *, program: bool = False) -> None:
        self.wire, self.ears, self.connections = wire, ears, set()
        entrance = Entrance()
        entrance.read_budget = ReadBudget(lambda: 0.0)  # however slow this machine is
        self.socket = LineSocket(wire, self.connections, asyncio.Event(), entrance.visit(wire))
        self.socket.credit.trust()
        self.cork = Cork(asyncio.get_running_loop())
        self.socket.listen(ears, self.cork)
        if program:
            self.socket.hand_to_program(ears)

    def receive(self, *pieces: bytes) -> None:
        for piece in pieces:
            assert self.wire.reading
            self.socket.data_received(piece)

    def lines(self) -> list[bytes]:
        return [data for data, _ in self.ears.heard]

    def goodbye(self) -> str | None:
        """The reason in the last line, if we have said goodbye."""
        last = json.loads(self.wire.written.splitlines()[-1]) if self.wire.said_all and self.wire.written else {}
        return last.get("reason")


@pytest.fixture
async def world(wire_type, ears_type) -> World:
    return World(wire_type(), ears_type())


@pytest.fixture
async def program(wire_type, ears_type) -> World:
    return World(wire_type(), ears_type(), program=True)


@given(
    st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"")), max_size=8), st.lists(st.integers(0, 80))
)
@example([b"{}", b"", b"{}"], [1, 2, 3, 4])
@example([b"{}\r", b"\r", b" \t", b"{}"], [1, 3, 4, 5])
def test_lines_that_say_something_are_heard_however_they_are_cut(virtually, wire_type, ears_type, lines, cuts) -> None:
    data = b"".join(line + b"\n" for line in lines)
    cuts = sorted(min(cut, len(data)) for cut in cuts)

    async def story() -> None:
        world = World(wire_type(), ears_type())
        world.receive(*filter(None, (data[start:end] for start, end in pairwise([0, *cuts, len(data)]))))
        assert world.ears.heard == [(line, True) for line in lines if line.strip()]

    virtually(story())


async def test_nothing_is_read_before_somebody_listens(wire_type, ears_type) -> None:
    wire, ears = wire_type(), ears_type()
    socket = LineSocket(wire, set(), asyncio.Event(), Entrance().visit(wire))
    socket.data_received(b"{}\n{")
    assert not wire.reading
    socket.listen(ears, Cork(asyncio.get_running_loop()))
    assert wire.reading
    assert ears.heard == [(b"{}", True)]


async def test_only_of_the_last_line_that_was_read_it_is_known_when_it_came(world: World, monkeypatch) -> None:
    monkeypatch.setattr("palio_server.network.corked_socket.silence", lambda _end: 0.25)
    known = []
    world.ears.hear = lambda _line, _text: known.append(world.socket.silent_s())
    world.receive(b"{}\n{}\n{}\n", b"{}\n", b"{}\n{", b"}\n")
    assert known == [None, None, 0.25, 0.25, None, 0.25]


async def test_many_lines_at_once_leave_the_others_their_turn(world: World) -> None:
    world.receive(b"{}\n" * (2 * SHARE + 1))
    assert len(world.lines()) == SHARE
    assert not world.wire.reading
    await asyncio.sleep(TICK_S)
    assert len(world.lines()) == 2 * SHARE + 1
    assert world.wire.reading


async def test_many_peers_have_no_more_lines_read_in_a_turn_than_there_is_time_for(wire_type, ears_type) -> None:
    spent = 0.0
    peers, read_budget = [World(wire_type(), ears_type()) for _ in range(50)], ReadBudget(lambda: spent)

    def hear(ears: Any, line: bytes) -> None:
        nonlocal spent
        spent += LONGEST_S / 8
        ears.heard.append((line, True))

    for world in peers:
        world.socket._read_budget = read_budget
        world.ears.hear = lambda line, _text, ears=world.ears: hear(ears, line)
        world.receive(b"{}\n" * SHARE)
    read = [len(world.lines()) for world in peers]
    assert sum(read) <= 8 + len(peers)
    assert min(read) == 1
    await asyncio.sleep(TICK_S)
    assert all(len(world.lines()) == SHARE for world in peers)


@pytest.mark.parametrize("pieces", [1, 2, 5])
async def test_of_a_line_that_is_too_long_one_hears_once_that_it_is(world: World, pieces: int) -> None:
    line = b"x" * (MAX_BYTES + 1) * pieces
    world.receive(*[line[at : at + 50_000] for at in range(0, len(line), 50_000)], b"y\n{}\n")
    assert [len(line) for line in world.lines()] == [MAX_BYTES + 1, 2]
    assert len(world.socket._rest) == 0


async def test_a_last_line_needs_no_line_break(world: World) -> None:
    world.receive(b'{"a": 1')
    world.socket.eof_received()
    assert world.lines() == [b'{"a": 1']
    assert world.wire.ended == "closed"
    assert world.socket.gone.is_set()


async def test_a_flood_of_lines_is_cut_off_with_a_reason(world: World) -> None:
    for _ in range(int(BURST) + 1):
        world.receive(b"{}\n")
        if world.wire.said_all:
            break
    assert world.goodbye() == FLOOD
    heard = len(world.lines())
    assert heard < BURST
    world.socket.data_received(b"{}\n" * 10)  # on its way
    assert len(world.lines()) == heard
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "aborted"


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\r\n"])
@pytest.mark.parametrize("at_once", [True, False])
async def test_empty_lines_are_ignored_and_cost_a_tenth_of_what_others_cost(world: World, blank, at_once) -> None:
    lines = [blank] * int(5 * BURST)
    world.receive(*([b"".join(lines)] if at_once else lines))
    await asyncio.sleep(TICK_S)
    world.receive(b'{"a": 1}\r\n')
    assert world.lines() == [b'{"a": 1}\r']
    assert world.wire.ended is None


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("blank", [b"\n", b" " * 60_000 + b"\n"])
async def test_a_flood_of_empty_lines_is_one_too(world: World, blank: bytes, at_once: bool) -> None:
    lines = [blank] * (int(2 * BURST / PIECE) if len(blank) == 1 else 200)
    for piece in [b"".join(lines)] if at_once else lines:
        if world.wire.reading and not world.wire.said_all:
            world.receive(piece)
    await asyncio.sleep(TICK_S)
    assert world.goodbye() == FLOOD
    assert world.lines() == []


async def test_an_empty_last_line_is_ignored(world: World) -> None:
    world.receive(b" \r")
    world.socket.eof_received()
    assert world.lines() == []


async def test_a_program_that_floods_with_empty_lines_is_read_slowly(program: World) -> None:
    program.receive(b"\n" * int(3 * BURST / PIECE) + b"x\n")
    await asyncio.sleep(0)
    assert program.lines() == []
    assert not program.wire.reading
    await asyncio.sleep(2 * 3 * BURST / PIECE / SHARE * REST_S)
    assert program.lines() == [b"x"]
    assert program.wire.ended is None


async def test_a_flood_of_one_endless_line_is_one_too(world: World) -> None:
    for _ in range(int(BURST) // 10):
        if not world.wire.said_all:
            world.receive(b"x" * 4096 * 20)
    assert world.goodbye() == FLOOD
    assert len(world.lines()) == 1


async def test_a_flood_in_drops_is_one_too(world: World) -> None:
    for _ in range(int(BURST / PIECE) + 1):
        if not world.wire.said_all:
            world.receive(b"x")
    assert world.goodbye() == FLOOD


async def test_a_program_is_never_cut_off_but_read_slowly(program: World) -> None:
    program.receive(b"x\n" * int(3 * BURST))
    await asyncio.sleep(TICK_S)
    heard = len(program.lines())
    assert BURST / 2 < heard < BURST * 1.1
    assert not program.wire.reading
    await asyncio.sleep(10 * REST_S)
    assert 0 < len(program.lines()) - heard <= 11 * SHARE
    assert program.wire.ended is None
    await asyncio.sleep(3 * BURST / SHARE * REST_S)
    assert len(program.lines()) == 3 * BURST
    assert program.wire.reading


async def test_a_program_that_writes_in_drops_is_not_cut_off_either(program: World) -> None:
    for _ in range(int(2 * BURST / PIECE)):
        if not program.wire.reading:
            await asyncio.sleep(2 * REST_S)
        program.receive(b"x")
    program.receive(b"\n")
    assert program.lines() == [b"x" * int(2 * BURST / PIECE)]


async def test_what_is_not_urgent_waits_a_moment_for_what_is(world: World) -> None:
    world.socket.write(b"a", text=True, urgent=False)
    assert world.wire.written == b""
    world.socket.write(b"b", text=True)
    assert (world.wire.written, world.wire.writes) == (b"a\nb\n", 1)
    world.socket.write(b"c", text=True, urgent=False)
    await asyncio.sleep(3 * TICK_S)
    assert world.wire.written == b"a\nb\nc\n"


@pytest.mark.parametrize(("code", "said"), [(POLICY, "closed"), (NORMAL, None), (4999, "closed")])
async def test_before_a_connection_is_closed_an_error_says_why(world: World, code: int, said: str | None) -> None:
    world.socket.write(b"a", text=True, urgent=False)
    world.socket.close(code, "enough")
    world.socket.close(code, "really")
    first, *rest = world.wire.written.splitlines()
    assert first == b"a"
    assert [json.loads(line) for line in rest] == (
        [{"type": "error", "code": said, "reason": "enough"}] if said is not None else []
    )
    assert world.wire.said_all
    assert world.wire.reading, "it is read on, so that to close is no error"
    assert world.socket.gone.is_set()
    world.socket.eof_received()
    assert world.wire.ended == "closed"
    world.socket.connection_lost(None)
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "closed"
    assert world.connections == set()


async def test_a_program_hears_no_goodbye(program: World) -> None:
    program.socket.close(POLICY, "enough")
    assert program.wire.written == b""
    assert program.wire.said_all


async def test_when_the_server_ends_it_says_so_and_then_insists(world: World) -> None:
    world.socket.shutdown()
    assert world.goodbye() == "the server ends"
    world.socket.shutdown()
    assert world.wire.ended == "closed"


async def test_a_peer_that_does_not_read_is_told_of_to_the_listener(world: World) -> None:
    world.socket.pause_writing()
    world.socket.resume_writing()
    assert world.ears.flows == [False, True]
