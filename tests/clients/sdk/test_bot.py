"""An author's editor knows every type: a bot that names its position and move has no `Any` anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, lacking

from palio_clients import Bot
from palio_rules.games.breakthrough import Move, Position

TYPED = """
from collections.abc import Callable

from palio_clients import AnytimeBot, Bot, Clock, Resign, run
from palio_rules.contract.messages import Result
from palio_rules.game import Game, Options
from palio_rules.games.breakthrough import BreakthroughOptions, Move, Position
from palio_rules.games.tsp import Position as Cities
from palio_rules.boards.cities import Tour


class Mine(Bot[Position, Move]):
    games = ("breakthrough",)

    def __init__(self, nerve: float = 0.5) -> None:
        self.nerve = nerve
        self.seen: dict[Position, Move] = {}

    def prepare(self, game: Game[Position, Move], options: Options, seat: int) -> None:
        assert isinstance(options, BreakthroughOptions)
        self.size = options.rows * options.cols

    def choose(self, state: Position, clock: Clock) -> Move:
        moves = list(state.legal_moves())
        if clock.expired() or self.size < 4:
            raise Resign
        best = next((move for move in moves if move.src[1] != move.dst[1]), moves[0])
        self.seen[state.play(best)] = best
        self.tell(depth=1, nodes=len(moves), pv=[best], text=self.game.notation(state, best))
        reveal_type(best)
        reveal_type(self.game)
        reveal_type(self.options)
        return best

    def opponent_moved(self, seat: int, move: Move) -> None:
        print(seat, move.src)

    def move_rejected(self, move: Move, code: str, reason: str) -> None:
        print(move, code, reason)

    def game_over(self, result: Result) -> None:
        print(result.scores[self.seat])


class Later(Bot[Position, Move]):
    async def choose(self, state: Position, clock: Clock) -> Move:
        return next(state.legal_moves())


class Tours(AnytimeBot[Cities, Tour]):
    def improve(self, state: Cities, stop: Callable[[float], bool]) -> Tour:
        tour = tuple(range(state.instance.size))
        return tour if stop(state.instance.length(tour)) else state.best or tour


if __name__ == "__main__":
    run(Mine, "ws://127.0.0.1:8000", name="mine")
"""

UNTYPED = """
from collections.abc import Callable

from palio_clients import Bot, Clock
from palio_rules.game import State


class Any_(Bot):
    def choose(self, state: State[object], clock: Clock) -> object:
        return next(state.legal_moves())


reveal_type(Any_().game)
"""

WRONG = """
from palio_clients import Bot, Clock
from palio_rules.games.breakthrough import Move, Position


class Mine(Bot[Position, Move]):
    def choose(self, state: Position, clock: Clock) -> Move:
        return state.rows()
"""

NO_ANY = ["--disallow-any-expr", "--disallow-any-explicit", "--disallow-any-decorated", "--disallow-any-unimported"]


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """What `mypy --strict` says of a file of an author's, who has Palio installed."""
    folder = tmp_path_factory.mktemp("author")

    def check(text, *flags):
        (folder / "mine.py").write_text(text)
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, *flags, "mine.py"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, cwd=folder)
        return done.stdout

    return check


@pytest.mark.slow
def test_a_typed_bot_has_no_any(check):
    said = check(TYPED, *NO_ANY)
    assert "Success" in said, said
    assert "fallback=palio_rules.games.breakthrough.Move]" in said
    assert '"palio_rules.game.Game[palio_rules.games.breakthrough.Position, ' in said
    assert '"palio_rules.game.Options"' in said


@pytest.mark.slow
def test_a_plain_bot_is_one_of_any_game_and_strict_mypy_has_nothing_against_it(check):
    said = check(UNTYPED)
    assert "Success" in said, said
    assert '"palio_rules.game.Game[Any, Any]"' in said


@pytest.mark.slow
def test_what_is_no_move_is_found_before_the_match(check):
    said = check(WRONG)
    assert "Incompatible return value type" in said, said


@pytest.mark.slow
def test_pyright_takes_the_types_that_the_page_names(tmp_path, node):
    pyright = ROOT / "tools" / "clients" / "node_modules" / "pyright" / "index.js"
    if not pyright.is_file():
        lacking("pyright", "npm --prefix tools/clients ci")
    for name, text in (("typed", TYPED), ("plain", UNTYPED), ("wrong", WRONG)):
        (tmp_path / f"{name}.py").write_text(text)
    command = [node, str(pyright), "--pythonpath", sys.executable, "--outputjson", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, cwd=tmp_path)
    found = [each for each in json.loads(done.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    assert {Path(each["file"]).stem for each in found} == {"wrong"}, found


def test_with_or_without_brackets_it_is_the_same_class_at_run_time():
    class Plain(Bot):
        def choose(self, state, clock):
            return next(state.legal_moves())

    class Typed(Bot[Position, Move]):
        def choose(self, state, clock):
            return next(state.legal_moves())

    assert issubclass(Plain, Bot)
    assert issubclass(Typed, Bot)
    assert Typed().told() is Plain().told() is None


def test_the_last_call_of_tell_counts_and_is_reported_once():
    class Mine(Bot):
        def choose(self, state, clock):
            self.tell(depth=1)
            self.tell(nodes=2, pv=[3])

    bot = Mine()
    bot.choose(None, None)
    told = bot.told()
    assert (told.depth, told.nodes, told.pv) == (None, 2, (3,))
    assert bot.told() is None
