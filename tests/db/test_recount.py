"""The recount finds what is wrong with the sums."""

from sqlalchemy import text


async def tamper(store, statement):
    async with store._database.write() as connection:
        await connection.execute(text(statement))


async def test_sums_that_are_right_are_not_complained_of(store, make):
    assert await store.recount() == []
    for scores in ((1.0, 0.0), (0.5, 0.5)):
        await make.play(store, scores=scores)
    assert await store.recount() == []


async def test_every_wrong_number_is_named(store, make):
    await make.play(store)
    await tamper(store, "UPDATE pair_scores SET draws = 7")
    await tamper(store, "UPDATE ratings SET think_ms = 1 WHERE bot = 'ben'")
    assert await store.recount() == [
        "pair_scores of nim anna ben: draws is 7, the records say 0",
        "ratings of nim ben: think_ms is 1, the records say 50",
    ]


async def test_a_line_that_is_missing_or_made_up_is_named(store, make):
    await make.play(store)
    await tamper(store, "DELETE FROM pair_scores")
    await tamper(store, "INSERT INTO pair_scores VALUES ('go', 'x', 'y', 0, 0, 3)")
    assert await store.recount() == [
        "pair_scores of go x y: losses is 3, the records say 0",
        "pair_scores of nim anna ben: wins is 0, the records say 1",
    ]


async def test_a_match_that_is_not_rated_counts_for_nothing_and_is_not_missed(store, make):
    await make.play(store)
    board, pairs = await store.leaderboard("nim"), await store.head_to_head("nim")
    match = await make.play(store, rated=False)
    assert not (await store.match(match)).setup.rated
    assert await store.leaderboard("nim") == board
    assert await store.head_to_head("nim") == pairs
    assert len(await store.history("nim")) == len(await store.history("nim", 5)) == 1
    assert await store.recount() == []
    await tamper(store, "UPDATE ratings SET games = 2 WHERE bot = 'ben'")
    assert await store.recount() == ["ratings of nim ben: games is 2, the records say 1"]


async def test_the_newest_rated_matches_are_found_behind_others(store, make):
    await make.play(store)
    for _ in range(3):
        await make.play(store, rated=False)
    assert len(await store.history("nim", 2)) == 1
