"""An event while it is directed: a line about each game, bots that leave or do not come, pauses, more rounds."""

import asyncio

import pytest
from event_world import FakeArena, Lobby, MortalStore, new_event, play, record_of

from palio_db.errors import Unavailable
from palio_db.event_values import Entry
from palio_db.store import Store
from palio_rules.contract.messages import Result
from palio_server.arena import running_tournament
from palio_server.arena.event_faults import event_faults, unread
from palio_server.arena.kept_event import STDERR_SHOWN, KeptEvent, no_stderr, stored_event
from palio_server.arena.running_tournament import NEVER_READY, RunningTournament

WON = Result("rule", "no-moves", [1.0, 0.0])
CRASHED = Result("crashed", "bot-crashed", [0.0, 1.0], 0, "Traceback\nKeyError: 1")


@pytest.fixture
async def store(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    monkeypatch.setattr(running_tournament, "LOOK_S", 0.01)


class World:
    """An event that is directed, matches of which are finished one by one."""

    def __init__(self, store, lobby):
        self.store, self.lobby, self.said = MortalStore(store, None), lobby, []
        self.arena = FakeArena(self.store, None)

    async def begin(self, number, stderr=no_stderr, grace_s=None, broken=(), tokens_required=True):
        self.number = number
        self.tournament = await RunningTournament.open(
            self.store, self.arena, self.lobby, number, say=self.said.append, stderr=stderr, grace_s=grace_s,
            broken=broken, tokens_required=tokens_required,
        )  # fmt: skip
        self.task = asyncio.create_task(self.tournament.play())
        await self.scheduled()
        return self

    async def scheduled(self):
        """Return when a match waits to be played."""
        while not (await self.store.tournament(self.number)).scheduled:  # noqa: ASYNC110  another task's store
            await asyncio.sleep(0.001)

    async def finish(self, result=WON):
        """Play the next match that waits; its record."""
        claim = await self.store.claim("w", 60)
        assert claim is not None
        for begun in self.arena.on_start:
            begun(claim.match)
        await self.arena.finish(claim, result)
        return record_of(claim, result)

    async def says(self, *lines):
        while not set(lines) <= set(self.said):
            assert not self.task.done(), self.said
            await asyncio.sleep(0.001)

    async def over(self):
        await asyncio.wait_for(self.task, 60)


@pytest.fixture
async def world(store):
    worlds = []

    async def world(bots, format_="round_robin", rules=None, game="dominoes", **given):
        found = World(store, Lobby())
        worlds.append(found)
        return await found.begin(await new_event(store, game, bots, format_, rules), **given)

    yield world
    for found in worlds:
        found.task.cancel()
        await asyncio.gather(found.task, return_exceptions=True)


async def test_each_game_has_a_line_when_it_begins_and_when_it_ends(world):
    event = await world(2)
    await event.finish()
    await event.finish()
    await event.over()
    assert event.said == [
        "Started game 1 of 2 (bot1 vs bot2)",
        "Finished game 1 (bot1 vs bot2): 1-0 {no-moves}",
        "Started game 2 of 2 (bot2 vs bot1)",
        "Finished game 2 (bot2 vs bot1): 1-0 {no-moves}",
    ]
    assert event.tournament.over
    assert (await event.store.tournament(event.number)).stage == "finished"
    assert event.arena.on_result == event.arena.on_start == []


async def test_a_game_that_is_played_during_a_look_into_the_store_begins_before_it_ends(world):
    event = await world(2)
    look, waiting = event.store.tournament, [1, 2]

    async def meanwhile(number):
        if waiting:
            waiting.pop()
            await event.finish()
        return await look(number)

    event.store.tournament = meanwhile
    await event.over()
    assert [line.split(" (")[0] for line in event.said] == [
        "Started game 1 of 2",
        "Finished game 1",
        "Started game 2 of 2",
        "Finished game 2",
    ]


async def test_a_bot_s_stderr_follows_its_first_faults_only(world):
    async def stderr(bot):
        return [f"{bot} is confused"]

    games = 2 * STDERR_SHOWN + 2
    event = await world(2, rules={"rounds": games // 2}, stderr=stderr)
    for _ in range(games):
        await event.scheduled()
        await event.finish(CRASHED)
    await event.over()
    first = next(place for place, line in enumerate(event.said) if line.endswith("0-1 {crashed: bot-crashed}"))
    bot = event.said[first].partition("(")[2].partition(" vs ")[0]
    assert event.said[first + 1].startswith(f"  {bot}: KeyError: 1; see palio match show ")
    assert event.said[first + 2 : first + 4] == [f"  {bot} on stderr:", f"    {bot} is confused"]
    assert event.said.count("    bot1 is confused") == STDERR_SHOWN


async def test_what_happened_elsewhere_is_noticed(world):
    event = await world(2)
    first, second = await event.store.event_matches(event.number)
    await event.store.abort(second.match, "stopped", epoch=0)
    claim = await event.store.claim("other", 60)
    await event.store.finish(claim, record_of(claim, WON))
    await event.over()
    assert claim.match == first.match
    assert sorted(event.said) == [
        "Aborted game 2 (bot2 vs bot1): stopped",
        "Finished game 1 (bot1 vs bot2): 1-0 {no-moves}",
    ]


async def test_the_games_of_a_bot_that_is_given_up_are_off(world):
    event = await world(3)
    assert await event.tournament.withdraw("bot1")
    assert event.said == ["bot1 is given up: 4 games are off"]
    assert await event.tournament.withdraw("bot1")  # again: nothing is left to do
    waiting = await event.store.event_matches(event.number)
    assert [sorted(match.bots) for match in waiting] == [["bot2", "bot3"]] * 2
    await event.finish()
    await event.finish()
    await event.over()
    assert [row.left for row in (await event.store.tournament(event.number)).entries] == [4, None, None]


async def test_a_tournament_of_two_does_not_go_on_without_one_of_them(world):
    event = await world(2)
    assert not await event.tournament.withdraw("bot1")
    assert len(await event.store.event_matches(event.number)) == 2


async def test_a_race_is_run_without_a_bot_that_is_given_up(world):
    event = await world(3, game="chexers_solo", rules={"rounds": 2})
    assert await event.tournament.withdraw("bot2")
    assert event.said == ["bot2 is given up: 2 games are run without it"]
    heats = await event.store.event_matches(event.number)
    assert [match.bots for match in heats] == [("bot1", "bot3")] * 2
    seeds = [row.setup.seed for row in await event.store.matches(tournament=event.number)]
    assert sorted(seeds) == [1, 2]  # on the instances that were drawn for all


async def test_a_bot_that_is_never_ready_is_benched(world):
    never = Result("stalled", "never-ready", [0.0, 1.0], 0)
    event = await world(3, rules={"rounds": 4, "games_per_encounter": 1})
    while "bot1 is benched" not in " ".join(event.said):
        if (claim := await event.store.claim("w", 60)) is None:
            await asyncio.sleep(0.001)  # nothing is scheduled yet, or no more: it is being benched
            continue
        late = claim.setup.bots.index("bot1") if "bot1" in claim.setup.bots else None
        scores = [float(seat != late) for seat in range(2)]
        result = WON if late is None else Result(never.termination, never.reason, scores, late)
        await event.arena.finish(claim, result)
        await asyncio.sleep(0.01)
    assert next(line for line in event.said if "benched" in line).startswith(
        f"bot1 is benched, for it was not ready in {NEVER_READY} games in a row: "
    )
    assert not [match for match in await event.store.event_matches(event.number)
                if match.status == "scheduled" and "bot1" in match.bots]  # fmt: skip


async def test_a_bot_that_does_not_come_forfeits_when_its_grace_is_over(world):
    event = await world(4, "knockout", grace_s=0.05)
    event.lobby.away.add("bot4")
    await event.says("bot4 did not come: it forfeits against bot1")
    while event.tournament.event.encounter(1).forfeits != {"bot4"}:  # noqa: ASYNC110  it has been said, and is kept next
        await asyncio.sleep(0.001)
    waiting = [match.bots for match in await event.store.event_matches(event.number)]
    assert {frozenset(bots) for bots in waiting} == {frozenset(("bot2", "bot3"))}


@pytest.mark.parametrize("late", [False, True], ids=["before it is missed", "while its grace runs"])
async def test_a_bot_that_is_revoked_costs_its_round_no_grace(world, store, late):
    for bot in ("bot3", "bot4"):
        await store.add_bot(bot)
    event = await world(4, "knockout", grace_s=1e9)
    event.lobby.away |= {"bot3", "bot4"}
    if late:
        while not {"bot3", "bot4"} <= event.tournament._absences.waited_for:  # noqa: ASYNC110  a look has no event
            await asyncio.sleep(0.001)
    await store.revoke_bot("bot4")
    await event.says("bot4 is revoked: it forfeits against bot1")
    while event.tournament.event.encounter(1).forfeits != {"bot4"}:  # noqa: ASYNC110  it has been said, and is kept next
        await asyncio.sleep(0.001)
    assert not event.tournament.event.encounter(2).forfeits  # bot3 is away, too, and may come back
    assert len(event.said) == 1


@pytest.mark.parametrize("tokens_required", [False, True])
async def test_a_name_that_was_revoked_before_is_waited_for_where_it_may_play_without_a_token(
    world, store, tokens_required
):
    await store.add_bot("bot4")
    await store.revoke_bot("bot4")
    event = await world(4, "knockout", grace_s=1e9, tokens_required=tokens_required)
    event.lobby.away.add("bot4")
    if tokens_required:
        await event.says("bot4 is revoked: it forfeits against bot1")
        return
    asked, looks = event.store._store.revoked_bots, asyncio.Queue()

    async def counted(names):
        looks.put_nowait(found := await asked(names))
        return found

    event.store._store.revoked_bots = counted
    for _ in range(3):
        assert list(await looks.get()) == ["bot4"]
    assert event.said == []


async def test_in_a_round_robin_an_absent_bot_is_waited_for_until_nothing_else_is_left(world):
    event = await world(3, grace_s=0.05)
    event.lobby.away.add("bot3")
    await asyncio.sleep(0.2)
    assert event.said == []  # the game of the others has not been played
    for _ in range(2):
        claim = await event.store.claim("w", 60, free={"dominoes": ["bot1", "bot2"]})
        await event.arena.finish(claim, WON)
    await event.over()
    assert len([line for line in event.said if line.startswith("bot3 did not come: it forfeits against")]) == 2


async def test_a_pause_takes_off_what_has_not_begun_and_an_event_goes_on_as_if_there_had_been_none(world, store):
    event = await world(3)
    await event.finish()
    await event.tournament.pause()
    await event.over()
    assert not event.tournament.over
    row = await store.tournament(event.number)
    assert (row.stage, row.scheduled, row.finished) == ("paused", 0, 1)
    await store.set_stage(event.number, "running", only_from={"paused"})
    tournament, said = await play(store, event.number)
    assert tournament.over
    assert next(line for line in said if line.startswith("Started")) == "Started game 2 of 6 (bot3 vs bot2)"
    assert (await store.tournament(event.number)).finished == 6


async def test_what_is_played_when_an_event_is_called_off_gets_no_result(world):
    event = await world(3)
    claim = await event.store.claim("w", 60)
    for begun in event.arena.on_start:
        begun(claim.match)
    await event.says(f"Started game 1 of 6 ({' vs '.join(claim.setup.bots)})")
    await event.tournament.cancel()
    await event.over()
    assert event.arena.called_off == [claim.match]
    row = await event.store.tournament(event.number)
    assert (row.stage, row.scheduled, row.running, row.aborted) == ("cancelled", 0, 0, 1)


async def test_more_rounds_are_played_where_the_format_has_them(world):
    event = await world(2)
    await event.tournament.extend(2)
    for _ in range(4):
        await event.scheduled()
        await event.finish()
    await event.over()
    row = await event.store.tournament(event.number)
    assert (row.rules["rounds"], row.finished) == (2, 4)


async def test_a_late_entry_is_paired(world):
    event = await world(2)
    await event.tournament.enter(Entry("late", 3, joined=2))
    played = 0
    while not event.tournament.over and played < 6:
        await event.scheduled()
        await event.finish()
        played += 1
        await asyncio.sleep(0.01)
    await event.over()
    assert played == 6


async def test_a_database_that_does_not_answer_ends_nothing_and_is_told_once(world, monkeypatch):
    event = await world(2)
    asked = event.store._store.tournament
    away = True

    async def tournament(number):
        if away:
            raise Unavailable("cannot reach the database")
        return await asked(number)

    monkeypatch.setattr(event.store._store, "tournament", tournament)
    await event.says("cannot reach the database; play goes on, results wait")
    await asyncio.sleep(0.1)
    away = False
    await event.finish()
    await event.finish()
    await event.over()
    assert event.said.count("cannot reach the database; play goes on, results wait") == 1


@pytest.mark.parametrize("asked", ["event_matches", "record", "match"])
async def test_a_database_that_is_away_while_another_server_ends_a_match_ends_nothing(world, monkeypatch, asked):
    """Each read that follows the news of another server waits for the database."""
    monkeypatch.setattr(running_tournament, "LOOK_S", 60)  # no look, which waits for the database by itself
    event = await world(2)
    tries, real = 0, getattr(event.store._store, asked)

    async def away_for_a_while(*args, **named):
        nonlocal tries
        tries += 1
        if tries <= 3:
            raise Unavailable("cannot reach the database")
        return await real(*args, **named)

    await event.scheduled()
    claim = await event.store.claim("other", 60)
    if asked == "match":
        await event.store.abort(claim.match, "called off by hand")
    else:
        await event.store.finish(claim, record_of(claim, WON))
    monkeypatch.setattr(event.store._store, asked, away_for_a_while)
    for told in event.arena.on_remote:
        told(claim.match, True)
    await event.finish()
    await event.over()
    assert event.tournament.row.stage == "finished"
    assert tries > 3


async def test_news_of_another_server_that_come_while_the_event_is_read_are_heard(world, store, monkeypatch):
    monkeypatch.setattr(running_tournament, "LOOK_S", 60)  # no look, which would find the result by itself
    former = await world(2)
    claim = await former.store.claim("other", 60)
    former.task.cancel()
    await asyncio.gather(former.task, return_exceptions=True)
    event, read = World(store, former.lobby), KeptEvent.read

    async def read_and_hear(*args):
        kept = await read(*args)
        await store.finish(claim, record_of(claim, WON))
        for told in event.arena.on_remote:
            told(claim.match, True)
            told("a-match-of-others", True)
        return kept

    monkeypatch.setattr(KeptEvent, "read", read_and_hear)
    await event.begin(former.number)
    await event.finish()
    await event.over()
    assert event.tournament.row.stage == "finished"


async def test_what_somebody_else_does_with_the_event_is_seen(world, store):
    event = await world(3)
    await store.set_stage(event.number, "paused", only_from={"running"})
    await event.over()
    assert event.tournament.row.stage == "paused"


async def test_two_that_direct_one_event_plan_each_encounter_once(store):
    number = await new_event(store, "dominoes", 6, "round_robin", {"rounds": 2})
    first, second = await asyncio.gather(play(store, number), play(store, number, worker="other"))
    assert first[0].over or second[0].over
    matches = await store.event_matches(number)
    assert len({(match.encounter, match.game) for match in matches}) == len(matches) == 60
    assert await store.recount() == []


async def test_an_unknown_event_leaves_no_listener(store):
    arena = FakeArena(store, None)
    with pytest.raises(ValueError, match="there is no tournament 9"):
        await RunningTournament.open(store, arena, Lobby(), 9, say=print)
    assert arena.on_start == arena.on_result == []


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "knockout", "gauntlet", "groups"])
async def test_a_result_that_is_voided_meanwhile_counts_as_a_game_that_was_called_off(world, format_):
    event = await world(4, format_)
    suspicious = await event.finish()
    await event.finish()
    while event.tournament.progress.finished < 2:  # noqa: ASYNC110  what it counts has no event
        await asyncio.sleep(0.001)
    assert await event.store.void(suspicious.match, "rigged")
    await event.says("1 games are void or were called off")
    assert event.tournament.progress.finished == 1
    for _ in range(40):
        claim = await event.store.claim("w", 60)
        if claim is not None:
            await event.arena.finish(claim, WON)
        await asyncio.sleep(0.02)
        if event.task.done():
            break
    await event.over()
    row = await event.store.tournament(event.number)
    assert (row.stage, row.aborted) == ("finished", 1)
    assert event.tournament.progress.finished == row.finished


# --- bots that cannot be started --------------------------------------------------------------------------------------


async def finish_without(event, *broken, result=WON):
    """Play the matches of the others as an arena does, to which the broken bots never come."""
    while not event.task.done():
        waiting = await event.store.waiting(100, tournament=event.number)
        playable = [each.match for each in waiting if not set(broken) & set(each.bots)]
        for claim in await event.store.claim_these("w", 60, playable):
            await event.arena.finish(claim, result)
        await asyncio.sleep(0.001)
    await event.over()


def forfeits(event):
    return [(each.bots, set(each.forfeits)) for each in event.tournament.event.encounters]


@pytest.mark.parametrize(
    ("format_", "rules", "bots", "game"),
    [
        ("round_robin", {}, 4, "dominoes"),
        ("gauntlet", {}, 4, "dominoes"),
        ("swiss", {"rounds": 3}, 5, "dominoes"),
        ("knockout", {}, 4, "dominoes"),
        ("groups", {"groups": 2}, 6, "dominoes"),
        ("swiss", {"rounds": 2}, 4, "chexers_solo"),
    ],
)
async def test_a_bot_that_cannot_be_started_loses_all_its_games_by_forfeit(world, format_, rules, bots, game):
    event = await world(bots, format_, rules, game, broken={"bot2"})
    event.tournament.event.broken = {"bot2": "it has no licence"}
    result = WON if game == "dominoes" else None
    event.arena.score = lambda claim: [1.0, 0.0]
    await finish_without(event, "bot2", result=result)
    shown = [(set(bots), gave_up) for bots, gave_up in forfeits(event) if gave_up]
    assert shown
    assert all(gave_up == {"bot2"} and "bot2" in bots for bots, gave_up in shown)
    standings = {line.bot: line for line in event.tournament.format.standings(event.tournament.event)}
    assert (standings["bot2"].points, standings["bot2"].wins) == (0, 0)
    assert standings["bot2"].losses > 0
    assert not any(line.left for line in standings.values())
    assert sum(line.wins for line in standings.values()) >= standings["bot2"].losses
    assert event.tournament.row.stage == "finished"


async def test_a_round_robin_forfeits_last_so_that_a_repaired_bot_plays_when_it_is_resumed(world, store):
    event = await world(3, rules={"rounds": 2}, broken={"bot2"})
    for _ in range(5):
        await asyncio.sleep(0.02)  # looks several times
    assert not any(gave_up for _, gave_up in forfeits(event))
    event.task.cancel()
    again = World(store, Lobby())
    await again.begin(event.number)
    await finish_without(again)
    assert not any(gave_up for _, gave_up in forfeits(again))
    assert (await store.tournament(event.number)).finished == 12


async def test_heats_are_run_without_it_and_a_bot_that_is_left_alone_wins_them(world):
    event = await world(4, game="chexers_solo", rules={"rounds": 2}, broken={"bot2"})
    event.arena.score = lambda claim: [float(seat) for seat in range(len(claim.setup.bots))]
    await finish_without(event, "bot2", result=None)
    assert [set(bots) for bots, _ in forfeits(event)] == [{"bot1", "bot3", "bot4"}] * 2
    event = await world(3, game="chexers_solo", rules={"rounds": 2}, broken={"bot1", "bot3"})
    event.tournament.event.broken = dict.fromkeys(("bot1", "bot3"), "why")
    await finish_without(event, "bot1", "bot3", result=None)
    points = {line.bot: line.points for line in event.tournament.format.standings(event.tournament.event)}
    assert points["bot2"] > points["bot1"] == points["bot3"] == 0


async def test_why_a_bot_cannot_be_started_is_kept_when_that_is_found_out_later(world, store):
    event = await world(3)
    event.arena.needs_bots = False  # a cluster, which is given every match
    await event.tournament.give_up("bot2", "it has no licence")
    await finish_without(event, "bot2")
    assert (await store.tournament(event.number)).settings["broken"] == {"bot2": "it has no licence"}
    met = [gave_up for bots, gave_up in forfeits(event) if "bot2" in bots and len(bots) == 2]
    assert met == [{"bot2"}] * 2
    assert event.tournament.broken == {"bot2"}


async def test_the_faults_of_an_event_are_read_from_its_records_and_why_a_bot_left_is_kept(world):
    event = await world(3)
    await event.finish(CRASHED)
    await event.scheduled()
    await event.finish(WON)
    assert await event.tournament.withdraw("bot3", reason="made no move in 3 matches")
    while (await event.store.tournament(event.number)).scheduled:
        await event.scheduled()
        await event.finish(WON)
    await event.over()
    stored = await stored_event(event.store, event.number)
    assert stored.event.given_up == event.tournament.event.given_up == {"bot3": "made no move in 3 matches"}
    seen = []
    given_up, crash = await event_faults(event.store, stored.event, seen=seen.append)
    assert (given_up.bot, given_up.reason, given_up.sentence) == ("bot3", "given up", "made no move in 3 matches")
    assert (crash.reason, crash.sentence, crash.games, crash.game) == ("crashed", "KeyError: 1", 1, 1)
    assert [record.match for record in seen] == [crash.match]
    assert crash.bot == seen[0].setup.bots[0]
    assert crash.against == (seen[0].setup.bots[1],)
    [_, unexplained] = await event_faults(event.store, stored.event, most=0)
    assert (unexplained.bot, unexplained.reason, unexplained.sentence) == (crash.bot, "crashed", "")
    assert unread(stored.event, most=0) == (
        "of the faults in 1 games the first 0 are explained, the others have their reason only"
    )
    assert unread(stored.event) == ""
