"""Openings drawn at random: a few legal plies, the same for every pair of bots, so that no two games need be alike."""

from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any

from palio_rules.errors import BadOption
from palio_rules.instances.effort import spend
from palio_server.tournament.openings.opening import Opening

TRIES = 50  # walks in vain for each opening that there is, before these count as all


class RandomOpenings:
    """Openings of `plies` random legal moves from a position, the same for the same seed; found when asked for.

    No two lead to the same position, and none of them ends the game. Number i is the i-th different one of an endless
    line of random walks, so an event that is extended keeps those that it has. A game of which there are no more begins
    with the first one again.
    """

    size: int | None = None
    remarks: tuple[str, ...] = ()

    def __init__(self, game: Any, start: Any, plies: int, seed: int) -> None:
        """`start` is the position to begin from."""
        self._game, self._start, self.plies = game, start, plies
        self._random = Random(f"palio openings {seed}")  # noqa: S311 - a draw for a tournament, no secret
        self._found: list[Opening] = []
        self._reached: set[Any] = set()
        self._vain = 0  # walks since the last one that was new

    def opening(self, index: int) -> Opening:
        """Where the game has no more of them, they come round again. Raises BadOption if it has none."""
        if self.plies == 0:
            return Opening()
        while len(self._found) <= index and not self._exhausted:
            self._look()
        if not self._found:
            self.check(1)
        return self._found[index % len(self._found)]

    def check(self, wanted: int) -> tuple[str, ...]:
        """Find so many. Raises BadOption if the game has too few."""
        while self.plies and len(self._found) < wanted:
            if self._exhausted:
                raise BadOption(
                    f"{self._game.name} has too few openings of {self.plies} plies: {wanted} are wanted, "
                    f"{len(self._found)} were found; give more --openings plies, or fewer --rounds"
                )
            self._look()
        return ()

    def __iter__(self) -> Iterator[Opening]:
        """All that there are."""
        for number in count():
            try:
                self.check(number + 1)
            except BadOption:
                return
            yield self.opening(number)

    @property
    def _exhausted(self) -> bool:
        """Whether so many walks found nothing new that there is nothing."""
        return self._vain >= TRIES * (1 + len(self._found))

    def _look(self) -> None:
        """One more walk."""
        self._vain += 1
        found = self._walk()
        if found is not None and found[0] not in self._reached:
            self._reached.add(found[0])
            self._found.append(Opening(found[1]))
            self._vain = 0

    def _walk(self) -> tuple[Any, tuple[Any, ...]] | None:
        """A random line of play, or None where the game ends on the way."""
        state, moves = self._start, []
        for _ in range(self.plies):
            spend(1)
            legal = list(state.legal_moves())
            if not legal:
                return None
            move = self._random.choice(legal)
            moves.append(self._game.move_to_wire(move))
            state = state.play(move)
        return (state, tuple(moves)) if state.outcome() is None else None


def openings(game: Any, start: Callable[[], Any], plies: int, wanted: int, seed: int) -> list[tuple[Any, ...]]:
    """The moves of the first `wanted` of `RandomOpenings`. Raises BadOption if the game has too few."""
    source = RandomOpenings(game, start(), plies, seed)
    source.check(wanted)
    return [source.opening(number).moves for number in range(wanted)]
