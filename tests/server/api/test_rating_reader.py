"""The advantage of the first move, and the history of ratings: of real results, and cached for a while."""

from datetime import UTC, datetime, timedelta

from palio_db.store import Store
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.api import rating_reader
from palio_server.api.rating_reader import RatingReader
from palio_server.arena.leaderboards import changed_ratings


async def play(store, game, bots, scores, moment=None):
    await store.schedule(Setup(game, bots))
    claim = await store.claim("w", 30)
    moment = moment or datetime.now(UTC)
    result = Result("rule", "no-moves", list(scores), None)
    await store.finish(claim, Record(claim.match, claim.setup, (Ply(0, [1], 1),), result, moment, moment))


async def rated(store, game):
    pairs = await store.head_to_head(game)
    await store.save_ratings(game, dict(changed_ratings(pairs, {})))
    return {leader.bot: leader for leader in (await store.leaderboard(game)).leaders}


async def test_who_moves_first_wins_more_and_the_last_point_is_todays_rating(monkeypatch):
    monkeypatch.setattr(rating_reader, "NEWEST", 30)
    async with await Store.open("sqlite://") as store:
        for number in range(40):
            bots = ("ann", "bob") if number % 2 else ("bob", "ann")
            await play(store, "breakthrough", bots, (0.0, 1.0) if number % 5 == 0 else (1.0, 0.0))
        now = await rated(store, "breakthrough")
        reader = RatingReader(store)
        board = await reader.leaderboard("breakthrough")
        assert board.first_move.games == 30
        assert board.first_move.elo > board.first_move.error > 0
        assert [leader.bot for leader in board.leaders] == [leader.bot for leader in now.values()]
        for bot, leader in now.items():
            points = (await reader.history("breakthrough", bot)).points
            assert len(points) == 30, "ten matches came before the newest, and count from the first point on"
            assert abs(points[-1].rating - leader.rating) < 0.01
            assert [point.at for point in points] == sorted(point.at for point in points)
        assert (await reader.history("breakthrough", "eve")).points == []


async def test_it_is_computed_once_in_a_while(monkeypatch):
    async with await Store.open("sqlite://") as store:
        await play(store, "breakthrough", ("ann", "bob"), (1.0, 0.0))
        await rated(store, "breakthrough")
        reader, asked = RatingReader(store), []

        async def history(game, newest):
            asked.append((game, newest))
            return []

        monkeypatch.setattr(store, "history", history)
        for _ in range(3):
            await reader.leaderboard("breakthrough")
        assert asked == [("breakthrough", rating_reader.NEWEST)]


async def test_a_table_of_three_has_no_first_move_and_nobody_has_no_games():
    async with await Store.open("sqlite://") as store:
        await play(store, "chexers", ("ann", "bob", "cid"), (1.0, 0.0, 0.0))
        await rated(store, "chexers")
        reader = RatingReader(store)
        assert (await reader.leaderboard("chexers")).first_move is None
        assert (await reader.leaderboard("breakthrough")).leaders == []


async def test_with_a_half_life_the_newest_results_count_most():
    async with await Store.open("sqlite://") as store:
        for days in (900, 800, 700, 3, 2):
            scores = (1.0, 0.0) if days > 100 else (0.0, 1.0)
            await play(store, "breakthrough", ("ann", "bob"), scores, datetime.now(UTC) - timedelta(days=days))
        await rated(store, "breakthrough")
        reader = RatingReader(store)
        assert [leader.bot for leader in (await reader.leaderboard("breakthrough")).leaders] == ["ann", "bob"]
        faded = (await reader.leaderboard("breakthrough", 30)).leaders
        assert [(leader.rank, leader.bot, leader.wins) for leader in faded] == [(0, "bob", 2), (0, "ann", 3)]
