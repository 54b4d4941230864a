"""The ladder's loop: idle bots are paired again and again, absent ones hold up no other bot."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from types import SimpleNamespace

import pytest

from palio_db.values import Leader, Leaderboard, MatchRow
from palio_rules.contract.messages import Result
from palio_rules.records.record import Record, Setup
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl
from palio_server.arena import ladder
from palio_server.arena.ladder import RESTED, Ladder
from palio_server.tournament.ladder_pairing import book_of
from palio_server.tournament.round_robin import heat

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

TIME = TimeControl.parse("5")


@asynccontextmanager
async def climbing(world, known=(), boards=(), asked=()):
    """The ladder and its arena at work; `known` bots have played before."""
    leaders = [Leader(1, bot, 1500.0, 99.0, False, 9, 5, 0, 4, 5.0, 0, 0, 10.0, "WL") for bot in known]

    async def leaderboard(game):
        if isinstance(asked, list):
            asked.append(game)
        return Leaderboard(game, leaders)

    world.store.leaderboard = leaderboard
    matchmaker = Ladder(world.arena, world.lobby, world.store, TIME, rng=Random(1), draw=draw_at_once, boards=boards)
    task = asyncio.create_task(matchmaker.run())
    async with world.open():
        yield matchmaker
        assert not task.done(), task.exception()
        task.cancel()
        await asyncio.wait([task])


async def draw_at_once(setup):
    """A thread has no place on virtual time."""
    return heat(setup)


def games_of(world):
    return Counter(bot for record in world.results for bot in record.setup.bots)


@pytest.mark.slow
async def test_idle_bots_are_paired_again_and_again(new_world):
    world = new_world(concurrency=8)
    for name in "abcde":
        world.bot(name, think=0.2)
    async with climbing(world):
        await asyncio.sleep(600)
    games = games_of(world)
    assert min(games.values()) > 50
    assert max(games.values()) - min(games.values()) < max(games.values()) * 0.4
    assert len({frozenset(record.setup.bots) for record in world.results}) == 10  # every bot has met every other
    assert {record.event for record in world.results} == {""}  # the test's store keeps no event
    assert {record.setup.time for record in world.results} == {TIME}


async def test_two_bots_alone_meet_again_with_seats_swapped(new_world):
    world = new_world()
    world.bot("a"), world.bot("b")
    async with climbing(world):
        await asyncio.sleep(60)
    firsts = Counter((record.setup.game, record.setup.bots[0]) for record in world.results)
    assert len(world.results) > 5
    assert all(abs(firsts[game, "a"] - firsts[game, "b"]) <= 1 for game, _ in firsts)


async def test_a_pair_meets_from_both_sides_with_one_opening_and_with_another_one_the_next_time(new_world):
    world = new_world()
    world.bot("a", games=["heap2"]), world.bot("b", games=["heap2"])
    size = book_of("heap2", 1).size
    async with climbing(world):
        await asyncio.sleep(200)
    setups = [record.setup for record in world.results][: 2 * size]
    encounters = list(zip(setups[::2], setups[1::2], strict=True))
    assert len(encounters) == size > 5
    assert all(here.opening == there.opening and here.bots == there.bots[::-1] for here, there in encounters)
    assert len({str(here.opening) for here, _ in encounters}) == len(encounters)
    assert len({setup.seed for setup in setups}) == len(setups)


@pytest.mark.parametrize(("known", "more"), [("", 0), ("a", 0), ("ab", 2)])
async def test_those_who_may_have_met_before_a_restart_do_not_begin_as_they_did_then(new_world, known, more):
    world = new_world()
    world.bot("a", games=["heap2"]), world.bot("b", games=["heap2"])
    async with climbing(world, known):
        await asyncio.sleep(10)
    plies = len(book_of("heap2", 1).opening(0).moves)
    assert {len(record.setup.opening) for record in world.results} == {plies + more}  # a random move of each seat


async def test_tables_are_filled_with_three_of_five_who_take_turns_in_all_seats(new_world):
    world = new_world(concurrency=8)
    for name in "abcde":
        world.bot(name, think=0.2, games=["heap3"])
    async with climbing(world):
        await asyncio.sleep(600)
    games = games_of(world)
    assert min(games.values()) > 20
    assert max(games.values()) - min(games.values()) < max(games.values()) * 0.4
    assert len({frozenset(record.setup.bots) for record in world.results}) == 10
    sat = Counter((bot, seat) for record in world.results for seat, bot in enumerate(record.setup.bots))
    for name in "abcde":
        assert max(sat[name, seat] for seat in range(3)) - min(sat[name, seat] for seat in range(3)) <= 5


@pytest.mark.slow
async def test_a_table_finds_its_bots_though_they_could_always_play_duels(new_world):
    world = new_world(concurrency=8)
    for number, name in enumerate("abcdefghi"):
        world.bot(name, think=0.5 + number / 7, games=["heap2", "heap3"] if name in "abc" else ["heap2"])
    async with climbing(world):
        await asyncio.sleep(600)
    tables = [record for record in world.results if record.setup.game == "heap3"]
    assert len(tables) > 25  # a dozen at most, where chance alone decides which game may choose first


@pytest.mark.slow
async def test_all_who_are_idle_run_one_heat_on_an_instance_of_its_own_again_and_again(new_world):
    world = new_world()
    for name in "abcd":
        world.bot(name, games=["chexers_solo"])
    async with climbing(world):
        await asyncio.sleep(80)
    assert len(world.results) > 2
    assert {frozenset(record.setup.bots) for record in world.results} == {frozenset("abcd")}
    boards = [record.setup.options["board"] for record in world.results]
    assert len(set(boards)) == len(boards)


async def test_two_boards_of_one_game_are_played_by_turns_each_by_its_own_ratings(new_world):
    world = new_world()
    asked = []
    for name in "abc":
        world.bot(name, games=["breakthrough"])
    async with climbing(world, asked=asked, boards=[Spec.parse("breakthrough:rows=5,cols=5"), Spec("breakthrough")]):
        await asyncio.sleep(200)
    played = Counter(record.setup.leaderboard for record in world.results)
    assert played.keys() == {"breakthrough:rows=5,cols=5", "breakthrough"} == {*asked}
    assert min(played.values()) > 4
    assert max(played.values()) - min(played.values()) <= max(played.values()) / 3


async def test_a_bot_alone_does_not_race_against_nobody(new_world):
    world = new_world()
    world.bot("a", games=["chexers_solo"])
    async with climbing(world):
        await asyncio.sleep(60)
    assert world.store.rows == {}


async def test_a_bot_that_leaves_before_its_match_holds_nobody_up(new_world):
    world = new_world()
    bots = {name: world.bot(name) for name in ("a", "b")}
    world.arena._next.claim = _nothing  # no match begins
    async with climbing(world):
        await asyncio.sleep(1)
        assert len(world.store.rows) == 2  # an encounter
        bots["a"].leave()
        world.bot("c")
        del world.arena._next.claim
        await asyncio.sleep(30)
    assert [world.store.rows[match].status for match in ("m000", "m001")] == ["aborted", "aborted"]
    assert games_of(world)["b"] > 2


async def test_a_database_that_is_away_is_waited_for(new_world):
    world = new_world()
    world.bot("a"), world.bot("b")
    world.store.down = True
    async with climbing(world):
        await asyncio.sleep(20)
        world.store.down = False
        await asyncio.sleep(20)
    assert world.results


async def test_a_crowd_is_paired_off_the_loop_and_scheduled_in_few_transactions(new_world, monkeypatch):
    in_thread, written = [], []

    async def to_thread(work, *args, **more):  # a thread has no place on virtual time
        in_thread.append(work)
        return work(*args, **more)

    monkeypatch.setattr(ladder.asyncio, "to_thread", to_thread)
    world = new_world(concurrency=150)
    for number in range(251):
        world.bot(f"bot{number}", think=30, games=["heap2"])
    schedule_many = world.store.schedule_many

    async def counted(setups, **more):
        written.append(len(setups))
        return await schedule_many(setups, **more)

    world.store.schedule_many = counted
    async with climbing(world):
        await asyncio.sleep(0.4)  # before any bot has lost on time
        assert len(in_thread) == 1
        assert written == [2 * ladder.SLICE, 2 * 25]  # an encounter of each pair
        assert len(world.arena.playing()) == 125


async def test_bots_whose_match_is_claimed_but_not_begun_are_not_paired_once_more(new_world):
    world = new_world()
    world.bot("a"), world.bot("b")

    async def leaders(game):
        return {}

    matchmaker = Ladder(world.arena, world.lobby, world.store, TIME, rng=Random(1), leaders=leaders)
    matches = await matchmaker.round()
    await world.store.claim_these("here", 30, matches)
    assert await matchmaker.round() == []
    assert len(await matchmaker.round()) == 2  # the server that has claimed it does not play it here


async def test_ratings_come_from_whoever_has_them_at_hand(new_world):
    world = new_world(concurrency=8)
    ratings = {"a": 1000.0, "b": 2000.0, "c": 1010.0, "d": 2010.0}
    for name in ratings:
        world.bot(name, think=1, games=["heap2"])

    async def leaders(game):
        return {name: SimpleNamespace(rating=rating, games=9) for name, rating in ratings.items()}

    matchmaker = Ladder(world.arena, world.lobby, world.store, TIME, rng=Random(1), leaders=leaders)
    matches = await matchmaker.round()
    assert {frozenset(world.store.rows[match].setup.bots) for match in matches} == {frozenset("ac"), frozenset("bd")}


async def _nothing(*_):
    return None


async def test_a_bot_that_never_gets_ready_is_rested_after_three_matches_and_nothing_of_them_is_rated(new_world):
    world = new_world()
    world.bot("a"), world.bot("mute", mute=True)
    async with climbing(world):
        await asyncio.sleep(600)
    assert len(world.results) == 3
    assert world.lobby.is_rested("mute")
    assert not world.lobby.is_rested("a")
    for record in world.results:
        assert record.absent == (record.setup.bots.index("mute"),)
        assert record.setup.rated
        assert not record.rated
    assert {bot.name: bot.rested for bot in world.lobby.connected()} == {"a": False, "mute": True}


async def test_the_others_play_on_and_are_rated_while_a_bot_is_rested(new_world):
    world = new_world()
    world.bot("a"), world.bot("b"), world.bot("mute", mute=True)
    async with climbing(world):
        await asyncio.sleep(900)
    missed = [record for record in world.results if "mute" in record.setup.bots]
    assert len(missed) == 3
    assert all(record.rated for record in world.results if record not in missed)
    assert len(world.results) > 20


async def test_two_bots_that_never_get_ready_are_both_rested_though_their_matches_have_no_result(new_world):
    world = new_world()
    world.bot("mute", mute=True), world.bot("deaf", mute=True)
    async with climbing(world):
        await asyncio.sleep(600)
    assert world.results == []
    reasons = [row.reason for row in world.store.rows.values()]
    assert len([reason for reason in reasons if reason.startswith("nobody was ready")]) == 3
    assert reasons[1::2] == [RESTED] * 3  # the other game of each encounter
    assert world.lobby.is_rested("mute")
    assert world.lobby.is_rested("deaf")


async def test_a_hello_wakes_a_rested_bot_and_one_missed_match_rests_it_again(new_world):
    world = new_world()
    world.bot("a")
    mute = world.bot("mute", mute=True)
    async with climbing(world):
        await asyncio.sleep(300)
        mute.leave()
        await asyncio.sleep(10)
        mute.join()
        await asyncio.sleep(300)
        assert len(world.results) == 4
        assert world.lobby.is_rested("mute")
        mute.mute = False
        mute.join()
        await asyncio.sleep(100)
    assert not world.lobby.is_rested("mute")
    assert all(record.rated for record in world.results[4:])
    assert len(world.results) > 9


async def test_any_message_wakes_a_rested_bot(new_world):
    world = new_world()
    world.bot("a")
    mute = world.bot("mute", mute=True)
    async with climbing(world):
        await asyncio.sleep(300)
        mute.mute = False
        mute.session.asides += 1  # as its connection counts what belongs to no match
        await asyncio.sleep(100)
    assert not world.lobby.is_rested("mute")
    assert len(world.results) > 9


async def test_a_rested_bot_that_plays_a_match_of_others_is_paired_again(new_world):
    world = new_world()
    world.bot("a")
    mute = world.bot("mute", mute=True)
    async with climbing(world):
        await asyncio.sleep(300)
        mute.mute = False
        await world.over(await world.arena.schedule(Setup("heap2", ("a", "mute"), {"stones": 6})))
        await asyncio.sleep(100)
    assert not world.lobby.is_rested("mute")
    assert len(world.results) > 9


async def test_a_bot_that_gets_ready_and_never_moves_is_rested_but_has_lost(new_world):
    world = new_world()
    world.bot("a"), world.bot("stuck", think=9999.0)
    async with climbing(world):
        await asyncio.sleep(600)
    assert len(world.results) == 3
    assert {record.result.termination for record in world.results} == {"time"}
    assert all(record.rated for record in world.results)
    assert world.lobby.is_rested("stuck")


async def test_at_a_table_of_three_a_bot_that_does_not_come_is_rested_too(new_world):
    world = new_world()
    world.bot("a", games=["heap3"]), world.bot("b", games=["heap3"])
    world.bot("mute", games=["heap3"], mute=True)
    async with climbing(world):
        await asyncio.sleep(600)
    assert len(world.results) == 3
    assert not any(record.rated for record in world.results)
    assert world.lobby.is_rested("mute")


@pytest.mark.slow
async def test_in_a_race_a_bot_that_does_not_come_is_rested_and_the_others_race_on(new_world):
    world = new_world()
    for name in "ab":
        world.bot(name, games=["chexers_solo"])
    world.bot("mute", games=["chexers_solo"], mute=True)
    async with climbing(world):
        await asyncio.sleep(300)
    missed = [record for record in world.results if "mute" in record.setup.bots]
    assert len(missed) == 3
    assert not any(record.rated for record in missed)
    others = [record for record in world.results if record not in missed]
    assert others
    assert all(record.rated for record in others)


async def test_what_other_servers_have_played_counts_as_well(new_world):
    world = new_world()
    world.bot("a"), world.bot("mute", mute=True)
    matchmaker = Ladder(world.arena, world.lobby, world.store, TIME, rng=Random(1), draw=draw_at_once)
    ends = [record_of_absence(0), record_of_absence(1), None]
    rows = {"m2": aborted_row("m2")}
    world.store.record, world.store.match = _answers(dict(zip(("m0", "m1", "m2"), ends, strict=True))), _answers(rows)
    for match in ("m0", "m1", "m2"):
        matchmaker._waiting[match] = ("a", "mute")
        matchmaker._hear_remote(match, over=False)
        matchmaker._hear_remote(match, over=True)
    await matchmaker._look_at_remote()
    assert world.lobby.is_rested("mute")
    assert not world.lobby.is_rested("a")


def _answers(known):
    async def answer(match):
        return known.get(match)

    return answer


MOMENT = datetime(2026, 11, 1, tzinfo=UTC)


def record_of_absence(minute):
    result, began = Result("stalled", "never-ready", [1.0, 0.0], 1), MOMENT + timedelta(minutes=minute)
    return Record("m", Setup("heap2", ("a", "mute")), (), result, began, began + timedelta(seconds=30), absent=(1,))


def aborted_row(match):
    setup = Setup("heap2", ("a", "mute"))
    later = MOMENT + timedelta(minutes=2)
    return MatchRow(
        match, "heap2", "aborted", setup.bots, None, setup, "", None, 0, later, later, later + timedelta(seconds=30),
        None, 1, None, "nobody was ready: seat 0 never-ready, seat 1 never-ready", None,
    )  # fmt: skip
