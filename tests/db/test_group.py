"""One transaction for many callers: each has its own outcome, and the sums are those of all."""

import asyncio
import sqlite3

import psycopg
import pytest

from palio_db.connections import PostgresqlConnection, SqliteConnection
from palio_db.errors import LeaseLost, StoreError, Unavailable
from palio_db.values import JournalEntry, PairScore
from palio_rules.records.record import Ply

FAILURE = {
    SqliteConnection: sqlite3.OperationalError("disk I/O error"),
    PostgresqlConnection: psycopg.OperationalError("server closed the connection unexpectedly"),
}


async def claimed(store, make, *bots, game="nim"):
    await store.schedule(make.setup(*bots, game=game))
    claim = await store.claim("worker", 30)
    assert claim is not None
    return claim


@pytest.fixture
def commits(monkeypatch):
    """How often something was committed; and fails as often as `commits.append` says."""
    seen: list[str] = []
    for kind in FAILURE:

        def commit(self, real=kind.commit):
            seen.append("commit")
            real(self)

        monkeypatch.setattr(kind, "commit", commit)
    return seen


async def test_what_many_want_at_once_is_one_commit(store, make, commits):
    claims = [await claimed(store, make, f"a{n}", f"b{n}") for n in range(12)]
    ending, going_on = claims[:8], claims[8:]
    await store.schedule(make.setup())
    commits.clear()
    *_, released, held, claim = await asyncio.gather(
        *(store.finish(claim, make.record(claim)) for claim in ending),
        *(store.journal([JournalEntry(claim.match, 1, 1, Ply(0, 1, 1))]) for claim in claims),
        store.release(going_on[0]),
        store.renew(claims, 30),
        store.claim("worker", 30),
    )
    assert len(commits) == 1
    assert released
    assert claim is not None
    assert {each.match for each in going_on} >= held >= {each.match for each in going_on[1:]}
    again = await store.reclaim("worker", 30)
    assert {each.match: len(each.journal) for each in again if each.match != claim.match} == {
        each.match: 1 for each in going_on[1:]
    }
    assert await store.recount() == []


async def test_results_of_the_same_bots_in_one_group_add_up_in_their_order(store, make, commits):
    scores = [(1.0, 0.0)] * 7 + [(0.0, 1.0)] * 4 + [(0.5, 0.5)] * 2
    claims = [await claimed(store, make, "anna", "ben") for _ in scores]
    commits.clear()
    await asyncio.gather(*(store.finish(c, make.record(c, each)) for c, each in zip(claims, scores, strict=True)))
    assert len(commits) == 1
    assert await store.head_to_head("nim") == [PairScore("anna", "ben", 7, 2, 4)]
    forms = {leader.bot: leader.form for leader in (await store.leaderboard("nim")).leaders}
    assert forms == {"anna": "WWWWLLLLDD", "ben": "LLLLWWWWDD"}
    assert await store.recount() == []


async def test_who_is_refused_in_a_group_is_refused_alone(store, make):
    good, stale, strange, huge, forged = [await claimed(store, make, f"a{n}", f"b{n}") for n in range(5)]
    await store.release(stale)
    outcomes = await asyncio.gather(
        store.finish(stale, make.record(stale)),
        store.finish(good, make.record(good)),
        store.finish(strange, make.record(type(strange)(strange.match, 1, good.setup))),
        store.finish(huge, make.record(huge, plies=[Ply(0, 1, 2**70)])),
        store.journal([JournalEntry(forged.match, 1, 2**70, Ply(0, 1, 1))]),
        return_exceptions=True,
    )
    assert isinstance(outcomes[0], LeaseLost)
    assert outcomes[1] is None
    for outcome, words in zip(
        outcomes[2:], ("was set up otherwise", "cannot keep this", "cannot keep this"), strict=True
    ):
        assert isinstance(outcome, StoreError)
        assert not isinstance(outcome, Unavailable)  # to try again would be of no use
        assert words in str(outcome)
    assert [row.id for row in await store.matches(status="finished")] == [good.match]
    assert len(await store.matches(status="running")) == 3
    assert await store.recount() == []


async def test_one_match_finished_by_two_at_once_is_counted_once(store, make):
    claim = await claimed(store, make, "anna", "ben")
    outcomes = await asyncio.gather(
        *(store.finish(claim, make.record(claim)) for _ in range(3)),
        store.finish(claim, make.record(claim, (0.0, 1.0))),
        return_exceptions=True,
    )
    assert outcomes[:3] == [None] * 3
    assert isinstance(outcomes[3], LeaseLost)
    assert await store.recount() == []
    assert await store.head_to_head("nim") == [PairScore("anna", "ben", 1, 0, 0)]


async def test_a_commit_that_fails_fails_for_all_and_may_be_tried_again(store, make, monkeypatch):
    claims = [await claimed(store, make, f"a{n}", f"b{n}") for n in range(5)]
    for kind, failure in FAILURE.items():

        def commit(self, failure=failure):
            self.committing = True
            raise failure

        monkeypatch.setattr(kind, "commit", commit)
    finishing = [store.finish(claim, make.record(claim)) for claim in claims]
    outcomes = await asyncio.gather(*finishing, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 5
    assert len({str(outcome) for outcome in outcomes}) == 1
    monkeypatch.undo()
    assert await store.matches(status="finished") == []
    await asyncio.gather(*(store.finish(claim, make.record(claim)) for claim in claims))
    assert len(await store.matches(status="finished")) == 5
    assert await store.recount() == []


async def test_a_result_is_told_only_when_it_is_committed(store, make, monkeypatch):
    claim = await claimed(store, make, "anna", "ben")
    told, order = asyncio.Event(), []
    for kind in FAILURE:

        def commit(self, real=kind.commit):
            order.append(told.is_set())
            real(self)
            order.append("committed")

        monkeypatch.setattr(kind, "commit", commit)
    await store.finish(claim, make.record(claim))
    told.set()
    assert order == [False, "committed"]
