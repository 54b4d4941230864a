"""One match of a check: the bot plays one seat, the others play random moves, and the rules hold."""

import random
from typing import Any, Self

from palio_clients.checks.finding import CheckFailed
from palio_clients.checks.rig import Rig
from palio_clients.checks.scripted_server import Connection
from palio_rules import registry
from palio_rules.contract import messages
from palio_rules.contract.messages import GameMessage, Result, SeatOf, Turn
from palio_rules.errors import Rejection
from palio_rules.time_control import TimeControl

STRIKES = 3
SEED = 2026  # the same games at every check: what fails once fails again


class NothingMore(Exception):
    """The bot has resigned an anytime race in which it has submitted a solution: it may, if it has no better one."""


class ScriptedMatch:
    """Sends what a referee would send in one match, and reads the bot's answers."""

    def __init__(self, rig: Rig, connection: Connection, game: str, seat: int, time: TimeControl | None = None) -> None:
        self.rig = rig
        self.connection = connection
        self.rules = registry.game(game)
        self.seat = seat
        self.id = rig.new_match()
        self.time = time or TimeControl()
        self.options = self.rules.parse_options({})
        self.state: Any = self.rules.start(self.options, SEED)
        self.plies = 0
        self.turn_id = 0
        self._rng = random.Random(SEED)  # noqa: S311  # games, not secrets
        bots = [rig.name if i == seat else f"checker-{i}" for i in range(len(self.rules.seats))]
        seats = [SeatOf(name, bot) for name, bot in zip(self.rules.seats, bots, strict=True)]
        setup = self.rules.format_state(self.state)
        options = self.rules.instance(self.options, SEED)
        self.game = GameMessage(self.id, game, options, setup, seat, seats, self.time, STRIKES)

    @classmethod
    async def begin(cls, rig: Rig, game: str, seat: int = 0, time: TimeControl | None = None) -> Self:
        """Introduce a match and wait until the bot is ready."""
        match = cls(rig, await rig.connection(), game, seat, time)
        await match.connection.send(match.game)
        await match.expect(messages.Ready, rig.patience.ready)
        return match

    @property
    def clocks(self) -> list[int | None]:
        return [self.time.base_ms] * len(self.rules.seats)

    async def expect(self, kind: type[messages.Ready | messages.Move], seconds: float) -> Any:
        """The next message about this match, which must be of `kind`; one `ready` too many is ignored."""
        name = kind.__name__.lower()
        while True:
            received = await self.connection.receive(seconds, name)
            about = getattr(received, "match", None)
            if about != self.id and about in self.rig.past:
                continue  # a late message of an earlier match
            match received:
                case messages.Error(code, reason) if code == "crashed":
                    raise CheckFailed(f"gives the match up: {reason}", "repair what the bot's own message says")
                case messages.Error(code, reason):
                    raise CheckFailed(f"complains where {name} is due: {reason} ({code})", "see docs/protocol.md")
                case messages.Resign() if self.rules.cost(self.state) is not None:
                    raise NothingMore
                case messages.Resign():
                    raise CheckFailed(f"resigns where {name} is due", "play on; resign only what is lost")
                case messages.Ready() if kind is not messages.Ready:
                    continue
            if not isinstance(received, kind):
                said = type(received).__name__.lower()
                raise CheckFailed(f"says {said} where {name} is due", f"answer with {name}")
            if received.match != self.id:
                raise CheckFailed(f"says {name} for the match {received.match!r}", f"copy the match: {self.id!r}")
            return received

    def play(self, move: Any) -> messages.Played:
        seat = self.state.to_move
        self.state = self.state.play(move)
        self.plies += 1
        return messages.Played(self.id, self.plies, seat, self.rules.move_to_wire(move), self.clocks)

    async def next_turn(self, limit_ms: int | None = None) -> Turn | None:
        """Let the others play and ask the bot; None if the game is over."""
        while self.state.to_move not in (None, self.seat):
            await self.connection.send(self.play(self._rng.choice(list(self.state.legal_moves()))))
        if self.state.to_move is None:
            return None
        self.turn_id += 1
        moves = [self.rules.move_to_wire(move) for move in self.state.legal_moves()]
        state = self.rules.format_state(self.state)
        turn = Turn(self.id, self.turn_id, self.plies, state, moves, self.clocks, limit_ms)
        await self.connection.send(turn)
        return turn

    async def answer(self, turn: Turn, seconds: float | None = None) -> messages.Move:
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
        await self.connection.send(self.play(self.read(move)))

    async def finish(self) -> None:
        """End the match, by the rules if they have ended it."""
        outcome = self.state.outcome()
        if outcome:
            result = Result("rule", outcome.reason, list(outcome.scores))
        else:
            result = Result("adjudicated", "check-over", [0.5] * len(self.rules.seats))
        await self.connection.send(messages.Over(self.id, result))
