"""Schedules: they follow from their seeds, and their faults can be written and read."""

import pytest

from palio_simulation.schedule import KINDS, Fault, Schedule, parse_faults

SEEDS = range(1, 300)


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
