"""Real shells on a terminal: what a TAB makes of a line, as the shell itself then reads that line."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import click
import pytest
from conftest import program

from palio_server.cli.palio import palio
from palio_server.cli.shells import PalioBash, PalioFish, words_of

BIN = Path(sys.executable).parent
SHELLS = ("bash", "zsh", "fish")
STARTED = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
    "bash without colons": ["--norc", "--noprofile", "-i"],
}
# The prompt and `done` are written in two parts, so that the line that sets them up is no answer.
SET_UP = {
    "bash": """PS1="rea""dy> "; bind "set show-all-if-ambiguous on"; bind "set enable-bracketed-paste off"; """
    """shown() { printf "<%s>" "$@"; echo "<""done>"; }; eval "$(palio completion bash)"\n""",
    "zsh": """PS1="rea""dy> "; bindkey -e; autoload -Uz compinit && compinit -u -D; """
    """shown() { printf "<%s>" "$@"; echo "<""done>"; }; eval "$(palio completion zsh)"\n""",
    "fish": """function fish_prompt; echo -n "rea""dy> "; end; """
    """function shown; printf "<%s>" $argv; echo "<""done>"; end; palio completion fish | source\n""",
}
SET_UP["bash without colons"] = f"COMP_WORDBREAKS=${{COMP_WORDBREAKS//:/}}; {SET_UP['bash']}"
TAB, START_OF_LINE, ENTER = "\t", "\x01", "\r"


class Terminal:
    """A shell on a terminal of its own, 200 characters wide, in `folder`, which is its home, too."""

    def __init__(self, shell: str, folder: Path) -> None:
        name = shell.partition(" ")[0]
        path = program(name, name)
        environment = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm", "LANG": "C.UTF-8"}
        self.pid, self.side = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(path, [name, *STARTED[shell]], environment)
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
        self.screen = ""
        self.type(SET_UP[shell])
        self.until("ready> ")

    def type(self, text: str) -> None:
        os.write(self.side, text.encode())

    def until(self, pattern: str, seconds: float = 60) -> re.Match[str]:
        """Return the contents of the screen up to the pattern, and remove them."""
        end = time.monotonic() + seconds
        while (found := re.search(pattern, self.screen, re.DOTALL)) is None:
            if time.monotonic() > end:
                raise TimeoutError(f"{pattern!r} was not on the screen: {self.screen!r}")
            if select.select([self.side], [], [], 0.2)[0]:
                self.screen += os.read(self.side, 65_536).decode(errors="replace")
        self.screen = self.screen[found.end() :]
        return found

    def words(self, line: str, after: str = "|") -> list[str]:
        """The words of the line when TAB and then `after` have been typed behind it."""
        self.type(f"{line}{TAB}{after}{START_OF_LINE}shown {ENTER}")
        return re.findall("<([^<>]*)>", self.until(r"((?:<[^<>\r\n]*>)+)<done>.*?ready> ")[1])

    def close(self) -> None:
        os.close(self.side)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The words to complete."""
    made = tmp_path_factory.mktemp("home")
    (made / "bot.sh").write_text("#!/bin/sh\n")
    (made / "bot.sh").chmod(0o755)
    for name in ("hw4.py", "my student.py", "cities.tsp", "bot.txt"):
        (made / name).touch()
    (made / "deep").mkdir()
    (made / "deep" / "engine").write_text("#!/bin/sh\n")
    (made / "deep" / "engine").chmod(0o755)
    (made / "mygame.py").write_text(
        "from pathlib import Path\nPath('has-run').touch()\nclass Nim(Game[int, int]): ...\nclass Mine(Bot): ...\n"
    )
    return made


@pytest.fixture(scope="module")
def terminals(folder):
    opened: dict[str, Terminal] = {}

    def terminal(shell: str) -> Terminal:
        if shell not in opened:
            opened[shell] = Terminal(shell, folder)
        return opened[shell]

    yield terminal
    for each in opened.values():
        each.close()


# What stands behind a finished word is a word of its own; what goes on takes it.
LINES = [
    ("palio run dominoes exec:./b", ["exec:./bot.sh", "END"]),  # no text, and the colon once
    ("palio run ./mygame.py:", ["./mygame.py:Nim", "END"]),
    ("palio run dominoes handout:domi", ["handout:dominoes:END"]),
    ("palio export --format=cs", ["--format=csv", "END"]),
    ("palio run dominoes exec:./d", ["exec:./deep/END"]),
    ("palio run dominoes ugi:./deep/e", ["ugi:./deep/engine", "END"]),
    ("palio run dominoes old=exec:./b", ["old=exec:./bot.sh", "END"]),
    ("palio run dominoes old=./hw", ["old=./hw4.py", "END"]),
    ("palio run dominoes handout:dominoes:./hw", ["handout:dominoes:./hw4.py", "END"]),
    ("palio run dominoes handout:dominoes:my\\ ", ["handout:dominoes:my student.py", "END"]),
    ("palio run dominoes 'handout:dominoes:my s", ["handout:dominoes:my student.py", "END"]),
    ('palio run dominoes "exec:./b', ["exec:./bot.sh", "END"]),
    ("palio run ./ci", ["./cities.tsp", "END"]),
    ("palio run breakthrough:ro", ["breakthrough:rows=END"]),
    ("palio run breakthrough:rows=8,co", ["breakthrough:rows=8,cols=END"]),
    ("palio run x --openings file=ci", ["file=cities.tsp", "END"]),
    ("palio import ~/hw", ["{home}/hw4.py", "END"]),
    ("palio import my\\ s", ["my student.py", "END"]),
    ("palio tournament create x --trf=./ci", ["--trf=./cities.tsp", "END"]),
    ("palio export --what plies,se", ["plies,seats", "END"]),
    ("palio new bot mine --game dominoes --language ru", ["rust", "END"]),
    ("palio match list --status ab", ["aborted", "END"]),
    ("palio lead", ["leaderboard", "END"]),
    ("palio run breakthrough --games-per", ["--games-per-encounter", "END"]),
]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("line", "ends"), LINES)
@pytest.mark.first(12)
def test_a_tab_completes_the_word_once_and_in_whole(shell, line, ends, terminals, folder):
    wanted = [word.format(home=folder) for word in ends]
    assert terminals(shell).words(line, "END")[-len(wanted) :] == wanted


@pytest.mark.slow
@pytest.mark.parametrize(("line", "ends"), LINES)
def test_bash_completes_alike_where_a_colon_breaks_no_words(line, ends, terminals, folder):
    assert terminals("bash without colons").words(line, "END")[-len(ends) :] == [
        word.format(home=folder) for word in ends
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_cannot_be_read_is_left_as_it_is_without_a_word(shell, terminals):
    terminal = terminals(shell)
    terminal.type(f"palio nosuch x{TAB}END{START_OF_LINE}shown {ENTER}")
    found = terminal.until(r"^(.*?)<palio><nosuch><xEND><done>.*?ready> ")
    assert "there is no command" not in found[1]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_list_of_files_names_them_as_they_are_typed(shell, terminals):
    terminal = terminals(shell)
    terminal.type(f"palio run dominoes exec:./{TAB}")
    shown = terminal.until(r"exec:\./(.*)(bot\.sh.*deep/|deep/.*bot\.sh)")
    assert "bot.txt" not in shown[0]
    assert "exec:exec:" not in shown[0]
    terminal.type(f"{START_OF_LINE}shown {ENTER}")
    terminal.until("<done>.*?ready> ")


def sentences(group: click.Group) -> dict[str, str]:
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: " ".join(command.help.split("\n\n")[0].split()) for name, command in found.items()}


@pytest.mark.parametrize("words", ["palio ", "palio bot ", "palio new "])
def test_fish_shows_whole_sentences(words, folder):
    program("fish", "fish")
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    code = "palio completion fish | source; complete --do-complete $argv[1]"
    command = ["fish", "--no-config", "-c", code, words]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=folder).stdout
    group = palio
    for name in words.split()[1:]:
        group = group.get_command(click.Context(palio), name)
    told = dict(line.split("\t") for line in shown.splitlines())
    assert told.keys() == sentences(group).keys()
    for name, sentence in sentences(group).items():
        assert sentence.startswith(told[name].rstrip(".")), name
        assert "..." not in told[name]


def test_zsh_shows_whole_sentences(terminals):
    terminal = terminals("zsh")
    terminal.type(f"palio {TAB}")
    terminal.until("Show who issued, revoked, scheduled, stopped, voided or changed what, the newest last")
    terminal.type(f"{START_OF_LINE}shown {ENTER}")
    terminal.until("<done>.*?ready> ")


@pytest.mark.parametrize(
    ("line", "words", "in_quotes"),
    [
        ("palio run ", ["palio", "run", ""], False),
        ("palio run", ["palio", "run"], False),
        ("palio run 'a b", ["palio", "run", "a b"], True),
        ('palio run "', ["palio", "run", ""], True),
        ("palio run a\\ b", ["palio", "run", "a b"], False),
        ("palio run a\\", ["palio", "run", "a"], False),
        ("", [""], False),
    ],
)
def test_a_line_is_read_up_to_the_cursor(line, words, in_quotes):
    assert words_of(line) == (words, in_quotes)


def test_the_word_is_not_broken_at_colons(monkeypatch):
    monkeypatch.setenv("COMP_WORDS", "palio run dominoes exec:./b")
    assert PalioFish(palio, {}, "palio", "X").get_completion_args() == (["run", "dominoes"], "exec:./b")


@pytest.mark.parametrize("args", [["nosuch"], ["bot", "nosuch"]])
def test_a_line_that_cannot_be_read_raises_nothing(args):
    assert PalioFish(palio, {}, "palio", "X").get_completions(args, "") == []


def test_bash_gets_what_stands_behind_the_break(monkeypatch):
    monkeypatch.setenv("COMP_WORDS", "palio run dominoes handout:do")
    monkeypatch.setenv("COMP_KEPT", "palio run dominoes handout:")
    assert PalioBash(palio, {}, "palio", "X").complete() == "plain,dominoes:"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_takes_its_script_without_a_word(shell, folder):
    path = program(shell, shell)
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    script = subprocess.run(
        [shutil.which("palio", path=str(BIN)), "completion", shell],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    checked = subprocess.run([path, "-n"], input=script.stdout, capture_output=True, text=True, check=False, cwd=folder)
    assert (checked.returncode, checked.stderr, script.stderr) == (0, "", "")
