"""The check of a submission: files, tests, games against reference bots; the same points twice."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from dominoes_file import DOMINOES, FILE
from made_assignments import EXAMPLES, assignment, write

from palio_rules.errors import BadOption
from palio_rules.records.fault_kinds import with_kinds
from palio_server.courses.check import check
from palio_server.courses.grading import of_check
from palio_server.courses.reference_games import PlayedGames, part_of, read_games
from palio_server.courses.values import Reference, StaffTests
from palio_server.courses.visible import seen_by_student
from palio_server.sandbox.bubblewrap import SandboxLimits
from palio_server.sandbox.confinement import Confinement

CONFINED = Confinement(SandboxLimits(), mode="require")


@pytest.fixture
def dominoes(tmp_path):
    found = assignment(tmp_path / "dominoes", test_examples=EXAMPLES)
    against = (Reference("greedy", 4, Fraction(1, 2), Fraction(10)),)
    return replace(found, game="dominoes:rows=4,cols=4", against=against)


def submitted(tmp_path: Path, text: str = DOMINOES, name: str = FILE) -> Path:
    return write(tmp_path / "submission" / name, text).parent


@pytest.mark.slow
async def test_a_submission_is_graded_twice_with_the_same_points(dominoes, tmp_path):
    records, steps = tmp_path / "records.jsonl", []
    first = await check(dominoes, submitted(tmp_path), CONFINED, records=records, say=steps.append)
    again = await check(dominoes, submitted(tmp_path), CONFINED)
    assert [(part.name, part.points) for part in first.parts] == [(part.name, part.points) for part in again.parts]
    assert not first.broken
    assert not first.unplayable
    names = [part.name for part in first.parts]
    assert names[-1] == "against greedy"
    assert names[:-1] == [f"test_examples.py::test_{name}" for name in ("moves", "sizes[1]", "sizes[2]", "extra")]
    assert all(part.points == part.max_points for part in first.parts[:-1])
    assert first.max_points == 3 + 1 + 1 + 10
    games = first.parts[-1]
    assert len(games.matches) == 4
    assert 0 <= games.points <= 10
    kept = [line.split('"match":"')[1].split('"')[0] for line in records.read_text().splitlines()]
    assert tuple(kept) == games.matches
    for record in read_games(records, "01abc"):  # each says which submission has played
        assert record.setup.submissions[record.setup.bots.index("submission")] == "01abc"
        assert sorted(record.setup.submissions) == ["", "01abc"]
        assert record == with_kinds(record)  # without what programs said of faults
    assert steps == ["tests/test_examples.py", "against greedy"]


async def test_a_bot_that_cannot_play_keeps_the_points_of_its_tests(dominoes, tmp_path):
    own = DOMINOES.replace("get_best_move", "best_move")
    found = await check(dominoes, submitted(tmp_path, own), CONFINED)
    assert found.unplayable.startswith("adversarial_search.py, line ")
    assert "has no get_best_move(self, vertical, limit)" in found.unplayable
    assert found.parts[-1].points == 0
    assert found.parts[-1].why == f"it cannot play: {found.unplayable}"
    assert found.points == 7


async def test_a_fault_is_told_in_the_referees_words(dominoes, tmp_path):
    own = DOMINOES.replace("return moves[0], len(moves), 1", "return (99, 99), len(moves), 1")
    found = await check(dominoes, submitted(tmp_path, own), CONFINED)
    assert "0 points in 4 games, 2 give all points" in found.parts[-1].why
    assert "illegal" in found.parts[-1].why or "(4 games)" in found.parts[-1].why
    assert found.unplayable == ""


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("adversarial.py", DOMINOES, "the file adversarial_search.py is missing; "),
        (FILE, "\n\ndef f(:\n", "adversarial_search.py, line 3: SyntaxError: invalid syntax"),
        (FILE, "x = '\0'", "adversarial_search.py"),
        (FILE, "#" * 1_000_001, "the files have 1000001 bytes, 1000000 are allowed"),
    ],
)
async def test_a_submission_of_which_nothing_can_run_has_all_parts_with_the_reason(dominoes, tmp_path, name, text, why):
    found = await check(dominoes, submitted(tmp_path, text, name), CONFINED)
    assert found.broken.startswith(why)
    assert found.points == 0
    assert found.max_points == 15
    assert [part.max_points for part in found.parts] == [3, 1, 1, 2, 10]
    assert {part.why for part in found.parts} == {found.broken}


async def test_without_references_only_tests_are_run(dominoes, tmp_path):
    found = await check(dominoes, submitted(tmp_path), CONFINED, references=False)
    assert found.max_points == 5
    assert found.points == 7


async def test_files_that_were_not_asked_for_and_links_are_left_out(dominoes, tmp_path):
    tests = "import pathlib\ndef test_it(): assert sorted(each.name for each in pathlib.Path.cwd().iterdir()) == []"
    found = replace(assignment(tmp_path / "other", test_it=tests), optional=("*.txt",))
    folder = submitted(tmp_path)
    write(folder / "notes.txt", "x")
    write(folder / "big.bin", "x")
    (folder / "link.txt").symlink_to("/etc/passwd")
    result = await check(found, folder, CONFINED, references=False)
    assert result.parts[0].why == "expected [], got ['adversarial_search.py', 'notes.txt']"


async def test_what_a_test_prints_belongs_to_its_part_and_is_seen_as_the_part_is(dominoes, tmp_path):
    tests = "def test_it():\n    import adversarial_search\n    assert adversarial_search.DominoesGame is None\n"
    found = assignment(tmp_path / "other", test_it=tests)
    folder = submitted(tmp_path, f"{DOMINOES}\nprint('a word')\n")
    for tests, told in (
        (StaffTests("tests/test_it.py"), True),
        (StaffTests("tests/test_it.py", shown=False), False),
        (StaffTests("tests/test_it.py", feedback="after due"), False),
    ):
        result = await check(replace(found, tests=(tests,)), folder, CONFINED, references=False)
        assert ("a word" in result.parts[0].said, result.said) == (True, "")
        seen = seen_by_student(of_check(result), replace(found, tests=(tests,)), found.due)
        assert ("a word" in seen.said) is told


async def test_a_reference_that_is_none_is_told_to_the_staff(dominoes, tmp_path):
    wrong = replace(dominoes, tests=(), against=(Reference("gredy", 2, Fraction(1), Fraction(1)),))
    with pytest.raises(BadOption, match="gredy"):
        await check(wrong, submitted(tmp_path), CONFINED)


async def test_a_missing_folder_is_an_error(dominoes, tmp_path):
    with pytest.raises(BadOption, match="there is no folder"):
        await check(dominoes, tmp_path / "nowhere", CONFINED)


@pytest.mark.parametrize(
    ("points", "worth"), [(0, 0), (5, 5), (Fraction(5, 2), Fraction(5, 2)), (10, 10), (20, 10), (1, 1)]
)
def test_points_are_a_share_of_the_score_that_is_needed(points, worth):
    reference = Reference("alpha_beta", 20, Fraction(1, 2), Fraction(10))
    part = part_of(reference, PlayedGames(Fraction(points), 20, tuple("m" * 20)))
    assert part.points == worth
    assert (part.why == "") == (worth == 10)


def test_games_that_were_not_finished_are_told_and_marked():
    reference = Reference("alpha_beta", 4, Fraction(1, 2), Fraction(10))
    part = part_of(reference, PlayedGames(Fraction(1), 4, ("a", "b"), timed_out=True))
    assert part.points == 5
    assert part.timed_out
    assert "2 games were not finished in time" in part.why


@contextmanager
def other_work(programs: int) -> Iterator[None]:
    """Keep the processors busy within the context."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(programs)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


@pytest.mark.slow
async def test_other_work_on_the_machine_costs_a_submission_no_game(dominoes, tmp_path):
    """A program that needs half of its time for each move, beside so much work that it has a fifth of a processor."""
    games = replace(dominoes, tests=(), clock="0.5", against=(Reference("random", 2, Fraction(1, 2), Fraction(10)),))
    thinks = "import time\n        until = time.process_time() + 0.25\n        while time.process_time() < until: pass"
    head = "    def get_best_move(self, vertical, limit):\n"
    assert head in DOMINOES
    own = submitted(tmp_path, DOMINOES.replace(head, f"{head}        {thinks}\n"))
    with other_work(4 * (os.cpu_count() or 1)):
        found = await check(games, own, CONFINED, records=tmp_path / "records.jsonl")
    assert not found.parts[-1].timed_out, found.parts[-1].why
    for record in read_games(tmp_path / "records.jsonl", "x"):
        assert record.result.termination == "rule"
        assert record.setup.clock == "processor"


async def test_reasons_speak_of_the_assignment_and_not_of_a_command(dominoes, tmp_path):
    games = replace(dominoes, tests=(), clock="0.2", against=(Reference("random", 2, Fraction(1, 2), Fraction(10)),))
    own = DOMINOES.replace("return moves[0]", "while True: pass\n        return moves[0]")
    found = await check(games, submitted(tmp_path, own), CONFINED)
    assert "time: its move 1 took longer than the 0.2 s of processor time of a move (2 games)" in found.parts[-1].why
    assert "--" not in found.parts[-1].why
    assert found.parts[-1].timed_out
