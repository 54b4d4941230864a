"""Tables are upgraded while a tournament is played: no game is lost, doubled or counted twice."""

import asyncio
import re

import pytest
from command import Palio

from palio_db.address import Address
from palio_db.database import Database
from palio_db.schema import HEAD, MEETINGS, PACKED, USABLE
from palio_db.upgrades import migrate

ROUNDS = 150

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


async def made(url: str, version: str) -> None:
    database = Database(Address.parse(url))
    await database.prepare()
    async with database.write() as connection:
        await connection.run_sync(migrate, version)
    await database.close()


def over(lines: list[str], games: int) -> bool:
    return sum(line.startswith("Finished") for line in lines) >= games


@pytest.mark.parametrize(
    ("version", "words"),
    [(USABLE, ["--to", HEAD]), (PACKED, [])],  # against its advice, and as it advises
    ids=["to", "plain"],
)
def test_a_tournament_goes_on_while_the_tables_are_upgraded(database: str, palio: Palio, version: str, words):
    asyncio.run(made(database, version))
    bots = ("random", "greedy", "--rounds", str(ROUNDS), "--db", database)
    running = palio.start("run", "breakthrough:rows=5,cols=5", *bots)
    running.wait_for(lambda lines: over(lines, 20))
    assert f"  {MEETINGS}  The table of " in palio("migrate", "--check", database, code=1).stdout
    if words:
        left = palio("migrate", database).stdout  # without --to, as the tournament uses the database
        assert f"after {PACKED} those of an older Palio could not go on" in left
    assert f"the tables are {HEAD} now" in palio("migrate", database, *words).stdout
    assert not over(running.lines, 2 * ROUNDS)  # it was in play meanwhile
    assert running.wait() == 0, running.errors
    said = "\n".join(running.errors)
    assert not [word for word in ("Traceback", "ERROR", "deadlock", "again") if word in said], said
    numbers = [re.search(r"game (\d+)", line)[1] for line in running.lines if line.startswith("Finished")]
    assert sorted(map(int, numbers)) == list(range(1, 2 * ROUNDS + 1))
    checked = palio("verify", "--db", database).stdout
    assert f"{2 * ROUNDS} matches replayed, 0 do not reproduce, 0 sums are wrong" in checked
    back = palio("migrate", database, "--to", version, code=1)
    assert f"its tables are {HEAD}, and no upgrade leads back to {version}; restore a backup instead" in back.stderr
