"""`palio verify` reports every record with any kind of fault, and goes on to the next."""

from datetime import UTC, datetime

from sqlalchemy import update

from palio_db.models import Match
from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.cli.source import open_store
from palio_server.cli.verify import check_all

THEN = datetime(2026, 11, 20, tzinfo=UTC)
PARK = Setup("rush_hour", ("ann", "bob"), {"board": "b.../b.../aa.c/.d.."})
ENDS = [Finish("rule", "solved", 1.0), Finish("resigned", "resigned", None)]
RESULT = Result("rule", "ranked", [1.0, 0.0], finishes=ENDS)
SOLVED = (Ply(0, ["c", 1], 5), Ply(1, None, 0, None, "resigned"))
WRONG = (Ply(0, ["c", 9], 5), Ply(1, None, 0, None, "resigned"))


async def play(store, plies=SOLVED):
    """A finished match with this record; its identity."""
    await store.schedule(PARK)
    claim = await store.claim("worker", 30, free={"rush_hour": PARK.bots})
    await store.finish(claim, Record(claim.match, PARK, plies, RESULT, THEN, THEN))
    return claim.match


async def test_what_cannot_be_read_or_does_not_reproduce_is_reported_and_the_rest_is_replayed(tmp_path, capsys):
    db = f"sqlite:///{tmp_path / 'palio.db'}"
    async with open_store(db, must_exist=False) as store:
        [_, damaged, wrong, _] = [await play(store, plies) for plies in (SOLVED, SOLVED, WRONG, SOLVED)]
        assert await check_all(db, None) == 1
        printed = capsys.readouterr().out.splitlines()
        assert printed[0].startswith(f"{wrong} (rush_hour, ann, bob): ply 1 is not legal: c cannot slide 9 down")
        assert printed[1:] == ["4 matches replayed, 1 do not reproduce, 0 sums are wrong"]
        async with store._database.write() as connection:
            await connection.execute(update(Match).where(Match.id == damaged).values(record=b"\x1b[2J"))
    assert await check_all(db, None) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"the record of match {damaged} in the database cannot be read: JSON is malformed")
    assert printed[1].startswith(f"{wrong} (rush_hour, ann, bob): ply 1 is not legal")
    assert printed[-1].startswith("4 matches replayed, 2 do not reproduce, ")


async def test_records_that_reproduce_are_counted_and_no_more(tmp_path, capsys):
    db = f"sqlite:///{tmp_path / 'palio.db'}"
    async with open_store(db, must_exist=False) as store:
        await play(store)
    assert await check_all(db, None) == 0
    assert capsys.readouterr().out == "1 matches replayed, 0 do not reproduce, 0 sums are wrong\n"
