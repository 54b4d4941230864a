"""The simulation is judged by bugs that are planted into the product: each is found, and soon."""

import pytest

from palio_simulation.bugs import BUGS
from palio_simulation.planted import Bug, Edit, NotThere, planted
from palio_simulation.report import report
from palio_simulation.run import simulate
from palio_simulation.schedule import Schedule, parse_faults
from palio_simulation.shrink import shrink

WITHIN = 1_000  # seeds


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str) -> None:
    with planted(BUGS[name]):
        found = next((seed for seed in range(1, WITHIN + 1) if simulate(Schedule.of(seed)).complaints), None)
    assert found is not None, f"{BUGS[name].what}: not found within {WITHIN} seeds"


def test_a_found_bug_shrinks_to_the_fault_that_shows_it() -> None:
    faults = "clock@500:server-1+3000 cut@700:bot-01+100 result-unanswered@900:server-1 stall@1000:bot-02+300"
    failing = Schedule.of(3).only(parse_faults(faults))
    with planted(BUGS["retry-refused"]):
        least = shrink(failing, lambda schedule: bool(simulate(schedule).complaints))
        told = report(simulate(least), "retry-refused")
    assert least.text() == "result-unanswered@900:server-1"
    assert '--seed 3 --faults "result-unanswered@900:server-1" --planted retry-refused' in told
    assert not simulate(failing).complaints


def test_a_director_for_which_a_restart_of_the_database_is_the_end_is_found() -> None:
    restart = Schedule.of(20).only(parse_faults("db-restart@700:event_matches+400"))
    assert not simulate(restart).complaints
    with planted(BUGS["director-gives-up"]):
        complaints = simulate(restart).complaints
    assert any("tournament 1 (paused)" in complaint for complaint in complaints)


def test_a_bug_that_cannot_be_planted_any_more_says_so() -> None:
    bug = Bug("gone", "nothing", Edit("palio_server.match.turns", "no such text", ""))
    with pytest.raises(NotThere, match="no such text"), planted(bug):
        pass


@pytest.mark.parametrize("name", BUGS)
def test_every_bug_can_be_planted_and_leaves_nothing_behind(name: str) -> None:
    before = simulate(Schedule.of(5)).digest
    with planted(BUGS[name]):
        pass
    assert simulate(Schedule.of(5)).digest == before
