"""Handout modules are imported as a course imports them: by their bare names, from one folder on the path."""

import importlib
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

import palio_clients.handouts
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MovePlayed
from palio_clients.sdk.loader import load
from palio_clients.sdk.player import settled
from palio_rules import registry
from palio_rules.contract.messages import GameMessage, Played, SeatOf, Turn
from palio_rules.time_control import TimeControl

HANDOUTS = Path(palio_clients.handouts.__file__).parent


@pytest.fixture(scope="module")
def handout():
    """Imports the named modules of a course; courses share module names, so none of them stays in sys.modules."""

    def load(course, *names):
        sys.path.insert(0, str(HANDOUTS / course))
        try:
            return SimpleNamespace(**{name: importlib.import_module(name) for name in names})
        finally:
            sys.path.pop(0)
            for name in names:
                del sys.modules[name]

    return load


@pytest.fixture(scope="session")
def handout_folder():
    return lambda course: HANDOUTS / course


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a student's file, and stands beside it."""
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


class Table:
    """A game between players, without a network: the referee's part in a few lines."""

    def __init__(self, name, options):
        self.rules, self.name, self.options = registry.game(name), name, options
        self.state = self.rules.start(self.rules.parse_options(options))
        self.reports, self.moves, self.infos, self.players = [], [], [], []

    async def sit(self, spec, seat=0):
        player = load(spec).make(self.reports.append)
        self.players.append(player)
        setup = self.rules.format_state(self.state)
        seats = [SeatOf(name, "x") for name in self.rules.seats]
        await settled(player.prepare(GameMessage("m1", self.name, self.options, setup, seat, seats, TimeControl(), 3)))
        return player

    async def ask(self, player):
        """The move that the player wants, which must be legal."""
        text = self.rules.format_state(self.state)
        clocks = [None] * len(self.rules.seats)
        turn = Turn("m1", len(self.moves) + 1, len(self.moves), text, None, clocks, None)
        thought = await settled(player.think(turn, Clock()))
        self.infos.append(thought.info)
        return self.rules.read_move(self.state, thought.move)

    async def tell(self, seat, move):
        """Tell all players of a move."""
        played = Played("m1", len(self.moves), seat, self.rules.move_to_wire(move), [None] * len(self.rules.seats))
        for player in self.players:
            await settled(player.hear(MovePlayed("m1", played)))

    async def play(self, *specs):
        """Play a game to its end; the scores."""
        players = [await self.sit(spec, seat) for seat, spec in enumerate(specs)]
        while (seat := self.state.to_move) is not None:
            self.moves.append(await self.ask(players[seat]))
            self.state = self.state.play(self.moves[-1])
            await self.tell(seat, self.moves[-1])
        return self.state.outcome().scores


@pytest.fixture
async def table():
    """Sets tables up; their players leave at the end of the test."""
    tables = []

    def table(name, **options):
        tables.append(Table(name, options))
        return tables[-1]

    yield table
    for each in tables:
        for player in each.players:
            await player.close()
