"""Analyses: of finished matches only, the newest one counts, and they go with their match."""

import pytest
from sqlalchemy import delete

from palio_db.errors import NotFound
from palio_db.models import Match
from palio_rules.records.record import Analysis, JudgedPly


def analysis(match: str, *plies: JudgedPly, complete: bool = True) -> Analysis:
    return Analysis(match, 0.5, plies, complete)


FIRST = JudgedPly(0, 0, "", (0.5, -0.5), (None, None))
BLUNDER = JudgedPly(1, 0, "a1", (None, None), ("loss", "win"), 7, "b2", "??")


async def test_an_analysis_comes_out_as_it_went_in(store, make):
    match = await make.play(store)
    assert await store.analysis(match) is None
    kept = analysis(match, FIRST, BLUNDER, complete=False)
    await store.keep_analysis(kept)
    assert await store.analysis(match) == kept


async def test_the_newest_analysis_replaces_the_one_before_it(store, make):
    match = await make.play(store)
    other = await make.play(store)
    await store.keep_analysis(analysis(match, FIRST, complete=False))
    await store.keep_analysis(analysis(other, FIRST))
    await store.keep_analysis(analysis(match, FIRST, BLUNDER))
    assert await store.analysis(match) == analysis(match, FIRST, BLUNDER)
    assert await store.analysis(other) == analysis(other, FIRST)


async def test_only_a_finished_match_can_have_one(store, make):
    waiting = await store.schedule(make.setup())
    with pytest.raises(NotFound, match="nothing can be known of the scheduled match"):
        await store.keep_analysis(analysis(waiting, FIRST))
    with pytest.raises(NotFound, match="there is no match 'nothing'"):
        await store.keep_analysis(analysis("nothing", FIRST))
    assert await store.analysis(waiting) is None


async def test_an_analysis_goes_with_its_match(store, make):
    match = await make.play(store)
    await store.keep_analysis(analysis(match, FIRST))
    async with store._database.write() as connection:
        await connection.execute(delete(Match).where(Match.id == match))
    assert await store.analysis(match) is None
