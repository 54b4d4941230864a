"""Simulated disasters: after any faults of servers, bots, network, broker and database, all promises hold.

`.ci/run` plays ten thousand schedules besides (`make simulate`).
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from palio_simulation.report import report
from palio_simulation.run import simulate
from palio_simulation.schedule import Schedule, parse_faults

QUICK = 100  # schedules, in so many parts
PARTS = 4
ROOM = Path(__file__).parent
DIGESTS = """
from palio_simulation.run import simulate
from palio_simulation.schedule import Schedule
for seed in (3, 21, 54, 141): print(simulate(Schedule.of(seed)).digest)
"""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_lost_doubled_or_announced_too_early(part: int) -> None:
    for seed in range(part + 1, QUICK + 1, PARTS):
        outcome = simulate(Schedule.of(seed))
        assert not outcome.complaints, report(outcome)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_bots_meet_while_servers_and_the_database_fail() -> None:
    faults = parse_faults("crash@1500:server-1+800 cut@2500:bot-77+100 db-away@3000+900 pause@4000:server-2+3000")
    outcome = simulate(replace(Schedule.of(5).crowded(10_000), servers=2, everywhere=False).only(faults))
    assert not outcome.complaints, outcome.complaints[:5]


@pytest.mark.slow
def test_a_seed_gives_the_same_events_in_every_process() -> None:
    def told(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOM)}
        command = [sys.executable, "-c", DIGESTS]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True).stdout

    first = told("1")
    assert len(set(first.split())) == 4
    assert told("2") == first
    assert [simulate(Schedule.of(seed)).digest for seed in (3, 21)] == first.split()[:2]


@pytest.mark.parametrize(
    ("seed", "faults"),
    [
        (602, "pause@559:server-1+3235 pause@3081:server-2+3878"),  # two moves were read at once
        (328, "pause-before-result@602:server-1+3277 result-unanswered@1928:server-2"),  # a match came back
        (1940, "crash-after-commit@97:server-1+758 broker-careless@4103+98"),  # a bot was asked for a hello once only
    ],
)
def test_what_was_found_once_is_not_found_again(seed: int, faults: str) -> None:
    outcome = simulate(Schedule.of(seed).only(parse_faults(faults)))
    assert not outcome.complaints, report(outcome)
