"""One of our bots as the thinking part of an engine: any SPEC, asked for moves in the positions that a GUI shows.

Behind it is a `Player`, the same that plays on a server. One is kept for each seat, and hears of the moves that have
led from its last position to the next one; a position that is no continuation begins a new match.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from msgspec import UNSET, to_builtins

from palio_clients.sdk.bot import Bot, Told, arguments, maker
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MovePlayed, MoveRejected
from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_clients.sdk.loader import Entrant, bot_of, entrant_of, has_scheme, load, usual_name
from palio_clients.sdk.player import BotPlayer, Player, info_of, settled
from palio_rules.contract.messages import GameMessage, Info, Played, Rejected, SeatOf, Turn
from palio_rules.errors import Rejection
from palio_rules.game import Game
from palio_rules.time_control import TimeControl

MATCH = "gui"
STRIKES = 3
FOR_EVER_S = 1e9

Show = Callable[[Any, Info], None]  # takes a position and what the bot tells of it, while it thinks


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits of a search beside its clock: the SPEC's own settings, or these instead. Without any it has no end."""

    depth: int | None = None
    nodes: int | None = None
    endless: bool = False

    @property
    def is_set(self) -> bool:
        return self.depth is not None or self.nodes is not None or self.endless

    def settings(self) -> dict[str, str]:
        """For a bot that has settings of these names."""
        if not self.is_set:
            return {}
        seconds = str(int(FOR_EVER_S)) if self.endless else "0"
        return {"depth": str(self.depth or 0), "nodes": str(self.nodes or 0), "seconds": seconds}


@dataclass(slots=True)
class _Seated:
    """A player in the midst of a match, and the positions that it knows."""

    player: Player
    limit: Limit
    moves: list[Any]


class Thinker:
    """Thinks with the bot SPEC about a game with its options. Raises BadBot, as `load` does."""

    def __init__(self, spec: str, rules: Game[Any, Any], options: Any, report: Callable[[str], None]) -> None:
        self._rules, self._options, self._report = rules, options, report
        self._bot: type[Bot] | None = None
        self._settings: dict[str, str] = {}
        if has_scheme(spec):
            entrant = load(spec)
        else:
            self._bot, self._settings = bot_of(spec)
            entrant = entrant_of(self._bot, maker(self._bot, self._settings), usual_name(spec))
        self._entrant = entrant.only([rules.name])
        self.name = entrant.name
        self._seated: dict[int, _Seated] = {}
        self._base: Any = None
        self._numbers = count(1)

    @property
    def bot(self) -> type[Bot] | None:
        """Its class, whose settings are the engine's options; None for a program."""
        return self._bot

    @property
    def settings(self) -> Mapping[str, str]:
        """As they are set now."""
        return self._settings

    @property
    def names(self) -> list[str]:
        """Of its settings."""
        return list(self._parameters())

    def can(self, limit: Limit) -> bool:
        """Return whether the bot can be told of the limit."""
        known = self._parameters()
        wanted = {"depth": limit.depth is not None, "nodes": limit.nodes is not None}
        return all(name in known for name, is_wanted in wanted.items() if is_wanted)

    async def set_option(self, name: str, value: str) -> None:
        """From the next search on. Raises BadBot, as a SPEC with that setting does."""
        assert self._bot is not None
        settings = {**self._settings, name: value}
        self._entrant = entrant_of(self._bot, maker(self._bot, settings), self.name)
        self._settings = settings
        await self.forget()

    def play_with(self, options: Any) -> None:
        """Tell the bot these options of the game at its next start, which a new first position makes."""
        self._options = options

    async def forget(self) -> None:
        """Begin a new game: drop all thoughts about the last one."""
        seated, self._seated = self._seated, {}
        for each in seated.values():
            await each.player.close()

    async def get_ready(self, base: Any) -> None:
        """Do before the first search what takes long: a bot compiles, or loads its tables. Raises PlayerFailed."""
        if base.to_move is not None:
            await self._at(base, [], base.to_move, Limit())

    async def think(self, base: Any, moves: list[Any], clock: Clock, limit: Limit, show: Show) -> tuple[Any, Info]:
        """A legal move in the position after `moves` from `base`, and what the bot tells of it.

        Raises PlayerFailed, with a sentence or the author's traceback, and Resign.
        """
        rules, state = self._rules, base
        for move in moves:
            state = state.play(move)
        player = await self._at(base, moves, state.to_move, limit)
        if isinstance(player, BotPlayer):
            player.listener = lambda of, told: show(of, _info(rules, of, told))
        legal = [rules.move_to_wire(move) for move in state.legal_moves()]
        clocks = self._clocks(state.to_move, clock)
        turn = Turn(MATCH, next(self._numbers), len(moves), rules.format_state(state), legal, clocks, clock.limit_ms)
        for strike in range(STRIKES, 0, -1):
            thought = await settled(player.think(turn, clock))
            try:
                move = rules.read_move(state, thought.move)
            except Rejection as error:
                self._report(f"{self.name} plays what the rules forbid: {error}")
                rejected = Rejected(MATCH, turn.id, error.code, str(error), strike - 1, clocks)
                await settled(player.hear(MoveRejected(MATCH, rejected)))
                continue
            return move, Info() if thought.info is UNSET else thought.info
        raise PlayerFailed(f"{self.name} has played {STRIKES} moves that the rules forbid")

    # --- players ------------------------------------------------------------------------------------------------------

    async def _at(self, base: Any, moves: list[Any], seat: int, limit: Limit) -> Player:
        """Return the bot of that seat, told of all moves so far."""
        if base != self._base:
            await self.forget()
            self._base = base
        seated = self._seated.get(seat)
        if seated is not None and (seated.limit != limit or moves[: len(seated.moves)] != seated.moves):
            del self._seated[seat]
            await seated.player.close()
            seated = None
        if seated is None:
            player = self._limited(limit).make(self._report)
            seated = self._seated[seat] = _Seated(player, limit, [])
            await settled(player.prepare(self._game(base, seat)))
        await self._tell(seated, base, moves)
        return seated.player

    async def _tell(self, seated: _Seated, base: Any, moves: list[Any]) -> None:
        state = base
        for ply, move in enumerate(moves, 1):
            if ply > len(seated.moves):
                wire = self._rules.move_to_wire(move)
                played = Played(MATCH, ply, state.to_move, wire, [None] * len(self._rules.seats))
                await settled(seated.player.hear(MovePlayed(MATCH, played)))
                seated.moves.append(move)
            state = state.play(move)

    def _limited(self, limit: Limit) -> Entrant:
        """The bot with the limit in the place of its own ones, as far as it has such settings."""
        if self._bot is None or not limit.is_set:
            return self._entrant
        known = self._parameters()
        limits = {name: value for name, value in limit.settings().items() if name in known}
        try:
            return entrant_of(self._bot, maker(self._bot, {**self._settings, **limits}), self.name)
        except BadBot:
            return self._entrant

    def _parameters(self) -> Mapping[str, Any]:
        return {} if self._bot is None else arguments(self._bot)

    def _game(self, base: Any, seat: int) -> GameMessage:
        rules = self._rules
        seats = [SeatOf(name, "gui") for name in rules.seats]
        settings = to_builtins(self._options)
        return GameMessage(MATCH, rules.name, settings, rules.format_state(base), seat, seats, TimeControl(), STRIKES)

    def _clocks(self, seat: int, clock: Clock) -> list[int | None]:
        """By seat, of those that the clock knows."""
        clocks: list[int | None] = [None] * len(self._rules.seats)
        clocks[seat] = clock.remaining_ms
        for after, ms in enumerate(clock.opponents_ms, 1):
            clocks[(seat + after) % len(clocks)] = ms
        return clocks


def _info(rules: Game[Any, Any], state: Any, told: Told) -> Info:
    found = info_of(rules, state, told)
    return Info() if found is UNSET else found
