"""The cost of one submission's check in CPU time: its tests in a sandbox, and games against a reference bot.

    python benchmarks/bench_course_check.py              # medians of 5
    python benchmarks/bench_course_check.py --runs 3

The assignment has two files with 50 tests each, which take no time themselves, and 20 games of Dominoes (8x8) against
`greedy`. The aim: 300 checks in two hours on two cores, that is 48 s for each on one core.
"""

import argparse
import asyncio
import resource
import statistics
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

from figures import Figure, report

from palio_server.courses.check import check
from palio_server.courses.values import Assignment, Reference, StaffTests
from palio_server.sandbox.confinement import Confinement

AIM_S = 2 * 3600 * 2 / 300
TESTS, GAMES = 50, 20
OWN = """
class DominoesGame:
    def __init__(self, board):
        self.board = board

    def get_best_move(self, vertical, limit):
        rows, cols = len(self.board), len(self.board[0])
        for r in range(rows - vertical):
            for c in range(cols - (not vertical)):
                if not self.board[r][c] and not self.board[r + vertical][c + (not vertical)]:
                    return (r, c), 0, 1


def create_dominoes_game(rows, cols):
    return DominoesGame([[False] * cols for _ in range(rows)])
"""
CASES = f"""
import pytest
import adversarial_search as search


@pytest.mark.points(1)
@pytest.mark.parametrize("number", range({TESTS}))
def test_board(number):
    assert search.create_dominoes_game(2, number + 1).board == [[False] * (number + 1)] * 2
"""


def made(folder: Path) -> Assignment:
    for name in ("examples", "hidden"):
        file = folder / "tests" / f"test_{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(CASES)
    opens = datetime(2027, 2, 1, tzinfo=UTC)
    return Assignment(
        "dominoes",
        folder,
        "Dominoes",
        "dominoes",
        "handout:dominoes:{folder}/adversarial_search.py",
        ("adversarial_search.py",),
        opens,
        opens + timedelta(days=14),
        tests=(StaffTests("tests/test_examples.py"), StaffTests("tests/test_hidden.py", shown=False)),
        against=(Reference("greedy", GAMES, Fraction(1, 2), Fraction(10)),),
    )


def seconds(assignment: Assignment, submission: Path) -> float:
    begun = processor_s()
    checked = asyncio.run(check(assignment, submission, Confinement(mode="require")))
    assert checked.points >= sum(TESTS for _ in assignment.tests), checked
    return processor_s() - begun


def processor_s() -> float:
    """Return the CPU seconds of this process and all that it has waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        whole = made(Path(place) / "course")
        submission = Path(place) / "submission"
        submission.mkdir()
        (submission / "adversarial_search.py").write_text(OWN)
        tests = replace(whole, against=(Reference("random", 2, Fraction(1), Fraction(0)),))
        both = [(seconds(tests, submission), seconds(whole, submission)) for _ in range(options.runs)]
    few, all_of_it = (statistics.median(times) for times in zip(*both, strict=True))
    report(
        [
            Figure(f"check: {2 * TESTS} tests, 2 games", few, "s"),
            Figure(f"check: {2 * TESTS} tests, {GAMES} games", all_of_it, "s", AIM_S, less_is_better=True),
        ],
        options.runs,
        as_json=options.json,
    )


if __name__ == "__main__":
    main()
