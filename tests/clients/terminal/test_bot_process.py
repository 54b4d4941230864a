"""A bot in a process of its own: it plays as it would here, and what ends it ends nothing else."""

import os
import re

import pytest

from palio_clients.sdk.failures import BadBot
from palio_clients.terminal.opponent import GaveUp, Opponent, isolated
from palio_rules.games.dominoes import HORIZONTAL, Move
from palio_rules.registry import game

BOT = """
import ctypes, os, sys
from palio_clients import Bot
from palio_clients.sdk.failures import Resign
print("process", os.getpid(), file=sys.stderr)

class Mine(Bot):
    games = ("dominoes",)
    def __init__(self, how: str = "well"):
        self.how = how
    def prepare(self, game, options, seat):
        self.heard = []
    def opponent_moved(self, seat, move):
        self.heard.append(move)
    def choose(self, state, clock):
        if self.how == "exits":
            print("no \\x1b[2Jmore", file=sys.stderr)
            os._exit(7)
        if self.how == "segfaults":
            ctypes.string_at(0)
        if self.how == "raises":
            raise ValueError("no idea")
        if self.how == "resigns":
            raise Resign
        if self.how == "cheats":
            return self.heard[0]
        print("it is", state.to_move)
        return next(state.legal_moves())
"""


@pytest.fixture
async def opponent(tmp_path):
    (tmp_path / "mine.py").write_text(BOT)
    made = []

    def make(how):
        options = game("dominoes").parse_options({"rows": 3, "cols": 3})
        entrant = isolated(f"{tmp_path}/mine.py:how={how}")
        made.append(Opponent(entrant, options, HORIZONTAL, ("you", entrant.name), lambda _: None))
        return made[-1]

    yield make
    for each in made:
        await each.close()


@pytest.fixture
def match(table):
    return table.match("dominoes:rows=3,cols=3").play(Move(0, 0))


async def test_it_plays_from_another_process_which_is_gone_afterwards(opponent, match, capfd):
    bot = opponent("well")
    assert await bot.answer(match) == Move(0, 1)
    printed = capfd.readouterr().err
    assert "it is 1" in printed  # what a bot prints is not taken for its answer
    pids = {int(pid) for pid in re.findall(r"process (\d+)", printed)}
    await bot.close()
    others = pids - {os.getpid()}  # the file was loaded here, too, for its name and its games
    assert len(others) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(others.pop(), 0)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("exits", "its process exited with status 7 in mid-match, saying no"),
        ("segfaults", "its process was killed by SIGSEGV in mid-match"),
        ("raises", "ValueError: no idea"),
        ("resigns", "it resigns"),
        ("cheats", "3 illegal moves, the last because a3 is taken"),
    ],
)
async def test_however_it_fails_its_reason_is_one_line(opponent, match, how, reason):
    with pytest.raises(GaveUp) as gave_up:
        await opponent(how).answer(match)
    assert gave_up.value.reason.startswith(reason)
    assert "\n" not in str(gave_up.value)


def test_a_spec_without_sense_is_refused_before_any_process_starts():
    with pytest.raises(BadBot, match="did you mean 'random'"):
        isolated("randon")
