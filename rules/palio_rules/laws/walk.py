"""Random games, reproducible by their seed, and sample positions from them."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from palio_rules.errors import Rejection
from palio_rules.game import Game

LONGEST = 5000  # plies of a random game; a longer one is reported as endless
SUBMISSIONS = 8  # in an anytime race, which would never end by itself
INSTANCES = 3  # of games with random instances: proving a puzzle takes time
GAMES = 60  # at most; short games repeat positions anyway
SHARE = 10  # one game gives at most a tenth of the positions wanted
SOME = 40  # moves of a position that are tried, if there are more
MOST_MOVES = 100_000  # a position may list at most


@dataclass(frozen=True, slots=True)
class Sample:
    """A position, and the moves that led there from `start(options, seed % INSTANCES)`."""

    state: Any
    path: tuple[Any, ...]
    seed: int


@dataclass(slots=True)
class Walk:
    """The results of random games of one game. If the game fails on the way, all results up to there."""

    rules: Game[Any, Any]
    options: Any
    seed: int
    samples: list[Sample] = field(default_factory=list)  # in all kinds of positions, the first and last ones included
    ends: list[Sample] = field(default_factory=list)  # final positions; of an anytime race, closed
    moves: list[Any] = field(default_factory=list)  # some moves that were played, without duplicates
    endless: Sample | None = None  # the last position of a game that did not end
    error: tuple[str, Exception, Sample | None] | None = None  # what failed, the error, and the position before it

    def told(self, sample: Sample) -> tuple[str, tuple[str, ...]]:
        """Return the text of a position and the notations of its path, or their `repr` if the game fails there."""
        try:
            text = str(self.rules.format_state(sample.state))
        except Exception:  # noqa: BLE001  # the position breaks the law
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
    """Play random games until there are `positions` samples. Never raises the game's errors: see `Walk.error`."""
    walk = Walk(rules, options, seed)
    for number in range(GAMES):
        if len(walk.samples) >= positions or walk.error is not None or walk.endless is not None:
            break
        _one_game(walk, seed + number, max(2, min(positions // SHARE, positions - len(walk.samples))), longest)
    return walk


def listed(state: Any) -> list[Any]:
    """Return the legal moves, at most MOST_MOVES, because a game may list them without end."""
    return list(islice(state.legal_moves(), MOST_MOVES))


def some(moves: list[Any], choose: random.Random) -> list[Any]:
    """Return a random choice of moves if there are many."""
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
    except Exception as error:  # noqa: BLE001  # any error of a game is a finding
        walk.error = (doing, error, last)
    middle = choose.sample(kept[1:-1], min(len(kept[1:-1]), max(0, share - 2)))
    walk.samples += [*kept[:1], *middle, *(kept[-1:] if len(kept) > 1 else ())]
    walk.moves = list({repr(move): move for move in walk.moves}.values())[-200:]


def any_move(rules: Game[Any, Any], state: Any, moves: list[Any], choose: random.Random) -> Any:
    """Return one of the legal `moves`. An anytime race lists only examples, from which others are made."""
    move = choose.choice(moves)
    if not rules.anytime:
        return move
    other = list(rules.move_to_wire(move))
    choose.shuffle(other)
    try:
        return rules.read_move(state, other)
    except Rejection:
        return move


# A law, and the finding when a game is checked against it.

LINE = 30  # of the moves to a position, so many are shown in a line for people


class Broken(Exception):
    """A broken law; the message says how."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law, worded as a heading, and the remedy for a game that breaks it.

    `whole` is called with a walk, `each` with every position of it. Both raise Broken; other exceptions are the game's
    own errors.
    """

    name: str
    remedy: str
    each: Callable[[Walk, Sample, random.Random], None] | None = None
    whole: Callable[[Walk], str | None] | None = None  # may return a detail for people


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one law for one game.

    `position`: the text of the position that breaks it, `moves`: the path to it.
    """

    law: str
    verdict: Literal["ok", "FAIL", "skip"]
    detail: str = ""
    position: str = ""
    moves: tuple[str, ...] = ()
    seed: int | None = None  # of the walk, for `--seed`
    remedy: str = ""

    def __str__(self) -> str:
        """Return a line for people; place and remedy on lines of their own."""
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
