"""`palio play` in a terminal, and where there is none."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

import pytest
from click.testing import CliRunner

from palio_clients.cli.play import play

COMMAND = [sys.executable, "-m", "palio_clients", "play"]


class Terminal:
    """A program in a pseudo-terminal of 80x24; what it writes is kept, what is typed it reads."""

    def __init__(self, command, **env):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environ = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
        environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | env
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ)
        os.close(theirs)
        self._pipe, self.shown = ours, ""

    def type(self, keys):
        os.write(self._pipe, keys.encode())

    def wait_for(self, text, seconds=60):
        """Read on until `text` has been written since the last call; then forget what was before."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            if not self._read(deadline):
                raise AssertionError(f"waited in vain for {text!r}; it wrote {self.shown[-3000:]!r}")
        self.shown = self.shown.partition(text)[2]

    def end(self, seconds=60):
        """The exit code, once the program has ended by itself, and the rest of what it wrote."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        return self.process.wait(max(1, deadline - time.monotonic())), self.shown

    def close(self):
        """End it whatever it does."""
        self.process.kill()
        self.process.wait()
        os.close(self._pipe)

    def _read(self, deadline):
        ready, _, _ = select.select([self._pipe], [], [], max(0, deadline - time.monotonic()))
        try:
            data = os.read(self._pipe, 65536) if ready else b""
        except OSError:  # Linux: nobody has the other end open any more
            data = b""
        self.shown += data.decode(errors="replace")
        return bool(data)


@pytest.fixture
def terminal():
    """Starts `palio play` in terminals of their own."""
    started = []

    def start(*words, **env):
        started.append(Terminal([*COMMAND, *words], **env))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["domino"], "unknown game 'domino'; did you mean 'dominoes'?"),
        (["tsp"], "there is no board for tsp yet; known: breakthrough, chess, chexers, chexers_solo, dominoes"),
        (["dominoes:rows=99"], "dominoes option rows='99'"),
        (["dominoes", "-o", "row=4"], "dominoes has no option 'row'; did you mean 'rows'?"),
        (["dominoes:rows=4", "-o", "rows=5"], "sets 'rows' twice; keep one of them"),
        (["dominoes:board=abc"], "'a' is none of"),
        (["dominoes", "randon"], "did you mean 'random'?"),
        (["dominoes", "random", "--seat", "vertica"], "dominoes has no seat 'vertica'; did you mean 'vertical'?"),
        (["dominoes", "--seat", "vertical"], "name one, as in palio play dominoes random"),
        (["dominoes", "random", "greedy"], "dominoes has 1 other seat; name one bot, got 2"),
        (["chexers", *["random"] * 3], "chexers has 2 other seats; name one bot for all of them or 2, got 3"),
        (["rush_hour", "random"], "rush_hour is played alone; leave 'random' out"),
        (["dominoes"], "palio play draws on a terminal, and this is none; run it without pipes and redirections"),
    ],
)
def test_a_command_line_without_sense_has_exit_code_two_and_one_sentence(words, sentence):
    result = CliRunner().invoke(play, words)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_help_has_examples():
    result = CliRunner().invoke(play, ["--help"])
    assert "palio play dominoes random -o rows=4 --seat horizontal" in result.stdout


def test_without_textual_it_says_what_to_install(terminal, tmp_path):
    (tmp_path / "textual.py").write_text("raise ModuleNotFoundError('No module named textual', name='textual')\n")
    code, shown = terminal("dominoes", PYTHONPATH=str(tmp_path)).end()
    assert code == 1
    assert "this needs textual, which is not installed; pip install 'palio[play]'" in shown


@pytest.mark.slow
def test_a_small_game_by_hand_from_the_first_key_to_the_last(terminal):
    screen = terminal("dominoes:rows=2,cols=3")
    screen.wait_for("Vertical to move")
    screen.type("\x1b[D\x1b[D\x1b[A\r")  # the cursor appears at the lower b; left, up, Enter
    screen.wait_for("vertical plays a2v")
    screen.type("3")
    screen.wait_for("limit 3: value")
    screen.type("r")
    screen.wait_for("n begins a new one")
    screen.type("q")
    code, rest = screen.end()
    assert code == 0
    assert "\x1b[?1049l" in rest  # the screen is as it was before


def test_a_click_in_the_terminal_places_a_domino(terminal):
    screen = terminal("dominoes")
    screen.wait_for("Vertical to move")
    screen.type("\x1b[<0;20;6M\x1b[<0;20;6m")  # xterm's words for: pressed, released, at column 20 of line 6
    screen.wait_for("vertical plays c7v")
    screen.type("\x03")  # Ctrl-C ends it, too
    assert screen.end()[0] == 0


@pytest.mark.slow
def test_a_student_s_file_answers_from_a_process_of_its_own(terminal, tmp_path):
    file = tmp_path / "adversarial_search.py"
    file.write_text(
        "class DominoesGame:\n"
        "    def __init__(self, board):\n"
        "        print('a board of', len(board))\n"
        "        self.board = board\n"
        "    def get_random_move(self, vertical):\n"
        "        return (2, 0)\n"
    )
    screen = terminal("dominoes", f"handout:dominoes:{file}", "-o", "rows=3", "-o", "cols=2")
    screen.wait_for("Vertical to move")
    screen.type("\x1b[A\x1b[A\x1b[A\r")
    screen.wait_for("plays a1h")
    screen.type("q")
    code, rest = screen.end()
    assert code == 0
    assert "a board of 3" in rest  # what the file printed is shown once the screen is free


@pytest.mark.slow
def test_a_bot_that_ends_its_process_ends_no_screen(terminal, tmp_path):
    (tmp_path / "dies.py").write_text(
        "import os\nfrom palio_clients import Bot\n\n"
        "class Dies(Bot):\n    def choose(self, state, clock):\n        os._exit(7)\n"
    )
    screen = terminal("dominoes:rows=2,cols=3", f"{tmp_path}/dies.py")
    screen.wait_for("Vertical to move")
    screen.type("r")
    screen.wait_for("You win (vertical): ")
    screen.type("q")
    code, rest = screen.end()
    assert code == 0
    assert "\x1b[?1049l" in rest  # the screen is as it was before
    assert "\x1b[?1000l" in rest  # and the mouse is the terminal's own


@pytest.mark.slow
def test_without_colour_no_colour_is_written(terminal):
    screen = terminal("dominoes:rows=2,cols=2", NO_COLOR="1")
    screen.wait_for("Vertical to move")
    screen.type("rq")
    code, rest = screen.end()
    assert code == 0
    assert "8;2;" not in rest  # 38;2;r;g;b is a foreground, 48;2;r;g;b a background
    assert "8;5;" not in rest
    coloured = terminal("dominoes:rows=2,cols=2")
    coloured.type("rq")
    assert "48;2;" in coloured.end()[1]
