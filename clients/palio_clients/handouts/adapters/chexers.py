"""COMP30024, part B: a file or package plays Chexers by its `Player(colour)`, with `action()` and `update`.

A player keeps its own board: `update` gets every action that is played, its own included, and nothing else. A forfeit
of a side is not reported, as by the course's referee.
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

# The actions played in Chexers between two positions, for a player that keeps its own board and missed them.
#
# Missed are an opening, which is played before the match begins, and all actions while a bot has lost its connection. A
# position has the earlier positions back to the last exit or to the last side that forfeited; the actions before that
# are found by a search.

EFFORT = 20_000  # positions that are searched
CHANGED = 3  # cells at most, by one action

Play = tuple[int, Action]  # a seat, and its action


def leads(before: Position, plays: Iterable[Play], after: Position) -> bool:
    """Return whether `plays` are all actions between two positions, apart from forfeits."""
    here = before
    for seat, action in plays:
        while here.to_move not in (seat, None) and after.exits[here.turn] == OUT:
            here = here.without(here.turn)
        if here.to_move != seat or action not in here.legal_moves():
            return False
        here = here.play(action)
    return _is(here, after)


def missed(before: Position, after: Position) -> list[Play] | None:
    """Return plays that lead from one position to a later one; None if none are found.

    They are the actual plays, unless a side forfeited in between or an exit hides earlier positions.
    """
    return _Search(after).way(before)


class _Search:
    def __init__(self, after: Position) -> None:
        self._after = after
        self._words = after.history.split()
        self._left = EFFORT

    def way(self, here: Position) -> list[Play] | None:
        """Search like `missed`, depth first; sides that are out at the end forfeited on their turn, or later."""
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
        """Return whether the game may have passed `here`, by the exits, the cells, and the known earlier positions."""
        after = self._after
        if any(now > later != OUT for now, later in zip(here.exits, after.exits, strict=True)):
            return False
        turns = range(here.ply, after.ply)
        if sum(map(ne, here.cells, after.cells)) > CHANGED * len(turns):
            return False
        if any(later == OUT != now for now, later in zip(here.exits, after.exits, strict=True)):
            return True  # since then a side has forfeited, so no earlier positions are known
        plies = sum(after.exits[turn % SEATS] != OUT for turn in turns)
        known = len(self._words) - plies  # which of the words is that of `here`
        return known not in range(len(self._words)) or self._words[known] == word_of(here.cells, here.turn)


def _is(here: Position, after: Position) -> bool:
    """Return whether `here` is that position, except for sides that are out there."""
    for seat, count in enumerate(after.exits):
        if count == OUT:
            here = here.without(seat)
    return (here, here.ply) == (after, after.ply)


PLAYERS = ("Player", "ExamplePlayer")  # the class names of the course's referee and of its skeleton

COLOUR = Form("", ("colour",))
METHODS = {"action": NOTHING, "update": Form("", ("colour", "action"))}


class ChexersCoursework(Coursework):
    """The adapter for Chexers. `player` names the class, if it is neither Player nor ExamplePlayer.

    It is made once a match.

    Actions from before the match or from a lost connection are passed to it before its next turn, in order. So are
    those after a side has forfeited, because until then an action seems to be missing.
    """

    games = ("chexers",)

    def __init__(self, player: str = "") -> None:
        self.player = player
        self._player: Any = None
        self._at = Position.of()  # the position that the player knows
        self._held: list[Play] = []  # actions since one was missed, or seemed to be

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
        """Pass the actions up to `state` to the player. Raises Unfit if they cannot be found."""
        plays = self._held if leads(self._at, self._held, state) else missed(self._at, state)
        if plays is None:
            raise Unfit(f"{self.file} has missed actions, and the position does not tell which")
        self._at, self._held = state, []
        for seat, move in plays:
            self._tell(seat, move)
