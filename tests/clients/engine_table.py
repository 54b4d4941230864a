"""A match with an engine on one seat, without a server."""

import sys
from pathlib import Path

from msgspec import UNSET

from palio_clients.engines.player import LanguagePlayer, Settings
from palio_clients.engines.ugi import UGI
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MovePlayed
from palio_clients.sdk.player import settled
from palio_rules.contract.messages import GameMessage, Played, SeatOf, Turn
from palio_rules.registry import game_from_spec
from palio_rules.time_control import TimeControl

ENGINE = Path(__file__).parent / "engines" / "engine.py"


class EngineTable:
    """A match with an engine on one seat: what a runner would do, without a server."""

    language = UGI

    def __init__(self, folder, how="well", spec="breakthrough", seat=0, settings=None, time=None, base=None):
        self.rules, self.options = game_from_spec(spec)
        self.state = self.rules.start(self.options) if base is None else self.rules.parse_state(base)
        self.log, self.said, self.seat, self.time = folder / "log", [], seat, time or TimeControl()
        argv = [sys.executable, str(ENGINE), spec, how, str(self.log), self.language.hello]
        self.player = LanguagePlayer(self.language, argv, settings or Settings(), self.said.append, "engine")
        self.setup, self.plies = self.rules.format_state(self.state), 0

    async def __aenter__(self):
        seats = [SeatOf(name, "bot") for name in self.rules.seats]
        chosen = {key: getattr(self.options, key) for key in self.options.__struct_fields__}
        game = GameMessage("m", self.rules.name, chosen, self.setup, self.seat, seats, self.time, 3)
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

    def told(self, word):
        return [line for line in self.log.read_text().splitlines() if line.startswith(word)]
