"""CPU time of a command and of what it starts."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")

WORK = "import time; end = time.process_time() + 0.4\nwhile time.process_time() < end: pass"


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_the_time_of_a_command_and_of_what_it_starts_are_told_apart():
    from process_tree import run

    tree = run(sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WORK!r}])")

    assert tree.cpu_s("process_time") >= 0.2
    assert tree.cpu_s(root=True) < tree.cpu_s("process_time")


def test_a_program_is_counted_though_its_parent_has_ended():
    from process_tree import run

    story = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {WORK!r}]); import time; time.sleep(0.3)"
    tree = run(sys.executable, "-c", story)

    assert tree.cpu_s("process_time") >= 0.2


def test_a_command_that_fails_says_what_it_said():
    from process_tree import run

    with pytest.raises(RuntimeError, match="ended with 3: oh dear"):
        run(sys.executable, "-c", "print('oh dear'); raise SystemExit(3)")
