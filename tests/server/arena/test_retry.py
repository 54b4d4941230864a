"""One way to wait for a database that is away."""

import asyncio

import pytest

from palio_db.errors import LeaseLost, Unavailable
from palio_server.arena.journal import FIRST_S, LONGEST_S, until_database_answers

pytestmark = pytest.mark.virtual_clock


class Database:
    """Away for so many attempts; notes when it was asked."""

    def __init__(self, away):
        self.away, self.asked = away, []

    async def answer(self):
        self.asked.append(asyncio.get_running_loop().time())
        if len(self.asked) <= self.away:
            raise Unavailable("no database")
        return 42

    @property
    def pauses(self):
        return [later - earlier for earlier, later in zip(self.asked, self.asked[1:], strict=False)]


async def test_an_answer_is_given_at_once():
    database = Database(away=0)
    assert await until_database_answers("the test waits", database.answer) == 42
    assert len(database.asked) == 1


async def test_pauses_begin_short_grow_and_stay_within_bounds(caplog):
    database = Database(away=20)
    assert await until_database_answers("the test waits", database.answer) == 42
    assert 0.5 * FIRST_S <= database.pauses[0] <= FIRST_S
    assert all(LONGEST_S / 2 <= pause <= LONGEST_S for pause in database.pauses[-10:])
    assert [record.message for record in caplog.records] == ["the test waits: no database"] * 20


async def test_any_other_error_is_raised_at_once():
    async def attempt():
        raise LeaseLost("not yours")

    with pytest.raises(LeaseLost):
        await until_database_answers("the test waits", attempt)
