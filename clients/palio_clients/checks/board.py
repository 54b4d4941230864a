"""One match of a check: the bot in one seat, random moves in the others, the rules in between."""

import random
from typing import Any, Self

from palio_clients.checks.finding import CheckFailed
from palio_clients.checks.host import Call
from palio_clients.checks.rig import Rig
from palio_rules import messages, registry
from palio_rules.errors import Rejection
from palio_rules.messages import GameMessage, Result, SeatOf, Turn
from palio_rules.time_control import TimeControl

STRIKES = 3
SEED = 2026  # the same games at every check: what fails once fails again


class NoMore(Exception):
    """The bot has resigned an anytime race in which it has handed in something: it has no more to give, as it may."""


class Board:
    """Speaks for the referee in one match."""

    def __init__(self, rig: Rig, call: Call, game: str, seat: int, time: TimeControl | None = None) -> None:
        self.rig = rig
        self.call = call
        self.rules = registry.game(game)
        self.seat = seat
        self.match = rig.new_match()
        self.time = time or TimeControl()
        self.options = self.rules.parse_options({})
        self.state: Any = self.rules.start(self.options, SEED)
        self.plies = 0
        self.id = 0
        self._rng = random.Random(SEED)  # noqa: S311  # games, not secrets
        bots = [rig.name if i == seat else f"checker-{i}" for i in range(len(self.rules.seats))]
        seats = [SeatOf(name, bot) for name, bot in zip(self.rules.seats, bots, strict=True)]
        setup = self.rules.format_state(self.state)
        options = self.rules.instance(self.options, SEED)
        self.game = GameMessage(self.match, game, options, setup, seat, seats, self.time, STRIKES)

    @classmethod
    async def begin(cls, rig: Rig, game: str, seat: int = 0, time: TimeControl | None = None) -> Self:
        """Introduce a match and wait until the bot is ready."""
        board = cls(rig, await rig.call(), game, seat, time)
        await board.call.say(board.game)
        await board.expect(messages.Ready, rig.patience.ready)
        return board

    @property
    def clocks(self) -> list[int | None]:
        return [self.time.base_ms] * len(self.rules.seats)

    async def expect(self, kind: type[messages.Ready | messages.Move], seconds: float) -> Any:
        """The next message about this match, which must be of `kind`; a surplus `ready` is let pass."""
        name = kind.__name__.lower()
        while True:
            heard = await self.call.hear(seconds, name)
            about = getattr(heard, "match", None)
            if about != self.match and about in self.rig.past:
                continue  # a late word about an earlier match
            match heard:
                case messages.Error(code, reason) if code == "crashed":
                    raise CheckFailed(f"gives the match up: {reason}", "mend what the bot's own message says")
                case messages.Error(code, reason):
                    raise CheckFailed(f"complains where {name} is due: {reason} ({code})", "see docs/protocol.md")
                case messages.Resign() if self.rules.cost(self.state) is not None:
                    raise NoMore
                case messages.Resign():
                    raise CheckFailed(f"resigns where {name} is due", "play on; resign only what is lost")
                case messages.Ready() if kind is not messages.Ready:
                    continue
            if not isinstance(heard, kind):
                said = type(heard).__name__.lower()
                raise CheckFailed(f"says {said} where {name} is due", f"answer with {name}")
            if heard.match != self.match:
                raise CheckFailed(f"says {name} for the match {heard.match!r}", f"copy the match: {self.match!r}")
            return heard

    def others_play(self) -> list[messages.Played]:
        """Random moves until it is the bot's turn or the game is over; what the bot is told of them."""
        told = []
        while self.state.to_move not in (None, self.seat):
            told.append(self.play(self._rng.choice(list(self.state.legal_moves()))))
        return told

    def play(self, move: Any) -> messages.Played:
        seat = self.state.to_move
        self.state = self.state.play(move)
        self.plies += 1
        return messages.Played(self.match, self.plies, seat, self.rules.move_to_wire(move), self.clocks)

    def turn(self, limit_ms: int | None = None) -> Turn:
        """A new turn in the current position."""
        self.id += 1
        moves = [self.rules.move_to_wire(move) for move in self.state.legal_moves()]
        state = self.rules.format_state(self.state)
        return Turn(self.match, self.id, self.plies, state, moves, self.clocks, limit_ms)

    async def next_turn(self, limit_ms: int | None = None) -> Turn | None:
        """Let the others play and ask the bot; None if the game is over."""
        await self.call.say(*self.others_play())
        if self.state.to_move is None:
            return None
        turn = self.turn(limit_ms)
        await self.call.say(turn)
        return turn

    async def answer(self, turn: Turn, seconds: float | None = None) -> messages.Move:
        """The bot's answer to `turn`."""
        move: messages.Move = await self.expect(messages.Move, seconds or self.rig.patience.move)
        if move.id != turn.id:
            raise CheckFailed(f"answers turn {move.id} when asked turn {turn.id}", "copy the id of the turn")
        return move

    def read(self, move: messages.Move) -> Any:
        """The move as a value. Raises CheckFailed if the rules forbid it."""
        try:
            return self.rules.read_move(self.state, move.move)
        except Rejection as error:
            where = self.rules.format_state(self.state)
            raise CheckFailed(
                f"ply {self.plies + 1}: plays {move.move!r} in {where!r}: {error} ({error.code})",
                "send one of the moves that the turn lists",
            ) from None

    async def accept(self, move: messages.Move) -> None:
        """Play the bot's move and tell it so."""
        await self.call.say(self.play(self.read(move)))

    async def finish(self) -> None:
        """End the match, by the rules if they have ended it."""
        outcome = self.state.outcome()
        result = Result("rule", outcome.reason, list(outcome.scores)) if outcome else self._stopped()
        await self.call.say(messages.Over(self.match, result))

    def _stopped(self) -> Result:
        return Result("adjudicated", "check-over", [0.5] * len(self.rules.seats))
