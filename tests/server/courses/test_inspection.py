"""Strangers' files are looked into by a confined process: what freezes, crashes or fills it is a sentence."""

import asyncio
import os
import time

import pytest

from palio_server.courses import inspection
from palio_server.courses.inspection import Limits, NotInspected, imports, python_error, similar, take
from palio_server.courses.inspection_tasks import BotFile, Taken
from palio_server.courses.submitted_names import Refused
from palio_server.sandbox.bubblewrap import Machine, SandboxLimits
from palio_server.sandbox.confinement import Confinement

GOOD = b"def move():\n    return 1\n"
LOOPS = "\n".join(
    f"def f{number}(a, b):\n    return [a + {number} for a in b if a > b]" for number in range(12)
).encode()


def nested(depth: int) -> bytes:
    """Each `finally` is compiled twice, so each level doubles the time and the memory."""
    lines = [line for level in range(depth) for line in (" " * level + "try: a", " " * level + "finally:")]
    return "\n".join([*lines, " " * depth + "a"]).encode()


@pytest.fixture(params=["in a sandbox", "without one"])
def machine(request, monkeypatch, bubblewrap):
    """Both kinds of machine."""
    if request.param == "without one":
        without = Confinement(SandboxLimits(), "auto", ask=lambda: Machine("", lacks="none", remedy="none"))
        monkeypatch.setattr(inspection, "_confinement", lambda memory: without)


@pytest.mark.usefixtures("machine")
async def test_files_are_taken_and_refused_with_the_sentences_of_the_intake(assignment, zipped):
    taken = await take([("upload.zip", zipped({"work/bot.py": GOOD}))], assignment)
    assert (taken.files, taken.digest) == ({"bot.py": GOOD}, inspection.digest_of({"bot.py": GOOD}))
    with pytest.raises(Refused, match=r"bot.py is missing; rename 'Bot.py'"):
        await take([("Bot.py", GOOD)], assignment)
    assert await python_error({"a.py": GOOD}) == ""
    assert (await python_error({"b.py": b"if x:\n  y\n z"})).startswith("b.py, line 3: IndentationError")
    assert imports([b"import os, numpy.linalg\nfrom scipy import stats", b"no Python"]) == [{"numpy", "scipy"}, set()]


@pytest.mark.usefixtures("machine")
async def test_a_file_that_python_cannot_compile_within_the_limits_is_named():
    began = time.monotonic()
    said = await python_error({"good.py": GOOD, "solver.py": nested(24)})
    assert said.startswith("solver.py ")
    assert "compile" in said
    assert time.monotonic() - began < 60  # in this process it took minutes, and gigabytes


async def test_a_submission_that_cannot_be_read_is_left_out_of_the_comparison_and_named(monkeypatch):
    monkeypatch.setattr(inspection, "MANY", Limits(60, inspection.MANY.memory, each=1))
    hostile = b"f'{" * 60_000 + b"'\\" * 60_000
    files = {"a": {"x.py": LOOPS}, "b": {"x.py": LOOPS}, "c": {"x.py": hostile}, "d": {"x.c": b'"\\' * 60_000}}
    began = time.monotonic()
    found = await similar(files, {}, {})
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b")]
    assert found.left_out["d"] == "it takes more than 1 s or too much memory to be read"
    assert set(found.left_out) <= {"c", "d"}
    assert time.monotonic() - began < 60


async def test_an_inspection_that_takes_too_long_is_a_sentence_and_a_cancelled_one_ends_at_once(monkeypatch):
    monkeypatch.setattr(inspection, "ONE", Limits(1, inspection.ONE.memory))
    with pytest.raises(NotInspected, match="these files take more than 1 s to be read; hand in smaller"):
        await take([("bot.py", GOOD)] * 1_000_000, AnyAssignment)
    monkeypatch.setattr(inspection, "ONE", Limits(600, inspection.ONE.memory))
    task = asyncio.create_task(take([("bot.py", GOOD)] * 1_000_000, AnyAssignment))
    await asyncio.sleep(0.5)
    task.cancel()
    began = time.monotonic()
    await asyncio.gather(task, return_exceptions=True)
    await take([("bot.py", GOOD)], AnyAssignment)  # both threads are free again
    assert time.monotonic() - began < 30


class AnyAssignment:
    name, files, optional, size = "any", ("bot.py",), (), 10_000


def test_what_a_process_says_that_its_files_have_taken_over_is_not_believed(assignment):
    for files in ({"../bot.py": GOOD}, {"bot.py": b"x" * 20_000}):
        with pytest.raises(Refused):
            inspection._submitted(Taken(files, ()), assignment)


async def test_a_process_that_cannot_start_is_the_machines_fault(monkeypatch, assignment):
    monkeypatch.setattr(inspection, "START", "import no_such_module")
    with pytest.raises(OSError, match=r"does not start: .*no_such_module"):
        await take([("bot.py", GOOD)], assignment)


def test_a_bots_file_tells_its_game_and_line(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("class Mine(palio.Bot[A, B]):\n    games = ('chexers', 'dominoes')\n")
    assert inspection.bot_file(file) == BotFile(bot=True, game="chexers", line_of_games=2)
    file.write_bytes(b"class")
    assert inspection.bot_file(file) == BotFile() == inspection.bot_file(tmp_path / os.urandom(3).hex())
