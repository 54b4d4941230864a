"""Results: counted once, whole or not at all, whatever happens at the same time."""

import asyncio
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_event import made_event
from sqlalchemy import text

from palio_db.errors import LeaseLost, StoreError
from palio_db.store import Store
from palio_db.values import JournalEntry, PairScore
from palio_rules.records.record import Ply, RejectedMove


async def claimed(store, make, *bots, game="nim"):
    await store.schedule(make.setup(*bots, game=game))
    claim = await store.claim("worker", 30, free={game: bots})
    assert claim is not None
    return claim


async def count(store, table):
    async with store._database.read() as connection:
        return await connection.scalar(text(f"SELECT count(*) FROM {table}"))


async def test_a_finished_match_is_remembered_whole(store, make):
    claim = await claimed(store, make, "anna", "ben")
    refusal = RejectedMove(
        1, 1, "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16") + "\0", "bad", "no 'move'"
    )
    record = make.record(claim, (0.0, 1.0), refusals=[refusal])
    await store.finish(claim, record)
    assert await store.record(claim.match) == record
    row = await store.match(claim.match)
    assert (row.status, row.scores, row.termination, row.reason, row.plies) == (
        "finished", (0.0, 1.0), "rule", "last-stone", 2
    )  # fmt: skip
    assert (row.started_at, row.finished_at) == (record.started_at, record.finished_at)


async def test_a_result_reaches_scores_and_counters(store, make):
    claim = await claimed(store, make, "zoe", "anna")
    refusals = [RejectedMove(0, 0, "x", "bad", "no"), RejectedMove(0, 0, "y", "bad", "no")]
    plies = [Ply(0, 1, 30), Ply(1, 1, 100), Ply(0, 1, 50)]
    record = make.record(claim, (0.0, 1.0), plies=plies, refusals=refusals, termination="time", seat=0)
    await store.finish(claim, record)
    winner, loser = (await store.leaderboard("nim")).leaders
    assert (winner.bot, winner.games, winner.wins, winner.points, winner.mean_ms, winner.form) == (
        "anna", 1, 1, 1.0, 100.0, "W"
    )  # fmt: skip
    assert (loser.bot, loser.losses, loser.illegal_moves, loser.time_losses, loser.mean_ms, loser.form) == (
        "zoe", 1, 2, 1, 40.0, "L"
    )  # fmt: skip
    assert await store.head_to_head("nim") == [PairScore("anna", "zoe", 1, 0, 0)]


async def test_the_journal_of_a_finished_match_goes(store, make):
    claim = await claimed(store, make, "anna", "ben")
    other = await claimed(store, make, "cleo", "dan")
    await store.journal([JournalEntry(one.match, one.epoch, 1, Ply(0, 1, 1)) for one in (claim, other)])
    await store.finish(claim, make.record(claim))
    assert await count(store, "journal") == 1


async def test_finishing_again_with_the_same_record_counts_once(store, make):
    claim = await claimed(store, make, "anna", "ben")
    for _ in range(3):
        await store.finish(claim, make.record(claim))
    assert [leader.games for leader in (await store.leaderboard("nim")).leaders] == [1, 1]
    assert await store.recount() == []


async def test_another_result_of_a_finished_match_is_refused(store, make):
    claim = await claimed(store, make, "anna", "ben")
    await store.finish(claim, make.record(claim))
    with pytest.raises(LeaseLost, match="is finished under epoch 1"):
        await store.finish(claim, make.record(claim, (0.0, 1.0)))
    assert (await store.match(claim.match)).scores == (1.0, 0.0)


async def test_a_result_of_the_wrong_shape_changes_nothing(store, make):
    claim = await claimed(store, make, "anna", "ben")
    other = await claimed(store, make, "cleo", "dan")
    with pytest.raises(StoreError, match="2 seats, but 3 scores"):
        await store.finish(claim, make.record(claim, (1.0, 0.0, 0.0)))
    with pytest.raises(StoreError, match="finite"):
        await store.finish(claim, make.record(claim, (float("nan"), 0.0)))
    with pytest.raises(StoreError, match="cannot finish match"):
        await store.finish(claim, make.record(other))
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        await store.finish(claim, make.record(claim, plies=[Ply(0, "\ud800", 1)]))
    assert (await store.match(claim.match)).status == "running"
    assert (await store.leaderboard("nim")).leaders == []


async def test_a_record_of_other_seats_than_the_match_has_is_refused(store, make):
    claim = await claimed(store, make, "anna", "ben")
    other = await claimed(store, make, "cleo", "dan")
    forged = type(claim)(claim.match, claim.epoch, other.setup)
    with pytest.raises(StoreError, match="was set up otherwise"):
        await store.finish(forged, make.record(forged))
    assert (await store.match(claim.match)).status == "running"


async def test_an_aborted_match_leaves_no_trace_in_the_scores(store, make):
    claim = await claimed(store, make, "anna", "ben")
    await store.journal([JournalEntry(claim.match, claim.epoch, 1, Ply(0, 1, 1))])
    assert await store.abort(claim.match, "nobody-ready")
    assert not await store.abort(claim.match, "again")
    row = await store.match(claim.match)
    assert (row.status, row.reason, row.scores) == ("aborted", "nobody-ready", None)
    assert [await count(store, table) for table in ("journal", "pair_scores", "ratings")] == [0, 0, 0]
    with pytest.raises(LeaseLost, match="is aborted"):
        await store.finish(claim, make.record(claim))


async def test_a_finished_match_cannot_be_aborted(store, make):
    match = await make.play(store, "anna", "ben")
    assert not await store.abort(match, "too late")
    assert not await store.abort("no-such-match", "nothing")


async def test_a_match_of_three_counts_every_pair(store, make):
    await make.play(store, "red", "green", "blue", scores=(0.5, 1.0, 0.5))
    assert await store.head_to_head("nim") == [
        PairScore("blue", "green", 0, 0, 1),
        PairScore("blue", "red", 0, 1, 0),
        PairScore("green", "red", 1, 0, 0),
    ]
    forms = {leader.bot: leader.form for leader in (await store.leaderboard("nim")).leaders}
    assert forms == {"green": "W", "red": "L", "blue": "L"}


async def test_a_match_alone_counts_as_a_game_without_opponents(store, make):
    await make.play(store, "solver", scores=(42.5,))
    [leader] = (await store.leaderboard("nim")).leaders
    assert (leader.games, leader.points, leader.wins + leader.draws + leader.losses, leader.form) == (1, 42.5, 0, "")
    assert await store.head_to_head("nim") == []


async def test_concurrent_results_of_the_same_bots_lose_nothing(url, make):
    """Overlapping bots in every order of seats: the transactions that would deadlock if they locked as they liked."""
    bots = ["anna", "ben", "cleo", "dan"]
    async with await Store.open(url) as first, await Store.open(url) as second:
        pairs = [pair for a, b in combinations(bots, 2) for pair in ((a, b), (b, a))] * 6
        await made_event(first, "rush", "nim", {}, [(0, make.setup(*pair)) for pair in pairs])

        async def worker(number):
            store = (first, second)[number % 2]
            while claim := await store.claim(f"w{number}", 30):
                await store.finish(claim, make.record(claim))

        await asyncio.gather(*map(worker, range(8)))
        assert await first.recount() == []
        scores = await first.head_to_head("nim")
        leaders = (await first.leaderboard("nim")).leaders
    assert [(pair.wins, pair.losses) for pair in scores] == [(6, 6)] * 6
    assert [leader.games for leader in leaders] == [36] * 4


async def test_a_finish_that_is_cancelled_counts_wholly_or_not_at_all(store, make):
    claims = [await claimed(store, make, "anna", "ben") for _ in range(20)]
    for number, claim in enumerate(claims):
        finishing = asyncio.create_task(store.finish(claim, make.record(claim)))
        await asyncio.sleep(number * 0.0005)
        finishing.cancel()
        await asyncio.gather(finishing, return_exceptions=True)
    assert await store.recount() == []
    for claim in claims:
        await store.finish(claim, make.record(claim))
    assert [leader.games for leader in (await store.leaderboard("nim")).leaders] == [20, 20]


BOTS = ["anna", "ben", "cleo", "dan"]
results = st.lists(
    st.permutations(BOTS).flatmap(
        lambda order: st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4).map(
            lambda scores: list(zip(order, scores, strict=False))
        )
    ),
    max_size=12,
)


def recount(matches):
    """What the scores should be, as a first-year student would count."""
    pairs, forms, points = {}, {}, {}
    for match in matches:
        for bot, score in match:
            others = [other for name, other in match if name != bot]
            if others:
                letter = "W" if score > max(others) else "D" if score == max(others) else "L"
                forms[bot] = (forms.get(bot, "") + letter)[-10:]
            points[bot] = points.get(bot, 0) + score
        for (a, x), (b, y) in combinations(sorted(match), 2):
            wins, draws, losses = pairs.get((a, b), (0, 0, 0))
            pairs[a, b] = (wins + (x > y), draws + (x == y), losses + (x < y))
    return pairs, forms, points


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(matches=results)
async def test_scores_are_what_a_naive_recount_gives(store, make, matches):
    game = f"game-{await count(store, 'tournaments')}"
    await made_event(store, "one for each example", game, {}, [])
    for match in matches:
        bots, scores = zip(*match, strict=True)
        await make.play(store, *bots, scores=scores, game=game)
    pairs, forms, points = recount(matches)
    assert {(p.first, p.second): (p.wins, p.draws, p.losses) for p in await store.head_to_head(game)} == pairs
    leaders = (await store.leaderboard(game)).leaders
    assert {leader.bot: leader.points for leader in leaders} == points
    assert {leader.bot: leader.form for leader in leaders if leader.form} == forms
    assert await store.recount() == []
