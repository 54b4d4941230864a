"""Schedules: they follow from their seeds, and their faults can be written and read."""

from dataclasses import replace

import pytest

from palio_simulation.database import METHODS
from palio_simulation.disk import Disk
from palio_simulation.run import simulate
from palio_simulation.schedule import CALLS, KINDS, Fault, Schedule, parse_faults

SEEDS = range(1, 300)
RARE = {"match", "reschedule", "take_over"}  # calls that need a disaster of their own


def test_faults_can_be_written_and_read() -> None:
    for seed in SEEDS:
        schedule = Schedule.of(seed)
        assert parse_faults(schedule.text()) == schedule.faults
        assert Schedule.of(seed) == schedule


def test_every_kind_of_fault_is_played() -> None:
    assert {fault.kind for seed in SEEDS for fault in Schedule.of(seed).faults} == set(KINDS)


@pytest.mark.parametrize(
    ("text", "why"), [("crash", "write KIND@MS"), ("crush@100:server-1", "crash"), ("crash@soon", "is no fault")]
)
def test_a_fault_that_cannot_be_read_is_quoted_with_what_is_meant(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Fault.parse(text)


def test_the_database_restarts_at_each_call_of_the_store_that_servers_make(monkeypatch) -> None:
    called = set()
    monkeypatch.setattr(Disk, "called", lambda _disk, _client, method: called.add(method))
    for seed in (10, 13, 28):
        every = {"ladder": True, "tables": 2, "analyses": True, "entrants": 3, "ratings": True, "servers": 2}
        simulate(replace(Schedule.of(seed), **every))
    away = tuple(Fault(400, "bot-crash", bot, 9_000) for bot in ("bot-01", "bot-02"))  # at a look of their event
    simulate(replace(Schedule.of(10), entrants=3, bots=4, broker=0, faults=away))
    restarts = {method for methods in CALLS.values() for method in methods}
    assert called - restarts <= {"check_open_file", "close", "probe"}  # a look at the file, the end, a look at health
    assert restarts - called <= RARE
    assert restarts <= {*METHODS}
