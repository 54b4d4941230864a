"""A bot as the opponent: one match's player, called as a server would call it."""

import asyncio
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

import msgspec
from msgspec import UNSET

from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import BadBot, PlayerFailed, ProgramDied, Resign
from palio_clients.sdk.loader import Entrant, load
from palio_clients.sdk.player import Player, Report, settled
from palio_clients.sdk.program import Pipe
from palio_clients.sdk.runner import LAST_NEWS_S
from palio_clients.sdk.stdio import EnginePlayer
from palio_rules.contract import messages
from palio_rules.contract.messages import GameMessage, Played, Rejected, Result, SeatOf, ServerMessage, Turn
from palio_rules.errors import Rejection
from palio_rules.game import Game, Outcome
from palio_rules.interpreter import python
from palio_rules.time_control import TimeControl

# A game in progress on one board: every position so far, with undo. Frozen; a move returns a new one.


class NothingToTakeBack(ValueError):
    """The error that there is no earlier turn to return to."""


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """A local game. `positions` has one more entry than `moves`: the first position, then the one after each move."""

    rules: Game[Any, Any]
    positions: tuple[Any, ...]
    moves: tuple[Any, ...] = ()

    @classmethod
    def begin(cls, rules: Game[Any, Any], options: Any, seed: int = 0) -> Self:
        """Return the game at its first position. Raises BadOption if options do not fit together."""
        return cls(rules, (rules.start(options, seed),))

    @property
    def state(self) -> Any:
        return self.positions[-1]

    @property
    def to_move(self) -> int | None:
        """Return the seat to move; None when the game is over."""
        seat: int | None = self.state.to_move
        return seat

    @property
    def outcome(self) -> Outcome | None:
        result: Outcome | None = self.state.outcome()
        return result

    def play(self, move: Any) -> Self:
        """Return the game after `move`. Raises IllegalMove, with the rules' own reason, if it cannot be played here."""
        self.state.check(move)
        return replace(self, positions=(*self.positions, self.state.play(move)), moves=(*self.moves, move))

    def undo(self, seats: Collection[int], forced: Callable[[Any], Any | None] = lambda _: None) -> Self:
        """Return the game at the last turn of one of `seats` before the present one, without turns `forced` to a move.

        Raises NothingToTakeBack if there is none.
        """
        for ply in range(len(self.moves) - 1, -1, -1):
            if self.positions[ply].to_move in seats and forced(self.positions[ply]) is None:
                return replace(self, positions=self.positions[: ply + 1], moves=self.moves[:ply])
        raise NothingToTakeBack("there is no move of yours to take back")

    def again(self) -> Self:
        """Return a new game from the same first position."""
        return replace(self, positions=self.positions[:1], moves=())

    def follows(self, earlier: tuple[Any, ...]) -> bool:
        """Return whether this game began with the moves `earlier`."""
        return self.moves[: len(earlier)] == earlier

    def notations(self) -> list[tuple[int, str]]:
        """Return for each move its seat, and its notation."""
        return [
            (state.to_move, self.rules.notation(state, move))
            for state, move in zip(self.positions, self.moves, strict=False)
        ]


MATCH = "board"
STRIKES = 3


class GaveUp(Exception):
    """The error that the bot does not answer with a move, for `reason`; str() is a sentence. Both are one line."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} forfeits: {reason}")
        self.reason = reason


class Opponent:
    """A bot that plays `seat`. A new player is made for every game, and after moves that were taken back."""

    def __init__(self, entrant: Entrant, options: Any, seat: int, names: tuple[str, ...], report: Report) -> None:
        self.name = entrant.name
        self._entrant, self._options, self._seat, self._names, self._report = entrant, options, seat, names, report
        self._player: Player | None = None
        self._heard: tuple[Any, ...] = ()  # the moves that the player knows
        self._turns = 0
        self._one_at_a_time = asyncio.Lock()  # a new game may begin before the end of the last one is reported

    async def answer(self, match: LocalMatch) -> Any:
        """Return a legal move in this game, where it is this bot's turn. Raises GaveUp. May be cancelled."""
        clock = Clock()
        try:
            async with self._one_at_a_time:
                player = await self._prepared(match)
                return await self._ask(player, match, clock)
        except Resign as resigned:
            await self.close()
            raise GaveUp(self.name, f"it resigns: {resigned}" if str(resigned) else "it resigns") from None
        except PlayerFailed as error:
            await self.close()
            raise GaveUp(self.name, _why(error)) from error
        except asyncio.CancelledError:
            clock.cancel()
            await self.close()  # the old thought is void; the next answer uses a new player
            raise

    async def report_end(self, match: LocalMatch) -> None:
        """Report the end of the game to the player, if it is still this one."""
        async with self._one_at_a_time:
            player, outcome = self._player, match.outcome
            if player is None or outcome is None or not match.follows(self._heard):
                return
            with suppress(PlayerFailed, Resign, TimeoutError):  # the game is over anyway
                async with asyncio.timeout(LAST_NEWS_S):
                    await self._tell_moves(player, match)
                    over = Result("rule", outcome.reason, list(outcome.scores), detail=outcome.detail)
                    await settled(player.hear(MatchOver(MATCH, over)))
            await self.close()

    async def close(self) -> None:
        player, self._player, self._heard = self._player, None, ()
        if player is not None:
            await player.close()

    async def _prepared(self, match: LocalMatch) -> Player:
        """Return a player that knows every move of this game."""
        if self._player is not None and not match.follows(self._heard):
            await self.close()
        if self._player is None:
            player = self._player = self._entrant.make(self._report)
            await settled(player.prepare(self._game(match)))
        await self._tell_moves(self._player, match)
        return self._player

    async def _tell_moves(self, player: Player, match: LocalMatch) -> None:
        rules = match.rules
        clocks: list[int | None] = [None] * len(rules.seats)
        for ply in range(len(self._heard), len(match.moves)):
            move = rules.move_to_wire(match.moves[ply])
            self._heard = match.moves[: ply + 1]
            await settled(
                player.hear(MovePlayed(MATCH, Played(MATCH, ply + 1, match.positions[ply].to_move, move, clocks)))
            )

    async def _ask(self, player: Player, match: LocalMatch, clock: Clock) -> Any:
        rules, state = match.rules, match.state
        clocks: list[int | None] = [None] * len(rules.seats)
        self._turns += 1
        moves = None if rules.anytime else [rules.move_to_wire(move) for move in state.legal_moves()]
        turn = Turn(MATCH, self._turns, len(match.moves), rules.format_state(state), moves, clocks, None)
        for left in range(STRIKES - 1, -1, -1):
            thought = await settled(player.think(turn, clock))
            try:
                return rules.read_move(state, thought.move)
            except Rejection as error:
                refusal = Rejected(MATCH, turn.id, error.code, str(error), left, clocks)
                await settled(player.hear(MoveRejected(MATCH, refusal)))
                last = error
        raise PlayerFailed(f"{STRIKES} illegal moves, the last because {last}")

    def _game(self, match: LocalMatch) -> GameMessage:
        rules = match.rules
        seats = [SeatOf(seat, name) for seat, name in zip(rules.seats, self._names, strict=True)]
        options = msgspec.to_builtins(self._options)
        setup = rules.format_state(match.positions[0])
        return GameMessage(MATCH, rules.name, options, setup, self._seat, seats, TimeControl(), STRIKES)


def _why(error: PlayerFailed) -> str:
    """Return the most useful line: a process's end and last line, or the last line of a traceback."""
    lines = error.last_lines if isinstance(error, ProgramDied) else str(error).splitlines()
    line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if isinstance(error, ProgramDied):
        return f"{error.how}, saying {line}" if line else error.how
    return line or "it does not say why"


# A bot in its own process: if it ends, by os._exit or a segmentation fault, the screen continues.
#
# `python -m palio_clients.terminal.opponent SPEC` plays one match on its stdin and stdout, see `sdk.pipe`.


def isolated(spec: str) -> Entrant:
    """Return the bot of `spec`, which plays each match in a new process. Raises BadBot, as `load` does."""
    found = load(spec)
    if found.own_process:
        return found
    argv = python("-m", "palio_clients.terminal.opponent", spec)
    return Entrant(found.name, found.games, lambda report: EnginePlayer(argv, report, called="its process"), True)


class Host:
    """The host of one match's player: messages in, messages out."""

    def __init__(self, player: Player, pipe: Pipe) -> None:
        self._player, self._pipe = player, pipe
        self._turn: Turn | None = None

    async def run(self, received: Iterator[ServerMessage]) -> None:
        """Play until the match is over or resigned."""
        match = ""
        try:
            while (message := await asyncio.to_thread(next, received, None)) is not None:
                match = getattr(message, "match", match)
                await self._handle(message)
                if isinstance(message, messages.Over):
                    return
        except Resign as resigned:
            self._pipe.send(messages.Resign(match, str(resigned)[: messages.MAX_TRACEBACK] or UNSET))
        except PlayerFailed as error:
            self._pipe.crashed(match, str(error))
        finally:
            await self._player.close()

    async def _handle(self, message: ServerMessage) -> None:
        match message:
            case messages.GameMessage():
                await settled(self._player.prepare(message))
                self._pipe.send(messages.Ready(message.match))
            case Turn():
                self._turn = message
                await self._answer(message)
            case messages.Rejected(strikes_left=left):
                await settled(self._player.hear(MoveRejected(message.match, message)))
                if left and self._turn is not None:
                    await self._answer(self._turn)
            case messages.Played():
                await settled(self._player.hear(MovePlayed(message.match, message)))
            case messages.Over():
                await settled(self._player.hear(MatchOver(message.match, message.outcome)))
            case _:
                return

    async def _answer(self, turn: Turn) -> None:
        thought = await settled(self._player.think(turn, Clock(limit_ms=turn.limit_ms)))
        self._pipe.send(messages.Move(turn.match, turn.id, thought.move, thought.info))


def main(spec: str) -> int:
    pipe = Pipe()
    try:
        player = load(spec).make(lambda fault: print(fault, file=sys.stderr))  # noqa: T201  # for the author
    except BadBot as error:
        print(error, file=sys.stderr)  # noqa: T201  # it was loaded before, so the author needs the reason
        return 2
    asyncio.run(Host(player, pipe).run(pipe.messages()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
