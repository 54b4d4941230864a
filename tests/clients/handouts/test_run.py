"""A student's file that is broken loses cleanly, and its author reads why."""

import asyncio
import re
import subprocess
import sys

import pytest

from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_rules.errors import Rejection


async def failure(game, spec):
    """How a file fails, on being loaded or asked."""
    with pytest.raises((BadBot, PlayerFailed)) as caught:
        await game.ask(await game.sit(spec))
    return str(caught.value)


def best(body):
    return f"class DominoesGame:\n    def __init__(self, board): pass\n    def get_best_move(self, v, limit): {body}\n"


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{best('pass')}__import__('nowhere')",
            r'^Traceback.*\n  File ".*hw4\.py", line 4, in <module>(.|\n)*No module named .nowhere.$',
        ),
        (
            best("return limit / 0"),
            r'^Traceback.*\n  File ".*hw4\.py", line 3, in get_best_move(.|\n)*ZeroDivisionError',
        ),
        (best("return self.get_best_move(v, limit)"), "RecursionError"),
        (best("exit(3)"), "SystemExit: 3"),
        (best("import os; os._exit(3)"), r"^hw4\.py exited with status 3 in mid-match"),
        (best("return input()"), "EOFError"),
        (best("return (0, 0)"), r"^get_best_move returned \(0, 0\), the handout asks for \(move, value, leaves\)$"),
        (best("return object(), 1, 1"), r"^the file returned <object object at .*> for a move, which is none"),
        (best("return 10**30, 1, 1"), "a move that cannot be sent"),
    ],
)
async def test_an_exception_is_a_clean_loss_with_its_traceback(write, table, text, message):
    write("hw4.py", text)
    game = table("dominoes")
    reason = await failure(game, "handout:dominoes:hw4.py")
    assert re.search(message, reason), reason
    assert "palio_clients" not in reason
    assert not game.reports


@pytest.mark.first(1)
@pytest.mark.parametrize("move", ["(-1, 0)", "[0, 0.5]", "None", "'a1'", "(9, 9)"])
async def test_a_move_that_is_none_is_the_referees_to_reject(write, table, move):
    write("hw4.py", best(f"return {move}, 0, 1"))
    game = table("dominoes")
    player = await game.sit("handout:dominoes:hw4.py")
    with pytest.raises(Rejection):
        await game.ask(player)


async def test_an_action_without_its_value_is_the_referees_to_reject(write, table):
    write("mine.py", "def policy(decode_state): return (0, 14)")
    game = table("end_of_the_track")
    player = await game.sit("handout:end_of_the_track:mine.py")
    with pytest.raises(Rejection, match="got 0"):
        await game.ask(player)


async def test_a_player_ai_without_a_move_is_the_referees_to_reject(write, table):
    write("template.py", "class PlayerAI:\n    def make_move(self, board): return None\n")
    game = table("breakthrough", first="white")
    player = await game.sit("handout:breakthrough:template.py", 1)
    with pytest.raises(Rejection, match="got None"):
        await game.ask(player)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("course", "text", "message"),
    [
        ("breakthrough", "x = 1", "has neither PlayerAI nor a search"),
        ("end_of_the_track", "x = 1", "has no policy"),
        ("tsp", "x = 1", "has no hill_climbing"),
        (
            "end_of_the_track",
            "class A:\n    def policy(self, s): pass\nclass B:\n    def policy(self, s): pass\n",
            "mine.py has 2 players and no AdversarialSearchPlayer; choose one: player=A or player=B",
        ),
        (
            "end_of_the_track",
            "class A:\n    def __init__(self, depth): pass\n    def policy(self, s): pass\n",
            "mine.py, line 1: A asks for 'depth', which nobody has here",
        ),
        (
            "end_of_the_track",
            "def policy(s): return 14\n",
            r"policy returned 14, the handout asks for \(action, value\)",
        ),
    ],
)
async def test_a_file_that_is_not_what_its_handout_asks_for_is_reported(write, table, course, text, message):
    write("mine.py", text)
    assert re.search(message, await failure(table(course), f"handout:{course}:mine.py"))


async def test_files_of_a_students_folder_do_not_break_the_runner(write, table):
    for name in ("random", "json", "queue", "palio_rules", "game", "search"):
        write(f"{name}.py", "raise RuntimeError('the wrong one')" if name != "game" else "x = 1")
    write("hw4.py", "import game\nassert game.x == 1\n" + best("return (0, 0), 0.5, 1"))
    game = table("dominoes")
    player = await game.sit("handout:dominoes:hw4.py")
    assert await game.ask(player) == (0, 0)


@pytest.mark.slow
async def test_a_file_without_end_is_ended_with_the_match(write, table, monkeypatch):
    monkeypatch.setattr("palio_clients.sdk.stdio.LEAVE_S", 0.05)
    write("hw4.py", f"{best('pass')}while True: pass")
    game = table("dominoes")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await game.sit("handout:dominoes:hw4.py")
    program = game.players[0]._program
    await game.players[0].close()
    assert program.ended


@pytest.mark.slow
def test_a_file_whose_listener_is_gone_does_not_run_on(write):
    """The pipe is closed in mid-thought, as by kill -9 of whoever listens."""
    write("hw4.py", "print('up', flush=True)\nwhile True: pass")
    command = [sys.executable, "-P", "-m", "palio_clients.handouts.run", "dominoes", "hw4.py"]
    game = (
        '{"type":"game","match":"m","game":"dominoes","options":{},"setup":"","seat":0,"seats":[],'
        '"time":{"base_ms":null,"increment_ms":0,"move_ms":null,"margin_ms":200},"strikes":3}\n'
    )
    done = subprocess.run(command, input=game, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "up" in done.stderr


def test_a_wrong_command_line_is_answered():
    command = [sys.executable, "-P", "-m", "palio_clients.handouts.run", "domino", ".", "x.py"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "there is no course 'domino'" in done.stderr
