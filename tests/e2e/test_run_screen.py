"""`palio run` on a screen: one line that is redrawn; elsewhere plain lines without any code."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import Started, program

RUN = ["run", "dominoes:rows=3,cols=3", "random", "greedy", "--rounds", "150", "--sandbox", "off"]
CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(folder, columns: int, **variables: str) -> tuple[str, str]:
    """Return the output to a terminal of so many columns on stderr, and to a pipe on stdout."""
    ours, theirs = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")}
    environment = known | {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "30"} | variables
    with subprocess.Popen(
        [Path(sys.executable).with_name("palio"), *RUN],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as run:
        os.close(theirs)
        screen = b""
        try:
            while part := os.read(ours, 65536):
                screen += part
        except OSError:  # the last program has closed its end
            pass
        os.close(ours)
        assert run.stdout is not None
        piped = run.stdout.read().decode()
    assert run.returncode == 0, screen
    return screen.decode(), piped


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
def test_a_screen_shows_one_line_with_games_pace_and_leader_whole(tmp_path, columns):
    screen, piped = shown(tmp_path, columns)
    lines = [CODE.sub("", line) for line in re.split(r"[\r\n]+", screen)]
    whole = [
        line
        for line in lines
        if re.search(r"300 of 300 games, [0-9.]+ games/s, best so far: \S+ \S+/\d+ +\d:\d\d:\d\d", line)
    ]
    assert whole, lines[-5:]
    assert all(len(line) <= columns for line in whole)
    assert "\x1b" not in piped
    assert "300" in piped


@pytest.mark.slow
@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_screen_that_takes_no_codes_gets_none(tmp_path, variable):
    screen, piped = shown(tmp_path, 80, **variable)
    assert "\x1b" not in screen
    assert "\x1b" not in piped


@pytest.mark.slow
def test_a_second_ctrl_c_tells_the_way_to_go_on_once_in_a_line_of_its_own_not_behind_the_bar(tmp_path):
    palio = str(Path(sys.executable).with_name("palio"))
    run = [palio, "run", "breakthrough:rows=6,cols=6", "random", "greedy", "--rounds", "3000", "--sandbox", "off"]
    started = Started(program(run, tmp_path), {**os.environ}, screen=True)
    try:
        started.line_with(" of 6000 games, ")
        started.process.send_signal(signal.SIGINT)
        time.sleep(0.3)  # two signals at once would be one; to end in its own order takes longer
        assert started.end(signal.SIGINT) == 130
    finally:
        started.close()
    [told] = [CODE.sub("", line) for line in started.errors if "--resume" in line]
    assert re.fullmatch(r"interrupted after \d+ of 6000 games; go on with: palio run --resume 1", told)
