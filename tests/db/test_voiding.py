"""A void match counts for nothing: the store is as if it had never been, but for its record, which says so."""

import asyncio

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from palio_db.errors import NotFound, StoreError
from palio_db.event_values import EncounterRow, Plan, TournamentDraft
from palio_db.match_search import MatchQuery
from palio_db.notices import RESULTS
from palio_db.store import Store
from palio_db.values import Actor, Rating
from palio_rules.contract.messages import Info
from palio_rules.records.record import Ply, RejectedMove

BOTS = ("anna", "ben", "cleo", "dora")
STAFF = Actor("command line (eve)")

results = st.lists(
    st.tuples(
        st.lists(st.sampled_from(BOTS), min_size=1, max_size=3, unique=True).map(tuple),
        st.sampled_from([(1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.0, 1.0, 0.25)]),
        st.sampled_from(["rule", "time", "illegal"]),
        st.booleans(),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=14,
)


async def played(store, make, bots, scores, termination, rated, seat):
    await store.schedule(make.setup(*bots, rated=rated))
    claim = await store.claim("worker", 30)
    scores, seat = scores[: len(bots)], min(seat, len(bots) - 1)
    record = make.record(
        claim,
        scores,
        plies=[Ply(each, [1, 1], 7 + 3 * each, asked(bot)) for each, bot in enumerate(bots)],
        refusals=[RejectedMove(0, seat, "x", "off-board", "off")] if termination == "illegal" else (),
        termination=termination,
        seat=None if termination == "rule" else seat,
    )
    await store.finish(claim, record)
    return claim.match


def asked(bot):
    """What cleo and dora, who are language models, say of a move."""
    told = {"cleo": Info(tokens_in=900, tokens_out=31, cost=0.1 / 3, latency_ms=1234), "dora": Info(latency_ms=70)}
    return told.get(bot)


async def sums(store):
    """Everything that is counted of nim."""
    board = await store.leaderboard("nim")
    return {
        "board": [msgspec.structs.asdict(line) | {"points": pytest.approx(line.points)} for line in board.leaders],
        "games": await store.rated_games(),
        "pairs": await store.head_to_head("nim"),
        "history": [pair for _, pair in await store.history("nim")],
        "newest": [pair for _, pair in await store.history("nim", 3)],
        "bots": [
            (
                [(one.game, one.games, one.of, one.cost_total) for one in await store.standings(bot)],
                await store.outcomes(bot),
                await store.form(bot, "nim", 10),
                [one.bot for one in await store.opponents(bot, "nim")],
                len(await store.newest_records(bot, "nim", 20)),
            )
            for bot in BOTS
        ],
    }


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(results, st.data())
async def test_a_sequence_of_results_with_one_void_is_the_sequence_without_it(make, sequence, data):
    void = data.draw(st.integers(0, len(sequence) - 1))
    later = data.draw(st.integers(void, len(sequence) - 1))  # after which result it is voided
    async with await Store.open("sqlite://") as store, await Store.open("sqlite://") as without:
        for number, result in enumerate(sequence):
            match = await played(store, make, *result)
            if number == void:
                suspicious = match
            else:
                await played(without, make, *result)
            if number == later:
                assert await store.void(suspicious, "it was rigged")
        assert await sums(store) == await sums(without)
        assert await store.recount() == []


async def test_it_stays_with_its_record_which_says_why_by_whom_and_when(store, make):
    match = await make.play(store)
    other = await make.play(store, scores=(0.0, 1.0))
    before = await store.record(match)
    assert await store.void(match, "  both had the same author ", by=STAFF)
    record, row = await store.record(match), await store.match(match)
    assert (record.plies, record.result, record.setup) == (before.plies, before.result, before.setup)
    assert (record.void.reason, record.void.by) == ("both had the same author", "command line (eve)")
    assert row.void == record.void
    assert (row.status, row.scores) == ("finished", (1.0, 0.0))
    assert (await store.match(other)).void is None
    assert [one.void is UNSET async for one in store.records()] == [False, True]
    assert [row.id for row in await store.search(MatchQuery(bot="anna", outcomes=["lost"]))] == [other]
    assert await store.search(MatchQuery(bot="anna", outcomes=["won"])) == []
    assert await store.recount() == []


async def test_to_void_again_changes_nothing_and_to_finish_again_counts_nothing(store, make):
    await store.schedule(make.setup())
    claim = await store.claim("worker", 30)
    record = make.record(claim)
    await store.finish(claim, record)
    assert await store.void(claim.match, "first")
    after, audit, changes = await sums(store), await store.audit(), await store.changes()
    assert not await store.void(claim.match, "second")
    await store.finish(claim, record)
    assert await sums(store) == after
    assert await store.audit() == audit
    assert await store.changes() == changes
    assert changes == {RESULTS + "nim": 1}
    assert (await store.record(claim.match)).void.reason == "first"


async def test_only_a_finished_match_can_be_voided(store, make):
    waiting = await store.schedule(make.setup())
    with pytest.raises(StoreError, match=f"match {waiting} is scheduled; only a finished match can be voided"):
        await store.void(waiting, "why")
    with pytest.raises(NotFound, match="there is no match 'nonsense'; palio match list shows them"):
        await store.void("nonsense", "why")
    with pytest.raises(StoreError, match="for a reason"):
        await store.void(waiting, " ")


async def test_whom_nobody_has_met_in_what_is_left_has_no_rating_but_what_all_begin_with(store, make):
    match = await make.play(store)
    await played(store, make, ("anna",), (1.0,), "rule", True, 0)
    await store.save_ratings("nim", {"anna": Rating(1800, 90, False), "ben": Rating(1200, 90, False)})
    await store.void(match, "why")
    [anna] = (await store.leaderboard("nim")).leaders
    assert (anna.bot, anna.rating, anna.provisional, anna.games) == ("anna", 1500, True, 1)
    await store.save_ratings("nim", {"ben": Rating(1200, 90, False)})  # computed before, and written after
    assert [line.bot for line in (await store.leaderboard("nim")).leaders] == ["anna"]


async def test_to_an_event_it_is_as_a_match_that_was_called_off(store, make):
    number = await store.create_event(TournamentDraft("cup", "nim", "round_robin", {}, {}))
    setup = make.setup()
    plan = [EncounterRow(1, Plan(1, 1, setup.bots, 2))]
    first, _ = await store.plan(number, plan, [(1, 0, setup), (1, 1, setup)], "cup")
    for _ in range(2):
        claim = await store.claim("worker", 30)
        await store.finish(claim, make.record(claim))
    await store.void(first, "why")
    assert [(one.status, one.scores) for one in await store.event_matches(number)] == [
        ("aborted", None),
        ("finished", (1.0, 0.0)),
    ]
    row = await store.tournament(number)
    assert (row.finished, row.aborted, row.total) == (1, 1, 2)


async def test_results_and_voids_at_the_same_time_add_up(store, make):
    matches = [await make.play(store) for _ in range(6)]
    claims = []
    for _ in range(12):
        await store.schedule(make.setup())
        claims.append(await store.claim("worker", 30))
    await asyncio.gather(
        *(store.finish(claim, make.record(claim)) for claim in claims),
        *(store.void(match, "why") for match in matches * 2),
    )
    assert await store.recount() == []
    assert [line.games for line in (await store.leaderboard("nim")).leaders] == [12, 12]
    assert {line.form for line in (await store.leaderboard("nim")).leaders} == {"W" * 10, "L" * 10}
