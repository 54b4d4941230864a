"""The recount finds what is wrong with the sums."""

import msgspec
from sqlalchemy import text

from palio_rules.contract.messages import Info
from palio_rules.records.record import Ply


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


async def test_what_a_language_model_has_cost_is_counted_again(store, make):
    told = Info(tokens_in=900, tokens_out=31, cost=0.0123, latency_ms=1234)
    await make.play(store, plies=[Ply(0, [1, 1], 5, told), Ply(1, [1, 1], 5), Ply(0, [1, 1], 5, told)])
    assert await store.recount() == []
    await tamper(store, "UPDATE ratings SET cost_nano = cost_nano + 1, asked_plies = 0 WHERE bot = 'anna'")
    assert await store.recount() == [
        "ratings of nim anna: asked_plies is 0, the records say 2",
        "ratings of nim anna: cost_nano is 2.46e+07, the records say 2.46e+07",
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


async def test_a_match_to_which_a_bot_did_not_come_has_a_result_and_counts_for_nothing(store, make):
    await make.play(store)
    before = await store.leaderboard("nim"), await store.head_to_head("nim"), await store.history("nim")
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30)
    record = msgspec.structs.replace(make.record(claim, plies=(), termination="stalled", seat=1), absent=(1,))
    assert (await store.match(claim.match)).rated
    await store.finish(claim, record)
    await store.finish(claim, record)  # as after a crash
    row = await store.match(claim.match)
    assert (row.rated, row.scores, row.setup.rated) == (False, (1.0, 0.0), True)
    assert (await store.record(claim.match)).absent == (1,)
    after = await store.leaderboard("nim"), await store.head_to_head("nim"), await store.history("nim")
    assert after == before
    assert await store.recount() == []
    assert await store.void(claim.match, "it was never played")
    assert (await store.leaderboard("nim"), await store.head_to_head("nim"), await store.history("nim")) == before
    assert await store.recount() == []
