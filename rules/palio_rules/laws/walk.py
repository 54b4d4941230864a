"""Random games, the same for the same seed, and positions from anywhere in them."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from palio_rules.errors import Rejection
from palio_rules.game import Game

LONGEST = 5000  # plies of a random game; one that goes on is said to have no end
SUBMISSIONS = 8  # in an anytime race, which would never end by itself
INSTANCES = 3  # of games that draw one: to prove a puzzle takes its time
GAMES = 60  # at most; where games are short, positions come again anyway
SHARE = 10  # of the positions wanted, one game gives no more than a tenth
SOME = 40  # moves of a position that are tried out, where there are more
MOST_MOVES = 100_000  # that a position may list


@dataclass(frozen=True, slots=True)
class Sample:
    """A position, and the moves that led there from `start(options, seed % INSTANCES)`."""

    state: Any
    path: tuple[Any, ...]
    seed: int


@dataclass(slots=True)
class Walk:
    """What random games of one game have shown. Of a game that fails on the way, all up to there."""

    rules: Game[Any, Any]
    options: Any
    seed: int
    samples: list[Sample] = field(default_factory=list)  # in all kinds of positions, the first and last ones included
    ends: list[Sample] = field(default_factory=list)  # where nobody can move any more; of an anytime race, closed
    moves: list[Any] = field(default_factory=list)  # some that were played, each once
    endless: Sample | None = None  # the last position of a game that went on and on
    error: tuple[str, Exception, Sample | None] | None = None  # what failed, how, and after which position

    def told(self, sample: Sample) -> tuple[str, tuple[str, ...]]:
        """The text of a position and the notations of its path; Python's own words where the game fails at that."""
        try:
            text = str(self.rules.format_state(sample.state))
        except Exception:  # noqa: BLE001  # it is a position that the law is broken in
            text = repr(sample.state)
        written = []
        try:
            state = self.rules.start(self.options, sample.seed % INSTANCES)
            for move in sample.path:
                written.append(str(self.rules.notation(state, move)))
                state = state.play(move)
        except Exception:  # noqa: BLE001
            written = [repr(move) for move in sample.path]
        return text, tuple(written)


def walk_through(
    rules: Game[Any, Any], options: Any, positions: int = 200, seed: int = 0, longest: int = LONGEST
) -> Walk:
    """Random games until there are `positions` samples. Never raises what the game raises: it is in `Walk.error`."""
    walk = Walk(rules, options, seed)
    for number in range(GAMES):
        if len(walk.samples) >= positions or walk.error is not None or walk.endless is not None:
            break
        _one_game(walk, seed + number, max(2, min(positions // SHARE, positions - len(walk.samples))), longest)
    return walk


def listed(state: Any) -> list[Any]:
    """The legal moves, but no more than MOST_MOVES: a game may list them without end."""
    return list(islice(state.legal_moves(), MOST_MOVES))


def some(moves: list[Any], choose: random.Random) -> list[Any]:
    """A few of many moves."""
    return moves if len(moves) <= SOME else choose.sample(moves, SOME)


def _one_game(walk: Walk, seed: int, share: int, longest: int) -> None:
    rules, choose = walk.rules, random.Random(seed)
    doing, last = "start", None
    if rules.anytime:
        longest = SUBMISSIONS
    kept: list[Sample] = []
    try:
        last = Sample(rules.start(walk.options, seed % INSTANCES), (), seed)
        kept.append(last)
        while len(last.path) < longest:
            doing = "to_move"
            if last.state.to_move is None:
                break
            doing = "legal_moves"
            if not (moves := listed(last.state)):
                break
            move = any_move(rules, last.state, moves, choose)
            doing = "play"
            last = Sample(last.state.play(move), (*last.path, move), seed)
            kept.append(last)
            walk.moves.append(move)
        if len(last.path) == longest and not rules.anytime:
            walk.endless = last
        else:
            doing = "forfeit"
            open_ = rules.anytime and last.state.to_move is not None
            walk.ends.append(Sample(rules.forfeit(last.state, 0), last.path, seed) if open_ else last)
    except Exception as error:  # noqa: BLE001  # whatever a game raises is a finding
        walk.error = (doing, error, last)
    middle = choose.sample(kept[1:-1], min(len(kept[1:-1]), max(0, share - 2)))
    walk.samples += [*kept[:1], *middle, *(kept[-1:] if len(kept) > 1 else ())]
    walk.moves = list({repr(move): move for move in walk.moves}.values())[-200:]


def any_move(rules: Game[Any, Any], state: Any, moves: list[Any], choose: random.Random) -> Any:
    """One of the legal `moves`. What an anytime race lists is only an example, out of which others are made."""
    move = choose.choice(moves)
    if not rules.anytime:
        return move
    other = list(rules.move_to_wire(move))
    choose.shuffle(other)
    try:
        return rules.read_move(state, other)
    except Rejection:
        return move


# What a law is, and what is found when a game is held to it.

LINE = 30  # moves that a line for people shows of those that led to a position


class Broken(Exception):
    """A law is broken; the message says how."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law, in the words of a heading, and what to do about a game that breaks it.

    `whole` is asked about a walk, `each` about every position of it. Both raise Broken; what else they raise is
    the game's own error.
    """

    name: str
    remedy: str
    each: Callable[[Walk, Sample, random.Random], None] | None = None
    whole: Callable[[Walk], str | None] | None = None  # with a detail for people, if there is one


@dataclass(frozen=True, slots=True)
class Finding:
    """One law and one game. `position`: the text of where it is broken, `moves`: what led there from the start."""

    law: str
    verdict: Literal["ok", "FAIL", "skip"]
    detail: str = ""
    position: str = ""
    moves: tuple[str, ...] = ()
    seed: int | None = None  # of the walk that came there, for `--seed`
    remedy: str = ""

    def __str__(self) -> str:
        """A line for people; where and the remedy in lines of their own."""
        lines = [f"{self.verdict:<4}  {self.law}{': ' if self.detail else ''}{_indented(self.detail)}"]
        if self.position:
            lines.append(f"      position: {_indented(self.position)}")
        if self.verdict == "FAIL" and self.seed is not None:
            shown = self.moves[:LINE]
            more = f" and {len(self.moves) - LINE} more" if len(self.moves) > LINE else ""
            lines.append(f"      after: {' '.join(shown) or 'no move'}{more} (seed {self.seed})")
        if self.remedy:
            lines.append(f"      remedy: {_indented(self.remedy)}")
        return "\n".join(lines)


def _indented(text: str) -> str:
    return text.rstrip().replace("\n", "\n      ")
