"""The staff's tests in the sandbox: what failures say, and that a hostile submission costs its own test alone."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from dominoes_file import DOMINOES, FILE
from made_assignments import EXAMPLES, assignment, sharing, write

from palio_rules.errors import BadOption
from palio_server.courses.sandboxed_tests import list_tests, points_of_tests, run_tests, shared
from palio_server.sandbox.bubblewrap import MIB, Machine, SandboxLimits
from palio_server.sandbox.confinement import Confinement

CONFINED = Confinement(SandboxLimits(memory=400 * MIB), mode="require")

# What a submission does when its function is called, by the name of the test that calls it.
HOSTILE = {
    "exits_at_once": "os._exit(0)",
    "exits": "sys.exit(0)",
    "exits_pytest": "import pytest; pytest.exit('all passed', returncode=0)",
    "skips": "import pytest; pytest.skip('not needed')",
    "loops": "while True: pass",
    "loops_and_catches": """
        while True:
            try:
                while True: pass
            except BaseException: pass
    """,
    "loops_without_signals": """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while True: pass
    """,
    "recurses": "f = lambda n: f(n + 1) + 1; f(0)",
    "recurses_in_c": "sys.setrecursionlimit(10**9); f = lambda n: f(n + 1) + 1; f(0)",
    "segfaults": "import ctypes; ctypes.string_at(0)",
    "takes_memory": "x = [bytearray(10**8) for _ in range(100)]; x = [b'1' * 10**8 for _ in range(100)]",
    "takes_memory_in_many_processes": """
        for _ in range(6):
            if os.fork() == 0:
                x = b'1' * (200 << 20)
                time.sleep(60)
        time.sleep(60)
    """,
    "forks": "while True: os.fork()",
    "kills_all": "import signal; os.kill(-1, signal.SIGKILL); time.sleep(60)",
    "kills_its_parent": "import signal; os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)",
    "patches_pytest": "import _pytest.python; _pytest.python.Function.runtest = lambda self: None; return 'right'",
    "patches_a_module": "sys.modules['pytest'] = sys; return 'right'",
    "patches_builtins": "import builtins; builtins.isinstance = lambda *_: True; return 'right'",
    "patches_the_grader": """
        import palio_clients.grading.plugin as plugin
        plugin.CourseTests.run = lambda self, name: (True, None)
        return 'right'
    """,
    "writes_results": """
        for fd in range(3, 100):
            try: os.write(fd, b'{"passed": true, "token": ""}\\n{"test": "x", "passed": true}\\n')
            except OSError: pass
        os._exit(0)
    """,
    "closes_all": "os.closerange(0, 100); return 'wrong'",
    "raises_a_base_exception": "raise BaseException('x')",
    "has_a_bad_repr": """
        class Bad:
            def __repr__(self): raise SystemExit
        return Bad()
    """,
    "is_elsewhere": "import socket; socket.create_connection(('127.0.0.1', 80), 2)",
    "writes_into_the_tests": "open(sys._getframe(1).f_code.co_filename, 'a').write('x'); return 'wrong'",
}
HARMLESS = {
    "prints_much": "for i in range(50_000): print('line', i)",
    "leaves_a_thread": "import threading; threading.Thread(target=lambda: time.sleep(100)).start()",
    "leaves_a_process": "import subprocess; subprocess.Popen(['sleep', '100'], start_new_session=True)",
    "registers_an_exit": "import atexit; atexit.register(lambda: os._exit(3))",
    "reads_stdin": "assert sys.stdin.read() == ''",
}


def function(name: str, body: str) -> str:
    lines = [line.removeprefix("        ") for line in body.strip("\n").splitlines()]
    return "\n".join([f"def {name}():", *(f"    {line}" for line in lines), "    return 'right'", ""])


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """All of them, in one submission and one file of tests."""
    folder = tmp_path_factory.mktemp("hostile")
    cases = HOSTILE | HARMLESS
    calls = "\n".join(
        f"@pytest.mark.points(1, seconds={1 if 'loops' in name else 5})\n"
        f"def test_{name}():\n    assert search.{name}() == 'right'\n\n"
        f"@pytest.mark.points(1)\ndef test_after_{name}():\n    assert search.good() == 'right'\n"
        for name in cases
    )
    found = assignment(folder, test_hostile=f"import pytest\nimport adversarial_search as search\n\n{calls}")
    own = "\n".join(function(name, body) for name, body in (cases | {"good": ""}).items())
    submission = write(folder / "submission" / FILE, f"import os, sys, time\n{own}").parent
    return folder, found, submission


@pytest.mark.slow
async def test_what_a_submission_does_costs_its_own_test_alone(outcomes):
    _, found, submission = outcomes
    tested = await run_tests(found, found.tests[0], submission, CONFINED, 200)
    passed = {name.removeprefix("test_hostile.py::test_"): each.passed for name, each in tested.outcomes.items()}
    assert len(passed) == len(tested.tests) == 2 * len(HOSTILE | HARMLESS)
    assert not [name for name in HOSTILE if passed[name]]
    assert not [name for name in HARMLESS if not passed[name]]
    assert not [name for name in HOSTILE | HARMLESS if not passed[f"after_{name}"]]
    about = {name.removeprefix("test_hostile.py::test_"): each for name, each in tested.outcomes.items()}
    assert about["loops"].timed_out
    assert about["loops_without_signals"].timed_out
    assert about["loops"].why.startswith("not finished after 1 s of processor time (adversarial_search.py, line ")
    assert about["segfaults"].why == "its program ended during the test by SIGSEGV"
    assert "processes 32 used up" in about["forks"].why
    many = about["takes_memory_in_many_processes"]
    assert "memory 400M used up" in many.why or many.timed_out  # on a busy machine
    assert "MemoryError" in about["takes_memory"].why
    assert "replaces _pytest.python.Function.runtest" in about["patches_pytest"].why
    assert len(about["prints_much"].said) < 10_000
    assert about["prints_much"].said.startswith("line 0\n")


async def check(folder: Path, tests: str, own: str, confinement: Confinement = CONFINED):
    found = assignment(folder, test_it=tests)
    submission = write(folder / "submission" / FILE, own).parent
    tested = await run_tests(found, found.tests[0], submission, confinement, 60)
    return {name.partition("::test_")[2]: each for name, each in tested.outcomes.items()}


async def test_the_reason_tells_expected_and_got_or_the_error_with_its_place(tmp_path):
    tests = """
        import pytest
        from adversarial_search import *

        def test_equal(): assert give((1, 2)) == (0, 0)
        def test_message(): assert give(3) == 4, "after one move"
        def test_long(): assert give([0] * 99) == [0] * 50 + [1] + [0] * 48
        def test_in(): assert give(3) in [1, 2]
        def test_true(): assert give(False)
        def test_less(): assert give(5) < 3
        def test_fail(): pytest.fail("no move was played")
        def test_raises(): fail()
        def test_program():
            import subprocess, sys
            slow = "import time; time.sleep(9)"
            subprocess.run([sys.executable, "-c", slow], timeout=0.5)
        def test_own_assert(): own()
        def test_right(): assert give(1) == 1
    """
    own = """
        def give(value):
            return value

        def fail():
            return {}["missing"]

        def own():
            print("in own")
            assert 1 > 2
    """
    found = await check(tmp_path, tests, own)
    assert found["equal"].why == "expected (0, 0), got (1, 2)"
    assert found["message"].why.startswith("after one move: expected 4, got 3")
    assert found["long"].why.startswith("at index 50: expected 1, got 0")
    assert found["in"].why.startswith("got 3, which is not in [1, 2]")
    assert found["true"].why == "False (where False = give(False))"
    assert found["less"].why.startswith("got 5, which is not < 3")
    assert found["fail"].why == "no move was played"
    assert found["raises"].why == "KeyError: 'missing' (adversarial_search.py, line 6)"
    assert found["program"].why == "a program did not end within 0.5 s"  # the command line is the staff's
    assert found["own_assert"].why.startswith("AssertionError")
    assert "(adversarial_search.py, line 10)" in found["own_assert"].why
    assert "in own" in found["own_assert"].said
    assert "adversarial_search.py, line 10, in own" in found["own_assert"].said
    assert "test_it.py" not in found["own_assert"].said
    assert found["right"].passed
    assert found["right"].why == ""


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ("import os; os._exit(0)", "the program ended while it was imported with exit code 0"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3 (adversarial_search.py, line 1)"),
        (
            "x = 1\nx.y",
            "cannot be imported: AttributeError: 'int' object has no attribute 'y' (adversarial_search.py, line 2)",
        ),
        ("import nothing_like_it", "cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("def f(:", "cannot be imported: SyntaxError: invalid syntax (adversarial_search.py, line 1)"),
        ("", "cannot be imported: ImportError: cannot import name 'create_dominoes_game' from 'adversarial_search'"),
    ],
)
@pytest.mark.first(2)
async def test_a_submission_that_cannot_be_imported_loses_all_tests_with_the_reason(tmp_path, own, why):
    found = await check(tmp_path, EXAMPLES, own)
    assert len(found) == 4
    assert not any(each.passed for each in found.values())
    assert all(each.why.startswith(why) for each in found.values()), found


async def test_hidden_tests_and_their_data_are_out_of_reach_of_shown_ones(tmp_path):
    """The submission prints all files that it can read."""
    look = """
        import os

        def look():
            for place, folders, files in os.walk("/"):
                folders[:] = [each for each in folders if each not in ("proc", "sys", "usr", "lib", ".venv", "clients")]
                for name in files:
                    try:
                        print(os.path.join(place, name), open(os.path.join(place, name), errors="replace").read(9999))
                    except OSError:
                        pass
            return 1
    """
    shown = 'from adversarial_search import look\nSHOWN = "SECRET-1"\ndef test_it(): assert look() == 2'
    hidden = (
        "import json, pathlib\nfrom adversarial_search import look\n"
        'CASES = json.loads(pathlib.Path(__file__).with_name("cases.json").read_text())\n'
        'def test_it(): assert CASES == ["SECRET-2"] and look() == 2'
    )
    found = assignment(tmp_path, test_shown=shown, test_hidden=hidden)
    write(tmp_path / "tests" / "cases.json", '["SECRET-2"]')
    write(tmp_path / "tests" / "helper.txt", "HELPER")
    submission = write(tmp_path / "elsewhere" / "submission" / FILE, look).parent
    for tests in found.tests:
        tested = await run_tests(found, tests, submission, CONFINED, 60)
        [outcome] = tested.outcomes.values()
        assert "expected 2, got 1" in outcome.why
        assert "SECRET" not in outcome.said
        assert "HELPER" in outcome.said or "bytes ..." in outcome.said


async def test_an_error_with_half_a_character_is_told_in_text_that_can_be_written(tmp_path):
    test = "import adversarial_search\ndef test_it(): adversarial_search.answer()"
    found = await check(tmp_path, test, "def answer(): raise KeyError('\\udcff')")
    outcome = found["it"]
    assert "udcff" in outcome.why
    outcome.why.encode()
    outcome.said.encode()


async def test_each_test_begins_with_a_fresh_copy_of_the_program(tmp_path):
    tests = """
        import adversarial_search as search

        def test_one(): assert search.count() == 1
        def test_two(): assert search.count() == 1
        def test_write(submission): (submission / "new.txt").write_text("x")
    """
    found = await check(tmp_path, tests, "n = 0\ndef count():\n    global n\n    n += 1\n    return n\n")
    assert all(each.passed for each in found.values()), found
    assert not (tmp_path / "submission" / "new.txt").exists()


async def test_modules_of_the_student_come_before_those_of_the_handout_and_of_the_staff(tmp_path):
    write(tmp_path / "tests" / "helper.py", "def right(x):\n    assert x == 'right'\n")
    write(tmp_path / "tests" / "board.py", "WHOSE = 'staff'\n")
    write(tmp_path / "submission" / "board.py", "WHOSE = 'student'\n")
    tests = """
        import board, helper, random

        def test_board(): assert board.WHOSE == "student"
        def test_helper(): helper.right("wrong")
        def test_standard(): assert random.random() < 1
    """
    found = await check(tmp_path, tests, "")
    assert found["board"].passed
    assert found["standard"].passed
    assert found["helper"].why == "expected 'right', got 'wrong'"


async def test_the_tests_are_listed_without_a_submission_and_share_the_points_of_the_file(tmp_path):
    found = assignment(tmp_path, test_examples=EXAMPLES + "\n    def test_a(): pass\n    def test_b(): pass\n")
    listed = await list_tests(found, found.tests[0], CONFINED)
    points = [
        (test.name.partition("::")[2], test.points, test.extra) for test in shared(sharing(found, 8).tests[0], listed)
    ]
    assert points == [
        ("test_moves", 3, False),
        ("test_sizes[1]", 1, False),
        ("test_sizes[2]", 1, False),
        ("test_extra", 2, True),
        ("test_a", Fraction(3, 2), False),
        ("test_b", Fraction(3, 2), False),
    ]
    assert await points_of_tests(sharing(found, 8), CONFINED) == (8, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "import pytest\n@pytest.mark.points('x')\ndef test_it(): pass",
            r"test_it.py::test_it: points\('x'\) cannot be read",
        ),
        ("def test_it(: pass", "line 1: SyntaxError"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
async def test_a_test_file_that_cannot_be_used_is_told_to_the_staff(tmp_path, text, sentence):
    found = assignment(tmp_path, test_it=text)
    with pytest.raises(BadOption, match=sentence):
        await list_tests(found, found.tests[0], CONFINED)


async def test_a_missing_test_file_is_told_with_the_nearest_one(tmp_path):
    found = assignment(tmp_path, test_it="def test_it(): pass")
    with pytest.raises(BadOption, match=r"test_its\.py; .*test_it\.py"):
        await list_tests(found, replace(found.tests[0], file="tests/test_its.py"), CONFINED)


async def test_without_a_sandbox_nothing_runs_unless_the_course_says_so(tmp_path):
    lacking = Confinement(mode="auto", ask=lambda: Machine("", lacks="there is no bubblewrap", remedy="install it"))
    with pytest.raises(BadOption, match="there is no bubblewrap; install it, or write `sandbox = false`"):
        await check(tmp_path, EXAMPLES, DOMINOES, lacking)
    found = await check(tmp_path, EXAMPLES, DOMINOES, Confinement(mode="off"))
    assert all(each.passed for each in found.values()), found


async def test_tests_that_the_time_of_all_does_not_reach_are_told(tmp_path):
    burn = "import time\ndef burn():\n    while time.process_time() < 2: pass\n"
    tests = burn + "\n".join(f"def test_{n}(): burn()" for n in range(4))
    found = assignment(tmp_path, test_it=tests)
    submission = write(tmp_path / "submission" / FILE, "").parent
    tested = await run_tests(found, found.tests[0], submission, CONFINED, 5)
    last = list(tested.outcomes.values())[-1]
    assert last.timed_out
    assert not last.passed
