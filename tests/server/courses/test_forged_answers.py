"""Students' code that earns points without the answer: with the fixture `student` each attempt costs its own test."""

from pathlib import Path
from textwrap import dedent

import pytest
from dominoes_file import FILE
from made_assignments import assignment, write

from palio_server.courses.sandboxed_tests import list_tests, run_tests
from palio_server.sandbox.bubblewrap import MIB, SandboxLimits
from palio_server.sandbox.confinement import Confinement

CONFINED = Confinement(SandboxLimits(memory=800 * MIB), mode="require")
SECRET = "17-98-3141"  # what the tests expect, and what no student's code may find

# The body of the function that a test calls: what it attempts, and a part of the reason that is told.
FORGED = {
    "equal_tuple": ("return Equal((1, 2))", "got (1, 2)"),
    "equal_int": ("class E(int): __eq__ = lambda *_: True\nreturn E(3)", "got 3"),
    "equal_text": ("class E(str): __eq__ = lambda *_: True\nreturn E('x')", "got 'x'"),
    "equal_list": ("class E(list): __eq__ = lambda *_: True\nreturn E([1])", "got [1]"),
    "equal_inside": ("return [Equal((1, 2))]", "got [(1, 2)]"),
    "equal_object": ("class E:\n    __eq__ = lambda *_: True\n    __hash__ = None\nreturn E()", "<E of the student>"),
    "equal_by_metaclass": (
        "class M(type):\n    __eq__ = lambda *_: True\n    __instancecheck__ = lambda *_: True\nreturn M('E', (), {})",
        "<M of the student>",
    ),
    "frames": ("return found(v for f in all_frames() for v in (f.f_globals | f.f_locals).values())", "got None"),
    "garbage": ("import gc\nreturn found(map(repr, gc.get_objects()))", "got None"),
    "own_memory": ("return found(memory('self'))", "got None"),
    "others_memory": ("return found(text for pid in pids() for text in memory(pid))", "got None"),
    "others_descriptors": (
        "return found(read(f'/proc/{pid}/fd/{fd}') for pid in pids() for fd in range(20))",
        "got None",
    ),
    "others_environment": ("return found(read(f'/proc/{pid}/{n}') for pid in pids() for n in WORLD)", "got None"),
    "own_descriptors": ("return found(drained(fd) for fd in range(4, 200))", "got None"),
    "files": ("return found(map(read, glob.glob('/tmp/**', recursive=True)))", "got None"),
    "handle": ("return found([repr(vars(sys.modules[m])) for m in list(sys.modules)])", "got None"),
    "forks_and_both_answer": ("os.fork()\nreturn 'x'", "expected"),
    "prints_the_protocol": (
        'print(\'{"passed": true, "token": ""}\\n{"test": "test_it.py::test_x", "passed": true}\')',
        "got None",
    ),
    "writes_to_all": (
        "for fd in range(200):\n    try: os.write(fd, b'{\"passed\": true}\\n' * 9)\n    except OSError: pass",
        "the answer: it is larger than 4 MB",
    ),
    "writes_an_answer_first": (
        "import socket\nsocket.socket(fileno=os.dup(3)).sendall(frame(('ok', 99, 'x')))",
        "the answer: it answers what was not asked",
    ),
    "writes_from_a_thread": (
        "import threading\nthreading.Thread(target=lambda: os.write(3, b'\\0\\0\\0\\1N')).start()\ntime.sleep(0.2)",
        "the answer: it answers what was not asked",
    ),
    "writes_bytes_of_its_own": ("os.write(3, b'\\0\\0\\0\\2R9')", "the answer: it is no plain data"),
    "claims_a_function_of_the_tests": (
        "os.write(3, frame(('asks', 0, (), {})))",
        "the answer: it answers what was not asked",
    ),
    "patches_the_codec": (
        "import palio_clients.grading.codec as c\nc.encode = lambda *_: b'T'",
        "the answer: it answers what was not asked",
    ),
    "patches_builtins": (
        "import builtins, json\nbuiltins.isinstance = builtins.len = json.dumps = lambda *_: True\nreturn 'x'",
        "",
    ),
    "patches_the_grader": (
        "import palio_clients.grading.plugin as plugin\nplugin.CourseTests.run = lambda self, name: (True, None)",
        "got None",
    ),
    "is_huge": ("return 'x' * (9 << 20)", "the answer: it is larger than 4 MB"),
    "is_without_end": ("x = []\nx.append(x)\nreturn x", "the answer: it is nested more than 100 levels deep"),
    "comes_late": ("time.sleep(0)\nburn(3)\nreturn 'x'", "not finished after 1 s of processor time"),
    "comes_late_and_catches": (
        "try: burn(3)\nexcept BaseException: pass\nreturn 'x'",
        "not finished after 1 s of processor time",
    ),
    "burns_in_its_children": (
        "if not os.fork(): burn(9)\nos.wait()\nreturn 'x'",
        "not finished after 1 s of processor time",
    ),
    "exits": ("os._exit(0)", "its program ended during the test with exit code 0"),
    "exits_as_python_does": ("sys.exit(0)", "SystemExit: 0"),
    "exits_pytest": ("import pytest\npytest.exit('all passed', returncode=0)", "Exit: all passed"),
    "skips": ("import pytest\npytest.skip('not needed')", "Skipped: not needed"),
    "segfaults": ("import ctypes\nctypes.string_at(0)", "its program ended during the test by SIGSEGV"),
    "kills_its_parent": ("os.kill(os.getppid(), 9)\ntime.sleep(60)", "ended"),
    "kills_all": ("for pid in pids(): os.kill(pid, 9)\ntime.sleep(60)", "ended"),
    "stops_its_parent": ("os.kill(os.getppid(), 19)\nreturn 'x'", ""),
    "registers_an_exit": ("import atexit\natexit.register(lambda: os.write(3, frame(('ok', 1, 'x'))))", "got None"),
    "takes_memory": ("return len([bytearray(10**8) for _ in range(100)])", "MemoryError"),
}
LIBRARY = """
import glob, os, re, sys, time
WORLD = ("environ", "maps", "auxv", "cmdline", "stack")

class Equal(tuple):
    __eq__ = lambda *_: True
    __ne__ = lambda *_: False
    __hash__ = tuple.__hash__

def found(texts):
    for text in filter(lambda each: isinstance(each, str), texts):
        if secret := re.search("17-98-[0-9]{4}", text):
            return secret[0]

def read(place):
    try:
        with open(place, "rb") as file:
            return file.read(1 << 20).decode("latin-1")
    except (OSError, ValueError):
        return ""

def all_frames():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back

def pids():
    return [int(each) for each in os.listdir("/proc") if each.isdigit() and int(each) not in (1, os.getpid())]

def memory(pid):
    for line in read(f"/proc/{pid}/maps").splitlines():
        first, last = (int(each, 16) for each in line.split()[0].split("-"))
        try:
            with open(f"/proc/{pid}/mem", "rb", 0) as file:
                file.seek(first)
                yield file.read(min(last - first, 1 << 26)).decode("latin-1")
        except (OSError, ValueError, OverflowError):
            pass

def drained(fd):
    try:
        os.set_blocking(fd, False)
        return os.read(fd, 9999).decode("latin-1")
    except OSError:
        return ""

def frame(value):
    from palio_clients.grading.codec import encode
    data = encode(value, lambda _: ("object", 0))
    return len(data).to_bytes(4, "big") + data

def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass

def good():
    return "go" + "od"
"""


def submission(folder: Path) -> Path:
    functions = [
        f"def {name}():\n" + "\n".join(f"    {line}" for line in body.splitlines())
        for name, (body, _) in FORGED.items()
    ]
    return write(folder / "submission" / FILE, "\n\n".join((LIBRARY, *functions))).parent


@pytest.fixture(scope="module")
def forged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forged")
    tests = "\n".join(
        f"@pytest.mark.points(1, seconds={20 if 'others' in name or 'own' in name else 1})\n"
        f"def test_{name}(student):\n    assert student.module('adversarial_search').{name}() == EXPECTED\n\n"
        f"def test_after_{name}(student):\n    assert student.module('adversarial_search').good() == 'good'\n"
        for name in FORGED
    )
    return assignment(folder, test_it=f"import pytest\n\nEXPECTED = {SECRET!r}\n\n{tests}"), submission(folder)


@pytest.mark.slow
@pytest.mark.parametrize("confinement", [CONFINED, Confinement(mode="off")], ids=["sandbox", "no-sandbox"])
async def test_no_attempt_earns_its_test_and_each_costs_that_test_alone(forged, confinement):
    found, folder = forged
    if confinement.mode == "off":  # what ends or reads all processes is for a sandbox only
        left_out = ("kills_all", "others_", "stops", "files", "takes_memory")
        text = (found.folder / found.tests[0].file).read_text()
        kept = [part for part in text.split("\n@pytest") if not any(f"test_{word}" in part for word in left_out)]
        (found.folder / found.tests[0].file).write_text("\n@pytest".join(kept))
    tested = await run_tests(found, found.tests[0], folder, confinement, 300)
    about = {name.partition("::test_")[2]: each for name, each in tested.outcomes.items()}
    assert not [name for name in about if name in FORGED and about[name].passed]
    whys = {name: about[name].why for name in about if name in FORGED}
    assert not {name: why for name, why in whys.items() if FORGED[name][1] not in why}
    assert not [name for name, each in about.items() if name.startswith("after_") and not each.passed]
    assert not [name for name, each in about.items() if SECRET in each.said]


async def check(folder: Path, tests: str, own: str):
    found = assignment(folder, test_it=tests)
    handed_in = write(folder / "submission" / FILE, own).parent
    tested = await run_tests(found, found.tests[0], handed_in, CONFINED, 60)
    return {name.partition("::test_")[2]: each for name, each in tested.outcomes.items()}


async def test_a_students_program_reads_like_one_in_the_tests_own_process(tmp_path):
    tests = """
        import pytest

        @pytest.fixture
        def own(student):
            return student.module("adversarial_search")

        def test_objects(own):
            game = own.Game(2)
            game.size += 1
            assert (game.size, game.moves(), list(game.lazily()), game.self() is game) == (3, [(0, 1)], [0, 1, 2], True)

        def test_functions(own): assert own.twice(lambda n: n + 1, 5) == 7
        def test_errors(own):
            with pytest.raises(ValueError, match="no such move"):
                own.refuse()
            with pytest.raises(OSError):
                own.missing_file()
            assert own.twice(abs, -1) == 1
        def test_missing(own): assert getattr(own, "nothing", 7) == 7
        def test_kept(student, own):
            board = student.keep([1, 2])
            own.spoil(board)
            assert student.value(board) == [1, 2], "the board is changed"
        def test_no_value_is_the_tests_own(own): own.twice(object(), 5)
        def test_refused(own): own.refuse()
        def test_programs(student):
            reader, place = "import sys; print(open(sys.argv[1]).read())", student.file("a.txt", "x")
            ran = student.run("python3", "-c", reader, place)
            assert ran == (0, "x\\n", "")
    """
    own = """
        class Game:
            def __init__(self, size): self.size = size
            def moves(self): return [(0, 1)]
            def lazily(self): yield from range(self.size)
            def self(self): return self

        def twice(function, n): return function(function(n))
        def refuse():
            print("in refuse")
            raise ValueError("no such move")
        def spoil(board): board[0] = 9
        def missing_file(): open("/nowhere")
    """
    found = await check(tmp_path, tests, own)
    assert {name for name, each in found.items() if not each.passed} == {"kept", "no_value_is_the_tests_own", "refused"}
    assert found["kept"].why == "the board is changed: expected [1, 2], got [9, 2]"
    assert found["refused"].why == "ValueError: no such move (adversarial_search.py, line 11)"
    assert found["refused"].said.startswith("in refuse\n")


async def test_a_submission_that_cannot_be_imported_says_so(tmp_path):
    found = await check(
        tmp_path, "def test_it(student): student.module('adversarial_search')", "import nothing_like_it"
    )
    why = "cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it' (adversarial_search.py, line 1)"
    assert found["it"].why == why


async def test_tests_apart_from_the_student_cannot_import_the_student(tmp_path):
    text = "import adversarial_search\ndef test_it(student): pass"
    found = assignment(tmp_path, test_it=dedent(text))
    with pytest.raises(Exception, match=r"imports adversarial_search, .* write student.module\('adversarial_search'\)"):
        await list_tests(found, found.tests[0], CONFINED)


async def test_a_test_file_that_ends_its_process_is_told_by_how_it_ended(tmp_path):
    found = assignment(tmp_path, test_it="import os, sys\nprint('no more', file=sys.stderr)\nos._exit(3)")
    with pytest.raises(Exception, match=r"test_it\.py: its program ended while it was read with exit code 3"):
        await list_tests(found, found.tests[0], CONFINED)


@pytest.mark.slow
async def test_a_limit_counts_the_processor_and_sleeping_is_bounded_by_the_wall(tmp_path):
    tests = """
        import pytest
        @pytest.mark.points(1, seconds=0.5)
        def test_waits(student): student.module("time").sleep(1)
        @pytest.mark.points(1, seconds=0.2)
        def test_sleeps(student): student.module("time").sleep(100)
    """
    found = await check(tmp_path, tests, "")
    assert found["waits"].passed
    assert found["sleeps"].why.startswith("not finished after 12 s, 0")
    assert found["sleeps"].timed_out
