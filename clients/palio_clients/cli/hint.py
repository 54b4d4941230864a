"""`palio hint`: answers for positions, one JSON line each, for a server that gives people hints."""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import click
import msgspec
from msgspec import Meta

if TYPE_CHECKING:  # `palio --help` starts without the searches
    from collections.abc import Iterable

NICE = 10  # steps down in priority: players come first


class HintRequest(msgspec.Struct, frozen=True):
    """A position as text. `depth`: plies to look ahead; `seconds`: then the best move so far is the answer.

    `best`: how many of the best moves are wanted with their values, in a game with an opponent.
    """

    id: int
    game: str
    state: str
    depth: Annotated[int, Meta(ge=1, le=9)] = 4
    seconds: Annotated[float, Meta(ge=0, le=60)] = 2.0
    best: Annotated[int, Meta(ge=0, le=20)] = 0


class HintLine(msgspec.Struct, frozen=True):
    """One of the best moves, and its value for the side to move."""

    move: Any
    value: float


class HintAnswer(msgspec.Struct, frozen=True):
    """A legal move, on the wire and in notation, and a text about it; with `lines`, the best moves of all."""

    id: int
    move: Any
    notation: str
    text: str
    complete: bool
    lines: list[HintLine] = []  # msgspec copies it


class HintPreparation(msgspec.Struct, frozen=True):
    """The answer takes longer: this game's searches are compiled first, once a machine."""

    id: int
    preparing: bool = True


class HintRefusal(msgspec.Struct, frozen=True):
    """The reason why there is no answer, in a sentence. `id` is 0 if the line could not be read."""

    id: int
    error: str


@click.command()
def hint() -> None:
    """Give the best move for each position that comes in as a line of JSON.

    A server starts this for its page. In: {"id": 1, "game": "breakthrough", "state": "...", "depth": 4, "seconds": 2};
    "best" is the number of moves that are wanted with their values.
    Out: {"ready": true} at first, then {"id", "move", "notation", "text", "complete"} or {"id", "error"} for each;
    before it {"id", "preparing": true} when the searches of a game are loaded, and compiled if they never were here.
    """
    if hasattr(os, "nice"):
        os.nice(NICE)
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # a game's own output must not be read as an answer
    from palio_clients.games import hints  # noqa: F401, PLC0415 - loaded before `ready` is printed

    _say(out, {"ready": True})
    for answer in answers(sys.stdin.buffer):
        _say(out, answer)


def answers(lines: "Iterable[bytes]") -> "Iterable[HintPreparation | HintAnswer | HintRefusal]":
    """Yield one answer for each line, and before it the remark that a game's searches have to be compiled first."""
    from palio_clients.games import companion_of  # noqa: PLC0415 - `palio --help` starts without the searches
    from palio_clients.games.companion import Companion  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    prepared: set[str] = set()
    for line in lines:
        try:
            asked = msgspec.json.decode(line, type=HintRequest)
        except msgspec.DecodeError as error:  # ValidationError, too
            yield HintRefusal(0, f"the line is no question: {error}")
            continue
        if asked.game not in prepared:
            prepared.add(asked.game)
            with suppress(BadOption):  # which the answer says
                companion = companion_of(asked.game)
                if type(companion).tree_search is not Companion.tree_search:
                    yield HintPreparation(asked.id)
                    companion.tree_search()
        yield answer(asked)


def answer(asked: HintRequest) -> HintAnswer | HintRefusal:
    """Return the best move that is found in time, or the reason why there is none."""
    from palio_clients.games import companion_of  # noqa: PLC0415 - `palio --help` starts without the searches
    from palio_clients.games.advice import Unsolvable  # noqa: PLC0415
    from palio_clients.games.hints import Hint, rank  # noqa: PLC0415
    from palio_clients.games.hints import hint as find  # noqa: PLC0415
    from palio_clients.sdk.clock import Clock  # noqa: PLC0415
    from palio_rules.errors import BadOption, BadPosition  # noqa: PLC0415
    from palio_rules.registry import game  # noqa: PLC0415

    clock = Clock.of(asked.seconds)
    lines: list[HintLine] = []
    try:
        rules = game(asked.game)
        state = rules.parse_state(asked.state)
        if state.to_move is None:
            return HintRefusal(asked.id, "the game is over")
        companion = companion_of(rules.name)
        if asked.best and rules.kind != "race":
            ranking = rank(companion, rules, state, asked.depth, clock.expired)
            lines = [HintLine(rules.move_to_wire(move), value) for move, value in ranking.moves[: asked.best]]
            deep = f"{ranking.depth} {'ply' if ranking.depth == 1 else 'plies'} deep"
            found = Hint(ranking.moves[0].move, deep, ranking.complete)
        else:
            found = find(companion, rules, state, asked.depth, clock.expired)
        move, notation = rules.move_to_wire(found.move), rules.notation(state, found.move)
    except (Unsolvable, BadOption, BadPosition) as error:
        return HintRefusal(asked.id, str(error))
    except Exception as error:  # noqa: BLE001  # a third party's search must not end the others' hints
        return HintRefusal(asked.id, f"the search of {asked.game} failed: {type(error).__name__}: {error}")
    return HintAnswer(asked.id, move, notation, found.text, found.complete, lines)


def _say(out: Any, line: Any) -> None:
    out.write(msgspec.json.encode(line) + b"\n")
    out.flush()
