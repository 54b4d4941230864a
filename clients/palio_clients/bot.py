"""The class that a bot author subclasses.

    class Mine(Bot):
        def choose(self, state, clock):
            return next(state.legal_moves())

One instance plays one match, so a bot may remember what it likes and matches at once share nothing. A plain method
runs in the match's own worker thread, where it may take its time; an `async def` runs in the event loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palio_clients.clock import Clock
from palio_rules.game import Game
from palio_rules.messages import Result

Hook = Awaitable[None] | None  # a hook may be plain or async


@dataclass(frozen=True, slots=True)
class Told:
    """What a bot told of one thought; see `Bot.tell`."""

    depth: int | None = None
    nodes: int | None = None
    score: float | None = None
    pv: tuple[Any, ...] = ()
    text: str | None = None


class Bot(ABC):
    """A player of one match. Only `choose` must be written.

    Settings are keyword arguments of the constructor, typed int, float, str or bool: with
    `def __init__(self, depth: int = 4)` the bot can be named as `mine.py:depth=6`.
    """

    games: ClassVar[tuple[str, ...]] = ()  # names of the games it plays; empty: every installed game

    game: Game[Any, Any]  # these three are set after the constructor, before `prepare`
    options: Any
    seat: int

    _told: Told | None = None

    @abstractmethod
    def choose(self, state: Any, clock: Clock) -> Any:
        """The move to play in `state`, where this bot's seat is to move. May be `async def`.

        An exception gives the match up. A move that the rules forbid costs a strike, and `choose` is asked again.
        """

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> Hook:
        """Called once, before any clock runs: warm up here. `options` is an instance of `game.options_type`."""
        return None

    def opponent_moved(self, seat: int, move: Any) -> Hook:
        """Another seat has played `move`. The next `state` tells it too: this is for bots that keep a tree."""
        return None

    def move_rejected(self, move: Any, code: str, reason: str) -> Hook:
        """The referee has refused `move`, for `reason`; `choose` is asked for another next. The clock runs on."""
        return None

    def game_over(self, result: Result) -> Hook:
        """The match has ended; `result.scores[self.seat]` is this bot's score. The last call for this instance."""
        return None

    def tell(
        self,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        score: float | None = None,
        pv: Sequence[Any] = (),
        text: str | None = None,
    ) -> None:
        """Tell the viewers of the thought; it travels with the move that `choose` returns. The last call counts.

        `score` is from this bot's view, in its own unit; `pv` is the expected line, as moves, this one first.
        """
        self._told = Told(depth, nodes, score, tuple(pv), text)

    def told(self) -> Told | None:
        """What was told since the last call of this method."""
        told, self._told = self._told, None
        return told
