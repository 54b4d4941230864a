"""A rating is of a game with the settings that make another game of it; an upgrade separates what was together."""

from palio_db.address import Address
from palio_db.database import Database
from palio_db.match_search import MatchQuery
from palio_db.schema import HEAD
from palio_db.store import Store
from palio_db.upgrades import Upgrade, migrate
from palio_db.values import PairScore
from palio_rules.records.record import Setup

SMALL, LARGE = {"size": 9, "komi": 6.5}, {"size": 19, "cleanup": "none"}
CUP = "go:size=19"


async def play(store, make, options, scores=(1.0, 0.0), bots=("anna", "ben")):
    await store.schedule(Setup("go", bots, options))
    claim = await store.claim("worker", 30)
    await store.finish(claim, make.record(claim, scores))
    return claim.match


async def play_both(store, make):
    """Two matches on the board of nine lines, which anna wins; two on that of nineteen, which ben and dora win."""
    return [
        await play(store, make, SMALL),
        await play(store, make, LARGE, (0.0, 1.0)),
        await play(store, make, {}),
        await play(store, make, LARGE, (0.0, 1.0), ("cleo", "dora")),
    ]


async def sums(store):
    """All that is counted of both boards."""
    boards = [await store.leaderboard(board) for board in await store.rated_games()]
    pairs = {board.game: await store.head_to_head(board.game) for board in boards}
    bots = ("anna", "ben", "cleo", "dora")
    return boards, pairs, [await store.outcomes(bot) for bot in bots], [await store.form("ben", CUP, 9)]


async def test_results_on_another_board_count_for_that_boards_ratings_alone(store, make):
    small, large, plain, _ = await play_both(store, make)
    assert await store.rated_games() == ["go", CUP]
    assert await store.head_to_head("go") == [PairScore("anna", "ben", 2, 0, 0)]
    assert await store.head_to_head(CUP) == [PairScore("anna", "ben", 0, 0, 1), PairScore("cleo", "dora", 0, 0, 1)]
    assert [leader.bot for leader in (await store.leaderboard(CUP)).leaders if leader.wins] == ["ben", "dora"]
    for newest in (None, 9):
        assert [pair.losses for _, pair in await store.history(CUP, newest)] == [1, 1]
        assert [pair.wins for _, pair in await store.history("go", newest)] == [1, 1]
    assert [record.match for record in await store.newest_records("anna", CUP, 9)] == [large]
    assert await store.recount() == []

    async def found(**asked):
        return [row.id for row in await store.search(MatchQuery(game="go", **asked))]

    assert await found(board=CUP, bot="anna") == [large]
    assert len(await found(board=CUP)) == 2
    assert await found(board="go") == [plain, small]
    assert await found(bot="ben", outcomes=("won", "lost")) == [plain, large, small]
    assert await found(bot="ben", against="anna", board=CUP) == [large]


async def test_an_upgrade_moves_what_an_older_palio_added_together(url, make, monkeypatch, tmp_path):
    database = Database(Address.parse(url))
    await database.prepare()
    async with database.write() as connection:
        await connection.run_sync(migrate, "0018")
    async with await Store.open(url) as store:
        with monkeypatch.context() as older:
            older.setattr(Setup, "leaderboard", property(lambda setup: setup.game))
            matches = await play_both(store, make)
        assert await store.rated_games() == ["go"]
        assert await store.void(matches[1], "a mistake")  # before the upgrade it is taken from where it was added
        assert await store.head_to_head("go") == [PairScore("anna", "ben", 2, 0, 0), PairScore("cleo", "dora", 0, 0, 1)]
        assert await store.unvoid(matches[1])
        assert await store.void(matches[2], "another")
        assert await store.recount() == []
        await Upgrade(url).run(HEAD)
        assert await store.recount() == []
        upgraded = await sums(store)
    await database.close()
    async with await Store.open(f"sqlite:///{tmp_path}/new.db") as store:
        matches = await play_both(store, make)
        await store.void(matches[2], "another")
        assert upgraded == await sums(store)


async def test_a_bot_that_is_renamed_keeps_its_results_on_each_board(store, make):
    await store.add_bot("anna", "owner")
    await play_both(store, make)
    await store.rename_bot("anna", "zoe")
    while (await store.move_names()).matches:
        pass
    for board in ("go", CUP):
        assert "zoe" in {leader.bot for leader in (await store.leaderboard(board)).leaders}
    assert await store.recount() == []
