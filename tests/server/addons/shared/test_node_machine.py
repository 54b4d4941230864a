"""Slots of bots among servers that come, go and lose messages: no slot is taken twice, and none is lost for good.

A program of random steps is run on a virtual clock. The servers' own parts are real, but for the broker between them;
after every step the model counts who believes to hold which connection.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from wire import Server, Wire

from palio_server.edge.budgets import TooMuch
from palio_server.lobby.lobby import LobbyError, NotAvailable

SERVERS = 3
BOTS = ("ann", "bob", "cid", "dan")
REST_S = 40.0  # after which nothing is kept for anybody who is gone, and all that was lost has been said again

steps = st.one_of(
    st.tuples(st.just("join"), st.integers(0, SERVERS - 1), st.sampled_from(BOTS), st.integers(1, 2)),
    st.tuples(st.just("leave"), st.integers(0, 99)),
    st.tuples(st.just("resume"), st.integers(0, 99), st.integers(0, SERVERS - 1)),
    st.tuples(st.just("begin"), st.integers(0, SERVERS - 1), st.sets(st.sampled_from(BOTS), min_size=2, max_size=2)),
    st.tuples(st.just("take_over"), st.integers(0, 99), st.integers(0, SERVERS - 1), st.booleans()),
    st.tuples(st.just("end"), st.integers(0, 99)),
    st.tuples(st.just("kill"), st.integers(0, SERVERS - 1)),
    st.tuples(st.just("start"), st.integers(0, SERVERS - 1)),
    st.tuples(st.just("wait"), st.sampled_from([0.0, 0.005, 0.03, 1.0, 7.0])),
)


class World:
    """Three places for servers, and the matches that the database knows, with the epoch of the last claim."""

    def __init__(self, seed: int, loses: float) -> None:
        self.wire, self.random = Wire(seed, loses), Random(seed)
        self.servers: list[Server | None] = [Server(self.wire, f"s{number}") for number in range(SERVERS)]
        self.epochs: dict[str, int] = {}  # of matches that are not over
        self.bots: dict[str, tuple[str, ...]] = {}
        self.sessions: list[tuple[Server, object]] = []
        self.starting: set[tuple[Server, str]] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.count = 0

    @property
    def alive(self) -> list[Server]:
        return [server for server in self.servers if server is not None]

    async def do(self, step: tuple) -> None:  # noqa: C901, PLR0912  # a table of steps
        match step:
            case "join", place, name, slots:
                self.join(place, name, slots, None)
            case "leave", number:
                if (found := self.session(number)) is not None:
                    found[0].lobby.leave(found[1])
            case "resume", number, place:
                if (found := self.session(number)) is not None:
                    self.join(place, found[1].name, found[1].slots, found[1].id)
            case "begin", place, bots:
                self.count += 1
                match_ = f"m{self.count}"
                self.epochs[match_], self.bots[match_] = 1, tuple(sorted(bots))
                self.begin(place, match_, absent_ok=False)
            case "take_over", number, place, absent_ok:
                if self.epochs:
                    match_ = sorted(self.epochs)[number % len(self.epochs)]
                    self.epochs[match_] += 1  # the database has given it to somebody else
                    for server in self.alive:
                        if match_ in server.matches and self.random.random() < 0.7:  # who has lost it hears of it late
                            server.matches[match_].end()
                    self.begin(place, match_, absent_ok=absent_ok)
            case "end", number:
                running = [match_ for server in self.alive for match_ in server.matches.values()]
                if running:
                    over = running[number % len(running)]
                    if self.epochs.get(over.name) == over.epoch:
                        del self.epochs[over.name]
                    over.end()
            case "kill", place:
                if (server := self.servers[place]) is not None and len(self.alive) > 1:
                    self.servers[place] = None
                    await server.die()
            case "start", place:
                if self.servers[place] is None:
                    self.servers[place] = Server(self.wire, f"s{place}")
            case "wait", seconds:
                await asyncio.sleep(seconds)

    def join(self, place, name, slots, resume):
        if (server := self.servers[place]) is not None:
            with suppress(LobbyError, TooMuch):
                self.sessions.append((server, server.join(name, slots, resume)[0]))

    def session(self, number):
        living = [(server, session) for server, session in self.sessions if server in self.alive]
        return living[number % len(living)] if living else None

    def begin(self, place, match_, *, absent_ok):
        server = self.servers[place]
        if server is None or match_ in server.matches or (server, match_) in self.starting:
            return  # an arena begins one match at a time
        self.starting.add((server, match_))
        epoch = self.epochs[match_]

        async def begin() -> None:
            with suppress(NotAvailable, ValueError):
                begun = await server.begin(match_, self.bots[match_], epoch, absent_ok=absent_ok)
                if self.epochs.get(match_) != epoch:
                    begun.end()
            self.starting.discard((server, match_))

        task = asyncio.create_task(begin())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def check(self) -> None:
        """No connection is held by more matches than it has slots; whoever has lent knows to whom."""
        held: Counter[tuple[str, int]] = Counter()
        slots: dict[tuple[str, int], int] = {}
        for server in self.alive:
            for session in server.lobby.sessions():
                if session.connected:
                    place = server.node.process, session.key
                    slots[place] = session.slots
                    assert len(session.matches) <= session.slots
        for server in self.alive:
            for match_ in server.matches.values():
                if self.epochs.get(match_.name) != match_.epoch:
                    continue  # the database has given it to another one, which this one has not heard yet
                for session in match_.holders().values():
                    if session is not None:
                        held[session.process or server.node.process, session.key] += 1
        for place, count in held.items():
            assert count <= slots.get(place, count), f"{place} is held {count} times"

    def rest(self) -> None:
        """After a while in which nothing has happened: nothing is kept that nobody needs, and all see the same."""
        wanted = {
            (holder.process or server.node.process, holder.key, match_.name)
            for server in self.alive
            for match_ in server.matches.values()
            for holder in match_.holders().values()
            if holder is not None
        }
        here = [(server, session) for server in self.alive for session in server.lobby.sessions() if session.connected]
        taken = {(server.node.process, session.key, match_) for server, session in here for match_ in session.matches}
        assert taken == wanted
        for server in self.alive:
            seen = {
                (each.process or server.node.process, each.key)
                for bot in BOTS
                for each in server.lobby.connections(bot)
            }
            assert seen == {(other.node.process, session.key) for other, session in here}
            for each in (session for bot in BOTS for session in server.lobby.connections(bot)):
                place = each.process or server.node.process, each.key
                assert each.playing == sum((process, key) == place for process, key, _ in taken)
        for server in self.alive:
            for match_ in server.matches.values():
                for bot, holder in match_.holders().items():
                    free = [each for each in server.lobby.connections(bot) if each.free_slots > 0]
                    assert holder is not None or not free, f"{match_.name} waits in vain for {bot}"


async def play(program, seed, loses):
    world = World(seed, loses)
    await asyncio.sleep(2.0)
    for name in BOTS:
        world.join(world.random.randrange(SERVERS), name, 1, None)
    await asyncio.sleep(0.1)
    for step in program:
        await world.do(step)
        world.check()
    world.wire.loses = 0.0
    for server in world.alive:  # who has lost its match reads so when it renews its lease
        for match_ in [each for each in server.matches.values() if world.epochs.get(each.name) != each.epoch]:
            match_.end()
    for _ in range(int(REST_S)):
        await asyncio.sleep(1.0)
        world.check()
    world.rest()
    for server in world.alive:
        for match_ in list(server.matches.values()):
            match_.end()
    await asyncio.sleep(REST_S)
    for server in world.alive:
        assert len(server.node.loans) == 0
        for session in (each for bot in BOTS for each in server.lobby.connections(bot)):
            assert session.free_slots == session.slots, f"a slot of {session.name} is lost"
        server.task.cancel()
    await asyncio.wait([server.task for server in world.alive])


@settings(max_examples=4 * settings().max_examples)
@given(st.lists(steps, min_size=30, max_size=60), st.integers(0, 2**16), st.sampled_from([0.0, 0.0, 0.1]))
def test_no_slot_is_taken_twice_and_none_is_lost(virtually, program, seed, loses):
    virtually(play(program, seed, loses))


def test_a_borrowed_slot_is_given_back_when_another_connection_of_the_bot_has_its_seat(virtually):
    """Bob has a connection at two servers; a match that is taken over twice borrows the one and seats the other."""
    program = [
        *[("leave", 0)] * 13,
        *[("join", 0, "ann", 1)] * 7,
        ("join", 0, "bob", 1),
        ("begin", 0, {"bob", "cid"}),
        ("wait", 0.03),
        ("take_over", 0, 0, False),
        ("wait", 0.005),
        *[("join", 0, "ann", 1)] * 4,
        ("take_over", 0, 1, False),
    ]
    virtually(play(program, seed=467, loses=0.0))
