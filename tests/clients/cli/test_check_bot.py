"""`palio check-bot` prints a line a check, or an object, and its exit code says whether any has failed."""

import asyncio
import json
import signal
import subprocess
import sys
from dataclasses import asdict

import pytest
from click.testing import CliRunner

from palio_clients.checks.subject import CheckResult
from palio_clients.cli import check_bot as module
from palio_clients.cli.check_bot import _Printer, check_bot

MINE = """
from palio_clients import Bot
class Mine(Bot):
    games = ("dominoes",)
    def choose(self, state, clock):
        return next(state.legal_moves())
"""


def test_the_command_prints_a_line_a_check_and_exits_with_one_if_any_failed(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE.replace("return next(state.legal_moves())", "raise RuntimeError('out of ideas')"))
    result = CliRunner().invoke(check_bot, [str(path)])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "ok    says hello: mine plays dominoes, in msgpack"
    assert "FAIL  answers a turn: gives the match up: Traceback (most recent call last):" in lines
    assert any(line.startswith("      remedy: ") for line in lines)
    assert lines[-1].startswith("2 ok, 1 failed, ")


PRINTS = """
import sys, time
from palio_clients import Bot
class Prints(Bot):
    games = ("dominoes",)
    def choose(self, state, clock):
        print("thinking")
        print("doubting", file=sys.stderr)
        raise RuntimeError('out of ideas')
"""


@pytest.mark.parametrize("as_json", [False, True])
def test_what_the_bot_prints_is_shown_with_a_word_before_it_and_never_among_objects(tmp_path, as_json):
    path = tmp_path / "prints.py"
    path.write_text(PRINTS)
    result = CliRunner().invoke(check_bot, [str(path), *(["--json"] if as_json else [])])
    shown, other = (result.stderr, result.stdout) if as_json else (result.stdout, result.stderr)
    assert {"bot: thinking", "bot: doubting"} <= set(shown.splitlines())
    assert "bot: " not in other


def test_a_reader_that_leaves_after_a_line_ends_it_without_a_traceback(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    command = [sys.executable, "-m", "palio_clients", "check-bot", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().startswith("ok    says hello")
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()


def test_after_ctrl_c_it_says_that_checks_were_not_finished(tmp_path):
    path = tmp_path / "sleeps.py"
    path.write_text(PRINTS.replace("raise RuntimeError('out of ideas')", "time.sleep(600)"))
    command = [sys.executable, "-m", "palio_clients", "check-bot", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while process.stdout.readline() != "bot: thinking\n":
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1].splitlines()[-1] == (
            "interrupted during 'answers a turn': the checks were not finished"
        )
        assert process.returncode == 130
    finally:
        process.kill()
        process.communicate()


async def test_a_check_that_takes_long_is_named_once(capsys, monkeypatch):
    monkeypatch.setattr(module, "LONG_S", 0.0)
    printer = _Printer()
    printer.begin("answers a turn")
    await asyncio.sleep(0.01)
    printer.say("ok")
    monkeypatch.setattr(module, "LONG_S", 60.0)
    printer.begin("leaves when it is asked to")
    printer.end()
    assert capsys.readouterr() == ("ok\n", "checking: answers a turn\n")


def test_on_a_screen_the_last_line_names_the_check(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    printer = _Printer()
    printer.begin("answers a turn")
    printer.say("bot: hello", err=True)
    printer.end()
    erased = "\r\033[K"
    named = "checking: answers a turn"
    assert capsys.readouterr().err == f"{named}{erased}bot: hello\n{named}{erased}"


def test_what_a_students_file_certainly_lacks_is_one_sentence(tmp_path):
    (tmp_path / "hw4.py").write_text("class DominoesGame:\n    def __init__(self, rows, cols): pass\n")
    result = CliRunner().invoke(check_bot, [f"handout:dominoes:{tmp_path}/hw4.py"])
    assert result.exit_code == 2
    assert "hw4.py, line 2: __init__(self, rows, cols) takes other arguments than the handout gives" in result.stderr


@pytest.mark.parametrize("as_json", [False, True])
def test_the_form_of_a_term_is_among_what_is_printed(tmp_path, as_json):
    (tmp_path / "ps2.py").write_text("def hill_climbing(cities, distances): pass\n1 / 0\n")
    result = CliRunner().invoke(check_bot, [f"handout:tsp:{tmp_path}/ps2.py", *(["--json"] if as_json else [])])
    line = result.stdout.splitlines()[0]
    said = "ps2.py plays by hill_climbing(cities, distances) of CS2109S 2023/24"
    assert (json.loads(line) if as_json else line) == (asdict(CheckResult("loading", "ok", said)) if as_json else said)


@pytest.mark.slow
def test_as_json_each_check_is_an_object(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    result = CliRunner().invoke(check_bot, [str(path), "--json"])
    assert result.exit_code == 0, result.stdout
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    assert findings[0] == asdict(CheckResult("says hello", "ok", "mine plays dominoes, in msgpack"))
    assert len(findings) == 12


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "give a bot's SPEC, or --listen PORT"),
        (["random", "--listen", "0"], "give a bot's SPEC, or --listen PORT"),
        (["randon"], "did you mean 'random'?"),
        (["random", "--game", "ludo"], "random does not play 'ludo'"),
    ],
)
def test_a_command_line_without_sense_has_exit_code_two(words, sentence):
    result = CliRunner().invoke(check_bot, words)
    assert result.exit_code == 2
    assert sentence in result.stderr
