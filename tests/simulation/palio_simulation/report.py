"""The report of a schedule that failed: the fault, and the one command that plays it again."""

from palio_simulation.run import Outcome
from palio_simulation.schedule import Schedule

TOLD = 5  # complaints; the first says most


def command(schedule: Schedule, bug: str | None = None) -> str:
    """A line for a shell that plays the schedule again."""
    planted = f" --planted {bug}" if bug else ""
    play = "PYTHONPATH=tests/simulation .venv/bin/python -m palio_simulation"
    return f'{play} --seed {schedule.seed} --faults "{schedule.text()}"{planted}'


def report(outcome: Outcome, bug: str | None = None) -> str:
    """Some lines."""
    more = len(outcome.complaints) - TOLD
    lines = [f"seed {outcome.schedule.seed}: {len(outcome.schedule.faults)} faults", *outcome.complaints[:TOLD]]
    if more > 0:
        lines.append(f"and {more} more")
    return "\n  ".join([*lines, command(outcome.schedule, bug)])
