"""A match of Go with an engine that speaks GTP on one seat, without a server."""

import sys
from pathlib import Path

from msgspec import UNSET, to_builtins

from palio_clients.engines.gtp_player import GtpPlayer, GtpSettings
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MovePlayed
from palio_clients.sdk.player import settled
from palio_rules.contract.messages import GameMessage, Played, SeatOf, Turn
from palio_rules.registry import game_from_spec
from palio_rules.time_control import TimeControl

ENGINE = Path(__file__).parent / "engines" / "gtp_engine.py"


class GtpTable:
    """A match with an engine on one seat: what a runner would do, without a server."""

    def __init__(self, folder, how="well", spec="go", seat=0, settings=None, time=None, base=None, argv=None):
        self.rules, self.options = game_from_spec(spec)
        self.state = self.rules.start(self.options) if base is None else self.rules.read_state(base, self.options)
        self.log, self.said, self.seat, self.time = folder / "log", [], seat, time or TimeControl()
        argv = argv or [sys.executable, str(ENGINE), how, str(self.log)]
        self.player = GtpPlayer(argv, settings or GtpSettings(), self.said.append, "engine")
        self.setup, self.plies = self.rules.format_state(self.state), 0

    async def __aenter__(self):
        seats = [SeatOf(name, "bot") for name in self.rules.seats]
        options = to_builtins(self.options)
        game = GameMessage("m", self.rules.name, options, self.setup, self.seat, seats, self.time, 3)
        try:
            await self.player.prepare(game)
        except BaseException:
            await self.player.close()
            raise
        return self

    async def __aexit__(self, *_):
        await self.player.close()

    async def think(self, clocks=(None, None), limit_ms=None, moves_to_go=UNSET):
        state = self.rules.format_state(self.state)
        turn = Turn("m", self.plies + 1, self.plies, state, None, list(clocks), limit_ms, moves_to_go)
        return await settled(self.player.think(turn, Clock.of(limit_ms / 1000) if limit_ms else Clock()))

    def play(self, move, *, told=True):
        seat = self.state.to_move
        self.state, self.plies = self.state.play(move), self.plies + 1
        if told:
            self.player.hear(MovePlayed("m", Played("m", self.plies, seat, self.rules.move_to_wire(move), [None] * 2)))

    def lines(self):
        return self.log.read_text().splitlines()

    def told(self, *words):
        return [line for line in self.lines() if line.split()[0] in words]
