"""The command line: every error is one sentence with the remedy, every help has examples, and it starts fast."""

import logging
import subprocess
import sys

import click
import pytest

from palio_db.errors import NameTaken
from palio_db.store import Store
from palio_rules.errors import BadOption, BadRecord
from palio_server.cli import palio
from palio_server.cli.command import CommandFailed
from palio_server.cli.palio import call
from palio_server.processes import BotFailed

OURS = ["run", "serve", "demo", "analyse", "watch", "leaderboard", "match", "bot", "verify"]
HEAVY = {"starlette", "sqlalchemy", "uvicorn", "numpy", "numba", "palio_db", "rich"}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALIO_DEBUG", raising=False)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rnu"], "there is no command 'rnu'; did you mean 'run'?"),
        (["help"], "there is no command 'help'; write palio --help"),
        (["help", "run"], "there is no command 'help'; write palio run --help"),
        (["bot", "help", "addd"], "there is no command 'help'; write palio bot --help"),
        (["bot", "ad"], "there is no command 'ad'; did you mean 'add'?"),
        (["match", "strat"], "there is no command 'strat'; did you mean 'start'?"),
        (["run", "dominoes", "a", "b", "--rouns", "3"], "there is no option --rouns; did you mean '--rounds'?"),
        (["run", "dominoes", "a", "b", "--rounds", "x"], "'x' is not a valid integer"),
        (["run", "dominoes", "a", "b", "--seed", "x"], "'x' is not a valid integer; see palio run --help"),
        (["run", "dominoes", "a", "b", "-o", "rows=99"], "option rows='99': expected `int` <= 16"),
        (["match", "start", "dominoes", "a", "b", "-o", "rows"], "'rows'"),
        (["run"], "name a game and two bots, as in `palio run breakthrough random greedy`"),
        (["run", "braekthrough", "a", "b"], "unknown game 'braekthrough'; did you mean 'breakthrough'?"),
        (["run", "dominoes", "random"], "needs two bots at least"),
        (["run", "dominoes", "a", "b", "tc=fast"], "'fast' is no time control; write seconds+increment"),
        (["run", "dominoes", "a", "b", "--option", "rows"], "--option 'rows' is no setting; write --option KEY=VALUE"),
        (["run", "dominoes:rwos=6", "a", "b"], "dominoes has no option 'rwos'; did you mean 'rows'?"),
        (["run", "dominoes", "--resume", "1"], "--resume takes game and bots from the database; leave them out"),
        (["run", "--resume", "1"], "there is no database at sqlite:///palio.db; run a tournament first"),
        (["leaderboard"], "there is no database at sqlite:///palio.db; run a tournament first"),
        (["leaderboard", "--game", "xyzzy"], "unknown game 'xyzzy'; known: breakthrough"),
        (["leaderboard", "--db", "mysql://x/y"], "unknown database 'mysql'"),
        (["verify"], "there is no database at sqlite:///palio.db"),
        (["bot", "revoke"], "name a bot, or a token with --token NUMBER"),
        (["bot", "add", "no spaces please"], "'no spaces please' is no name for a bot"),
        (["watch", "--url", "ftp://x"], "'ftp://x' is no address of a server; write http://HOST:PORT"),
        (["watch", "--url", "http://127.0.0.1:1"], "no server answers at http://127.0.0.1:1; start one with"),
        (["match", "list", "--url", "http://127.0.0.1:1"], "no server answers at http://127.0.0.1:1; start one with"),
        (["match", "start", "brek", "a", "b"], "unknown game 'brek'"),
        (["match", "start", "nim", "a", "b"], "if it is a game of a file, name that: ./nim.py"),
        (
            ["leaderboard", "--game", "chexers:max_turns=3"],
            "the ratings of chexers are for all its settings together, not by 'max_turns'",
        ),
        (["match", "list", "--game", "chexers:max_turns=3"], "the game's name alone is meant: chexers"),
        (["serve", "--game", "go:size=19"], "--game go:size=19 has settings, which are for the ladder; add --ladder"),
        (["serve", "--tc", "soon"], "'soon' is no time control"),
        (["serve", "--bot", "random", "--auth"], "--bot is for servers without tokens"),
    ],
)
def test_an_error_is_one_sentence_with_its_remedy(words, sentence, capsys):
    assert call(words) in (1, 2)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("palio: ")
    assert sentence in printed.err
    assert "Traceback" not in printed.err
    assert len(printed.err.splitlines()) == 1


@pytest.mark.parametrize("words", [["run", "./board.in:size=5"], ["match", "start", "board.in", "-o", "size=5"]])
def test_a_setting_that_a_file_leaves_without_a_meaning_is_refused(words, tmp_path, capsys):
    (tmp_path / "board.in").write_text("......\n......\naa...b\n.....b\n......\n......\n")
    assert call([*words, "random"]) == 2
    assert "the option 'size' of rush_hour is for instances that are drawn, and" in capsys.readouterr().err


def test_wrong_use_ends_with_2_and_a_failure_with_1(capsys):
    assert call(["run", "--nonsense"]) == 2
    assert call(["watch", "--url", "http://127.0.0.1:1"]) == 1


@pytest.mark.parametrize(
    ("bot", "sentence"),
    [
        ("randon", "no bot called 'randon' is installed; did you mean 'random'?"),
        ("best=uzi:stockfish", "no bot called 'uzi' is installed; "),
        ("mine", "no bot called 'mine' is installed; known: "),
        ("./nothing.py", "there is no file './nothing.py' in "),
    ],
)
def test_a_server_does_not_start_with_a_bot_that_is_not_there(bot, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    assert call(["serve", "--port", "0", "--bot", bot]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert ("; for the file write ./mine.py" in said) == (bot == "mine")
    assert not (tmp_path / "palio.db").exists()


def test_a_python_that_has_it_runs_it_as_a_module():
    done = subprocess.run([sys.executable, "-m", "palio", "nope"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr[:34]) == (2, "palio: there is no command 'nope';")


def failing(error):
    def fail(*_, **__):
        raise error

    return click.Command("fail", callback=fail)


@pytest.mark.parametrize(
    ("error", "sentence", "code"),
    [
        (BadOption("give less"), "palio: give less\n", 2),
        (CommandFailed("nobody is there"), "palio: nobody is there\n", 1),
        (BotFailed("Ann has crashed"), "palio: Ann has crashed\n", 1),
        (NameTaken("Ann is taken"), "palio: Ann is taken\n", 1),
        (BadRecord("line 1: no tag"), "palio: line 1: no tag\n", 1),
        (click.ClickException("The port is busy."), "palio: the port is busy\n", 1),
        (OSError(98, "port 80 is busy; choose another"), "palio: port 80 is busy; choose another\n", 1),
        (FileNotFoundError(2, "No such file or directory", "x/y"), "palio: no such file or directory: x/y\n", 1),
        (ExceptionGroup("tasks", [ExceptionGroup("more", [BadOption("deep down")])]), "palio: deep down\n", 2),
        (ZeroDivisionError("oops"), "palio: unexpected ZeroDivisionError: oops; PALIO_DEBUG=1 shows where\n", 1),
        (KeyboardInterrupt(), "\npalio: interrupted\n", 130),
    ],
)  # fmt: skip
def test_no_exception_ends_in_a_traceback(error, sentence, code, monkeypatch, capsys):
    monkeypatch.setattr(palio.Palio, "get_command", lambda *_: failing(error))
    assert call(["run"]) == code
    assert capsys.readouterr().err == sentence


def test_a_pipe_that_was_closed_is_no_error_to_speak_of(monkeypatch, capfd):
    closed = ExceptionGroup("tasks", [BrokenPipeError(), ExceptionGroup("more", [BrokenPipeError()])])
    monkeypatch.setattr(palio.os, "dup2", lambda *_: None)
    for error in (BrokenPipeError(), closed):
        monkeypatch.setattr(palio.Palio, "get_command", lambda *_, error=error: failing(error))
        assert call(["run"]) == 1
    assert capfd.readouterr().err == ""


@pytest.fixture
def debugging(monkeypatch):
    """PALIO_DEBUG=1, whose logging ends with the test."""
    ours = logging.getLogger("palio_server")
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setenv("PALIO_DEBUG", "1")
    level = ours.level
    yield ours
    ours.setLevel(level)


def test_debug_shows_the_traceback_too(monkeypatch, capsys, debugging):
    monkeypatch.setattr(palio.Palio, "get_command", lambda *_: failing(ZeroDivisionError("oops")))
    call(["run"])
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_debug_has_what_is_refused_logged(monkeypatch, debugging):
    monkeypatch.setattr(palio.Palio, "get_command", lambda *_: failing(ValueError("no")))
    assert not debugging.isEnabledFor(logging.INFO)
    call(["run"])
    assert debugging.isEnabledFor(logging.INFO)


def test_a_command_that_cannot_be_loaded_spoils_nothing_but_itself(monkeypatch, capsys):
    class Broken:
        def load(self):
            raise ImportError("no module named x")

    monkeypatch.setattr(palio, "_entries", lambda: {"bad": Broken(), "worse": Broken()})
    assert call(["--help"]) == 0
    assert "(cannot be loaded)" in capsys.readouterr().out
    assert call(["bad", "--flag", "word"]) == 1
    assert "the command 'bad' cannot be loaded: no module named x; reinstall what brings it" in capsys.readouterr().err


@pytest.mark.parametrize("command", OURS)
def test_the_help_of_each_command_ends_with_examples(command, capsys):
    assert call([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"palio {command}" in shown[shown.index("Examples:") :]


@pytest.mark.parametrize(
    ("group", "commands"),
    [("match", ["start", "list", "show", "replay", "export"]), ("bot", ["add", "list", "revoke"])],
)
def test_the_help_of_each_subcommand_ends_with_examples(group, commands, capsys):
    for command in commands:
        assert call([group, command, "--help"]) == 0
        shown = capsys.readouterr().out
        assert f"palio {group} {command}" in shown[shown.index("Examples:") :]


def test_ctrl_c_while_the_interpreter_ends_leaves_the_exit_code_unchanged():
    code = """
import atexit, os, signal
from palio_server.cli import palio
palio.call = lambda _: 130
atexit.register(os.kill, os.getpid(), signal.SIGINT)
palio.main([])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (130, "")


def test_the_help_lists_every_command(capsys):
    assert call(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in [*OURS, "join", "check-bot"]:
        assert f"\n  {command} " in shown
    assert "Examples:" in shown


@pytest.mark.parametrize("group", [[], ["match"], ["bot"]], ids=["palio", "match", "bot"])
def test_a_list_of_commands_says_of_each_a_whole_sentence(group, capsys):
    assert call([*group, "--help"]) == 0
    commands = capsys.readouterr().out.partition("Commands:")[2].partition("Examples:")[0]
    assert commands
    assert "..." not in commands.replace("ID...", "")


def test_the_version_is_said(capsys):
    assert call(["--version"]) == 0
    assert capsys.readouterr().out.startswith("palio ")


@pytest.mark.parametrize(
    "words", [[], *([command] for command in OURS), ["match", "start"], ["bot", "add"]], ids=" ".join
)
def test_the_help_loads_nothing_heavy(words):
    command = f"from palio_server.cli.palio import call; call({[*words, '--help']})"
    probe = f"import sys; {command}; print({HEAVY} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def silently(words) -> str:
    """Code that runs `palio` and shows nothing of it."""
    mute = "import os, sys; sys.stdout = sys.stderr = open(os.devnull, 'w')"
    return f"{mute}\nfrom palio_server.cli.palio import call; call({words})\nsys.stdout = sys.__stdout__"


@pytest.mark.parametrize("verb", ["run", "serve", "demo", "leaderboard", "match"])
def test_the_help_of_a_verb_loads_no_library_but_those_that_it_is_made_of(verb, loaded_by):
    assert loaded_by(silently([verb, "--help"])) == {"click", "msgspec", "palio_rules", "palio_server"}


@pytest.mark.parametrize("words", [["leaderboard"], ["match", "list"]])
async def test_what_only_reads_the_database_loads_nothing_for_matches_viewers_and_bots(words, loaded_by, tmp_path):
    url = f"sqlite:///{tmp_path}/palio.db"
    async with await Store.open(url):
        pass
    found = loaded_by(silently([*words, "--db", url]))
    assert {"palio_db", "sqlalchemy"} <= found
    assert not found & {
        "aiomqtt",
        "alembic",
        "numba",
        "numpy",
        "psycopg",
        "rich",
        "starlette",
        "textual",
        "uvicorn",
        "websockets",
    }
