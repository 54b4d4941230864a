"""A tournament while it is played: a line about each match, faults with their reasons, and bots that are given up."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from palio_db.store import Store
from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.arena import running_tournament
from palio_server.arena.running_tournament import STDERR_SHOWN, RunningTournament, news_of

THEN = datetime(2026, 11, 20, tzinfo=UTC)
WON = Result("rule", "no-moves", [1.0, 0.0])
CRASHED = Result("crashed", "bot-crashed", [0.0, 1.0], 0, "Traceback\nKeyError: 1")


def duels(*pairs):
    return [(1, Setup("dominoes", pair)) for pair in pairs]


class Played:
    """A tournament in a database of its own, and what stands in for the arena that plays it."""

    def __init__(self, store, tournament, lines):
        self.store, self.tournament, self.lines = store, tournament, lines

    async def matches(self):
        return list(reversed(await self.store.matches(tournament=self.tournament.row.id, limit=100)))

    async def finish(self, result, plies=()):
        """Play the next match; its record."""
        [row] = [row for row in await self.matches() if row.status == "scheduled"][:1]
        claim = await self.store.claim("worker", 30, free={row.game: row.bots})
        record = Record(claim.match, claim.setup, plies, result, THEN, THEN)
        await self.store.finish(claim, record)
        return record

    def happens(self, *news):
        for item in news:
            for listener in self.arena.on_start if isinstance(item, str) else self.arena.on_result:
                listener(item)

    @property
    def arena(self):
        return self.tournament.arena


@pytest.fixture
async def begin(tmp_path):
    """Puts matches into a new database as tournament 1."""
    stores = []

    async def begin(bots, setups, stderr=running_tournament.no_stderr):
        store = await Store.open(f"sqlite:///{tmp_path}/palio.db")
        stores.append(store)
        lines = []
        arena = SimpleNamespace(on_start=[], on_result=[], nudge=lambda: None)
        number = await store.create_tournament("cup", setups[0][1].game, {}, setups)
        return Played(store, await RunningTournament.open(store, arena, number, bots, lines.append, stderr), lines)

    yield begin
    for store in stores:
        await store.close()


async def test_each_match_has_a_line_when_it_begins_and_when_it_ends(begin):
    played = await begin(["ann", "bob"], duels(("ann", "bob")))
    with news_of(played.arena) as news:
        record = await played.finish(WON)
        played.happens(record.match, record)
        await played.tournament.play(news)
    assert played.lines == ["Started game 1 of 1 (ann vs bob)", "Finished game 1 (ann vs bob): 1-0 {no-moves}"]
    assert played.arena.on_result == played.arena.on_start == []


async def test_a_bot_s_stderr_follows_its_first_faults_only(begin):
    async def stderr(bot):
        return [f"{bot} is confused"]

    games = STDERR_SHOWN + 1
    played = await begin(["ann", "bob"], duels(*[("ann", "bob")] * games), stderr)
    with news_of(played.arena) as news:
        records = [await played.finish(CRASHED) for _ in range(games)]
        played.happens(*records)
        await played.tournament.play(news)
    assert played.lines[:4] == [
        "Finished game 1 (ann vs bob): 0-1 {crashed: bot-crashed}",
        f"  ann: KeyError: 1; see palio match show {records[0].match}",
        "  ann on stderr:",
        "    ann is confused",
    ]
    assert played.lines.count("    ann is confused") == STDERR_SHOWN


async def test_what_happened_elsewhere_is_noticed(begin, monkeypatch):
    monkeypatch.setattr(running_tournament, "LOOK_S", 0.01)
    played = await begin(["ann", "bob"], duels(("ann", "bob"), ("bob", "ann")))
    [first, second] = await played.matches()
    await played.store.abort(second.id, "stopped", epoch=second.epoch)
    await played.finish(WON)
    with news_of(played.arena) as news:
        await asyncio.wait_for(played.tournament.play(news), 30)
    assert sorted(played.lines) == [
        f"Aborted {second.id} (bob vs ann): stopped",
        f"Finished {first.id} (ann vs bob): by another worker",
    ]


async def test_the_games_of_a_bot_that_is_given_up_are_off(begin):
    played = await begin(["ann", "bob", "cid"], duels(("ann", "bob"), ("bob", "cid"), ("ann", "cid")))
    assert await played.tournament.withdraw("ann")
    assert played.lines == ["ann is given up: 2 games are off"]
    assert [row.status for row in await played.matches()] == ["aborted", "scheduled", "aborted"]
    assert await played.tournament.withdraw("ann")  # again: nothing is left to do
    assert len(played.lines) == 1


async def test_a_tournament_of_which_nothing_would_be_left_gives_up_nobody(begin):
    played = await begin(["ann", "bob"], duels(("ann", "bob"), ("bob", "ann")))
    assert not await played.tournament.withdraw("ann")
    assert played.lines == []
    assert [row.status for row in await played.matches()] == ["scheduled"] * 2


async def test_the_others_run_the_races_of_a_bot_that_is_given_up(begin):
    park = Setup("rush_hour", ("ann", "bob", "cid"), {"board": "b.../b.../aa.c/.d.."})
    played = await begin(["ann", "bob", "cid"], [(1, park)])
    assert await played.tournament.withdraw("bob")
    assert played.lines == ["bob is given up: 1 games are run without it"]
    [off, again] = await played.matches()
    assert (off.status, off.reason) == ("aborted", "bob was given up")
    assert (again.status, again.bots) == ("scheduled", ("ann", "cid"))
    with news_of(played.arena) as news:
        ends = [Finish("rule", "solved", 1.0), Finish("resigned", "resigned", None)]
        plies = (Ply(0, ["c", 1], 5), Ply(1, None, 0, None, "resigned"))
        played.happens(await played.finish(Result("rule", "ranked", [1.0, 0.0], finishes=ends), plies))
        await played.tournament.play(news)
    assert played.lines[-1] == "Finished game 2 (ann, cid): ann 1, cid - {ranked}"
