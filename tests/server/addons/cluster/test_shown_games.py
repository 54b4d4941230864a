"""A game of a worker, as viewers of the coordinator see it: the same as one that is played here."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from palio_db.values import Claim
from palio_rules.contract.messages import Result
from palio_rules.contract.topics import match_event
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server.addons.cluster import wire
from palio_server.addons.cluster.game_server import SentFeed
from palio_server.addons.cluster.shown_games import ShownGames
from palio_server.bus.local import LocalBus
from palio_server.live.feed import Feed
from palio_server.match import events

NOW = datetime(2026, 11, 24, tzinfo=UTC)
SETUPS = [
    Setup("breakthrough", ("a", "b"), {"rows": 5, "cols": 4}, time=TimeControl(10_000, 100)),
    Setup("dominoes", ("a", "b"), {"rows": 4, "cols": 4}),
    Setup("chexers", ("a", "b", "c"), time=TimeControl(5_000)),
    Setup("rush_hour", ("a", "b"), {}, seed=3),
]


def happenings(setup: Setup, seed: int, plies: int) -> Iterator[events.RefereeEvent]:
    """A random game: moves, some that are refused, bots that leave and come back."""
    random, rules = Random(seed), game(setup.game)
    seats = len(setup.bots)
    states = [setup.start()] * (seats if rules.kind == "race" else 1)
    clocks: list[int | None] = [1000] * seats
    yield events.Started(states[0], clocks)
    for number in range(1, plies + 1):
        board = random.randrange(len(states))
        before = states[board]
        if before.to_move is None:
            return
        seat = board if rules.kind == "race" else before.to_move
        if random.random() < 0.2:
            yield events.Rejected(RejectedMove(number - 1, seat, "x", "no-move", "it is none"), 2, clocks)
        if random.random() < 0.1:
            yield events.Absent(seat, 900)
            yield events.Back(seat, 800)
        move = random.choice(list(before.legal_moves()))
        states[board] = before.play(move)
        clocks = [None if left is None else left - 1 for left in clocks]
        yield events.Played(number, Ply(seat, rules.move_to_wire(move), 1), move, states[board], clocks)


def seen(feed: Feed, match: str) -> Any:
    """All that a viewer of a match is shown, but for numbers of messages."""
    found = feed.snapshot(match)
    assert found is not None
    shown = msgspec.to_builtins(msgspec.structs.replace(found, seq=0))
    # What is no part of a position, a worker tells from the next event on.
    shown["summary"].pop("refused", None)
    for view in (shown["summary"]["view"], *shown["boards"]):
        view.pop("clocks_ms")
    for refusal in shown["refusals"]:
        refusal.pop("strikes_left")
    return shown


class Both:
    """A game here, and the same one at a worker whose words travel."""

    def __init__(self, setup: Setup) -> None:
        self.bus, self.sent = LocalBus(), list[wire.Report]()
        self.home, self.there, self.claim = Feed(LocalBus()), Feed(self.bus), Claim("m", 1, setup)
        self.worker, self.shown = SentFeed(self.sent.append), ShownGames(self.there, self.bus)
        self.plies: list[Ply] = []
        self.refused: list[RejectedMove] = []
        self.shown.begin(self.claim)
        self.home.open("m", setup)
        self.worker.open("m", setup)

    def look(self) -> None:
        self.bus.subscribe(match_event("m"), lambda *_: None)
        assert self.shown.wanted() == {"m"}
        self.worker.watch(["m"])

    def note(self, event: events.RefereeEvent) -> None:
        self.home.note("m", event)
        self.worker.note("m", event)
        if isinstance(event, events.Played):
            self.plies.append(event.ply)
        if isinstance(event, events.Rejected):
            self.refused.append(event.rejected)
        for report in wire.reports_of(wire.encode(wire.Reports("w", self.sent))).items:
            self.shown.hear(report)
        self.sent.clear()

    def end(self) -> None:
        setup = self.claim.setup
        result = Result("rule", "over", [0.5] * len(setup.bots))
        self.shown.end(self.claim, Record("m", setup, tuple(self.plies), result, NOW, NOW, tuple(self.refused)))
        last = self.there.snapshot("m")
        assert last is not None
        assert (last.summary.result, len(last.lines)) == (result, len(self.plies))
        assert self.shown.wanted() == set()


@given(st.sampled_from(SETUPS), st.integers(0, 1000), st.integers(0, 30), st.integers(0, 40))
def test_whoever_begins_to_look_sees_what_is_seen_at_home(setup: Setup, seed: int, plies: int, look_at: int):
    async def compare() -> None:
        both = Both(setup)
        assert both.shown.wanted() == set()
        for number, event in enumerate(happenings(setup, seed, plies)):
            if number == look_at:
                both.look()
            both.note(event)
            if number >= look_at:
                assert seen(both.home, "m") == seen(both.there, "m")
        both.end()

    asyncio.run(compare())


async def test_a_game_that_is_begun_anew_begins_anew_for_its_viewers():
    bus = LocalBus()
    feed, claim = Feed(bus), Claim("m", 1, SETUPS[0])
    shown = ShownGames(feed, bus)
    shown.begin(claim)
    [first] = [event for event in happenings(SETUPS[0], 1, 1) if isinstance(event, events.Played)]
    shown.hear(wire.Snapshot("m", [first.ply], []))
    assert len(feed.snapshot("m").lines) == 1
    shown.begin(claim)
    assert feed.snapshot("m").lines == []
    shown.hear(wire.Played("m", 2, first.ply, [1, 1]))  # a late word of the former worker
    assert feed.snapshot("m").lines == []
    shown.drop("m", "called off")
    assert feed.snapshot("m").summary.result.detail == "called off"
