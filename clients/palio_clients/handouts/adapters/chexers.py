"""COMP30024, part B: a file or package plays Chexers by its `Player(colour)`: `action()` asks it, `update` tells it.

A player keeps its own board: it is told of every action that is played, its own included, and of nothing else. When a
side forfeits, it is told nothing about it, as by the course's referee.
"""

from collections.abc import Iterable
from operator import ne
from typing import Any

from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.handouts.signatures import INIT, NOTHING, Form, call
from palio_clients.handouts.text import Text
from palio_clients.sdk.clock import Clock
from palio_rules.boards.chexers import COLOURS, Action
from palio_rules.game import Game, Options
from palio_rules.games.chexers import OUT, SEATS, ChexersOptions, Position, word_of

# What was played in Chexers between two positions, for a player that keeps its own board and missed it.
#
# That is so of an opening, which is played before the match begins, and of whatever is played while a bot has lost its
# connection. A position tells of those before it, back to the last exit or to the last side that forfeited; what
# came before that is searched for.

EFFORT = 20_000  # positions that are looked at
CHANGED = 3  # cells at the most, by one action

Play = tuple[int, Action]  # a seat, and what it has played


def leads(before: Position, plays: Iterable[Play], after: Position) -> bool:
    """Whether `plays` are all that was played between two positions, sides that have forfeited apart."""
    here = before
    for seat, action in plays:
        while here.to_move not in (seat, None) and after.exits[here.turn] == OUT:
            here = here.without(here.turn)
        if here.to_move != seat or action not in here.legal_moves():
            return False
        here = here.play(action)
    return _is(here, after)


def missed(before: Position, after: Position) -> list[Play] | None:
    """Plays that lead from one position to a later one; None if they cannot be found.

    They are those that were played, where no side forfeited in between and no exit hides what was before it.
    """
    return _Search(after).way(before)


class _Search:
    def __init__(self, after: Position) -> None:
        self._after = after
        self._words = after.history.split()
        self._left = EFFORT

    def way(self, here: Position) -> list[Play] | None:
        """As `missed`, depth first; sides that are out in the end have forfeited when it was their turn, or later."""
        after, self._left = self._after, self._left - 1
        if here.ply >= after.ply or here.to_move is None:
            return [] if _is(here, after) else None
        if self._left < 0 or not self._possible(here):
            return None
        seat = here.turn
        if after.exits[seat] == OUT and (rest := self.way(here.without(seat))) is not None:
            return rest
        for action in here.legal_moves():
            if (rest := self.way(here.play(action))) is not None:
                return [(seat, action), *rest]
        return None

    def _possible(self, here: Position) -> bool:
        """Whether it may have been `here`, by the exits, by the cells, and by what is told of earlier positions."""
        after = self._after
        if any(now > later != OUT for now, later in zip(here.exits, after.exits, strict=True)):
            return False
        turns = range(here.ply, after.ply)
        if sum(map(ne, here.cells, after.cells)) > CHANGED * len(turns):
            return False
        if any(later == OUT != now for now, later in zip(here.exits, after.exits, strict=True)):
            return True  # since then a side has forfeited, and of earlier positions nothing is known
        plies = sum(after.exits[turn % SEATS] != OUT for turn in turns)
        known = len(self._words) - plies  # which of the words is that of `here`
        return known not in range(len(self._words)) or self._words[known] == word_of(here.cells, here.turn)


def _is(here: Position, after: Position) -> bool:
    """Whether `here` is that position, once those are out who are out there."""
    for seat, count in enumerate(after.exits):
        if count == OUT:
            here = here.without(seat)
    return (here, here.ply) == (after, after.ply)


PLAYERS = ("Player", "ExamplePlayer")  # as the course's referee and its skeleton call it

COLOUR = Form("", ("colour",))
METHODS = {"action": NOTHING, "update": Form("", ("colour", "action"))}


class ChexersCoursework(Coursework):
    """`player` names the class, where it is called neither Player nor ExamplePlayer. It is made once a match.

    Actions that were played before the match or while the connection was lost are told before its next turn, in order.
    So are those after a side has forfeited: until then they look as if one was missing.
    """

    games = ("chexers",)

    def __init__(self, player: str = "") -> None:
        self.player = player
        self._player: Any = None
        self._at = Position.of()  # what the player has been told of
        self._held: list[Play] = []  # actions since it has missed one, or seems to have

    def read(self, text: Text) -> str:
        name = self.player or next((each for each in PLAYERS if not text.lacks(each)), PLAYERS[0])
        faults = [text.fault(f"{name}.{INIT}", COLOUR)]
        faults += [text.fault(f"{name}.{method}", form) for method, form in METHODS.items()]
        for fault in filter(None, faults):
            raise Unfit(fault)
        return ""

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        assert isinstance(options, ChexersOptions)
        name = self.player or next(filter(self.has, PLAYERS), PLAYERS[0])
        self._player = call(self.named(name, COLOUR.of(name)), COLOUR, {"colour": COLOURS[seat]}, self.file)
        for method, form in METHODS.items():
            self.method(self._player, method, form.of(method, bound=True))
        self._at = Position.of(max_turns=options.max_turns)
        self._catch_up(self.setup)

    def choose(self, state: Position, clock: Clock) -> object:
        self._catch_up(state)
        return call(self._player.action, METHODS["action"], {}, self.file)

    def seat_played(self, seat: int, move: Action) -> None:
        if self._held or seat != self._at.to_move or move not in self._at.legal_moves():
            self._held.append((seat, move))
        else:
            self._at = self._at.play(move)
            self._tell(seat, move)

    def _tell(self, seat: int, move: Action) -> None:
        values = {"colour": COLOURS[seat], "action": (move.kind, move.where)}
        call(self._player.update, METHODS["update"], values, self.file)

    def _catch_up(self, state: Position) -> None:
        """Tell the player how it came to `state`. Raises Unfit if that cannot be found."""
        plays = self._held if leads(self._at, self._held, state) else missed(self._at, state)
        if plays is None:
            raise Unfit(f"{self.file} has missed actions, and the position does not tell which")
        self._at, self._held = state, []
        for seat, move in plays:
            self._tell(seat, move)
