"""`palio run` on PostgreSQL, which may go away and come back."""

import os
from collections.abc import Iterator

import pytest
from command import Palio
from private_postgres import PrivatePostgres, programs

SLOW = """
import random
import time

from palio_clients import Bot


class Slow(Bot):
    def choose(self, state, clock):
        time.sleep(0.02)
        return random.choice(list(state.legal_moves()))
"""


@pytest.fixture
def postgres() -> Iterator[PrivatePostgres]:
    if programs() is None:
        reason = "PostgreSQL's initdb is not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    server = PrivatePostgres()
    yield server
    server.close()


@pytest.mark.slow
@pytest.mark.postgres
def test_a_restart_of_the_database_ends_nothing_and_loses_nothing(palio: Palio, postgres: PrivatePostgres):
    (palio.folder / "slow.py").write_text(SLOW)
    bots = ["./slow.py", "s2=./slow.py", "s3=./slow.py"]
    words = ["breakthrough", *bots, "--rounds", "4", "--openings", "2", "--concurrency", "2", "--db", postgres.url]
    running = palio.start("run", *words)
    running.wait_for(lambda lines: sum(line.startswith("Finished game") for line in lines) >= 2)
    postgres.stop()
    running.wait_for(lambda lines: any("play goes on, results wait" in line for line in lines))
    postgres.start()
    assert running.wait() == 0
    told = [line for line in running.lines if line.startswith("Finished game")]
    assert len(told) == len(set(told)) == 24
    matches = palio.json("match", "list", "--limit", "100", "--db", postgres.url)
    assert [match["status"] for match in matches] == ["finished"] * 24
    assert "24 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify", "--db", postgres.url).stdout
