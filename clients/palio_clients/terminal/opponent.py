"""A bot across the board: one match's player, asked as a server would ask it."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec

from palio_clients.sdk.clock import Clock
from palio_clients.sdk.entrant import Entrant
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, ProgramDied, Resign
from palio_clients.sdk.match_runner import LAST_NEWS_S
from palio_clients.sdk.player import Player, Report, settled
from palio_clients.terminal.local_match import LocalMatch
from palio_rules.contract.messages import GameMessage, Played, Rejected, Result, SeatOf, Turn
from palio_rules.errors import Rejection
from palio_rules.time_control import TimeControl

MATCH = "board"
STRIKES = 3


class GaveUp(Exception):
    """The bot does not answer with a move, for `reason`; str() is a sentence. Both are one line."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} forfeits: {reason}")
        self.reason = reason


class Opponent:
    """Plays `seat`. A new player is made for every game, and after moves that were taken back."""

    def __init__(self, entrant: Entrant, options: Any, seat: int, names: tuple[str, ...], report: Report) -> None:
        self.name = entrant.name
        self._entrant, self._options, self._seat, self._names, self._report = entrant, options, seat, names, report
        self._player: Player | None = None
        self._heard: tuple[Any, ...] = ()  # the moves that the player knows of
        self._turns = 0
        self._one_at_a_time = asyncio.Lock()  # a new game may begin before the end of the last one is announced

    async def answer(self, match: LocalMatch) -> Any:
        """A legal move in this game, where it is this bot's turn. Raises GaveUp. May be cancelled."""
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
            await self.close()  # what it was thinking about is over; the next answer starts afresh
            raise

    async def hear_the_end(self, match: LocalMatch) -> None:
        """Tell the player how the game ended, if it is still this one."""
        async with self._one_at_a_time:
            player, outcome = self._player, match.outcome
            if player is None or outcome is None or not match.follows(self._heard):
                return
            with suppress(PlayerFailed, Resign, TimeoutError):  # the game is over anyway
                async with asyncio.timeout(LAST_NEWS_S):
                    await self._tell_moves(player, match)
                    await settled(player.hear(MatchOver(MATCH, Result("rule", outcome.reason, list(outcome.scores)))))
            await self.close()

    async def close(self) -> None:
        player, self._player, self._heard = self._player, None, ()
        if player is not None:
            await player.close()

    async def _prepared(self, match: LocalMatch) -> Player:
        """A player that knows of every move of this game."""
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
    """The line that says most: how a process ended and what it said last, or the last line of a traceback."""
    lines = error.last_lines if isinstance(error, ProgramDied) else str(error).splitlines()
    line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if isinstance(error, ProgramDied):
        return f"{error.how}, saying {line}" if line else error.how
    return line or "it does not say why"
