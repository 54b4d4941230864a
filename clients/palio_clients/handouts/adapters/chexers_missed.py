"""What was played in Chexers between two positions, for a player that keeps its own board and missed it.

That is so of an opening, which is played before the match begins, and of whatever is played while a bot has lost its
connection. A position tells of those before it, back to the last exit or to the last side that forfeited; what
came before that is searched for.
"""

from collections.abc import Iterable
from operator import ne

from palio_rules.boards.chexers import Action
from palio_rules.games.chexers import OUT, SEATS, Position, word_of

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
