"""What the tests of the board share: positions that can be reached, whatever the game, and a person at the screen."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st
from textual.widgets import Static

from palio_clients.sdk.loader import entrant_of
from palio_clients.terminal.app import PlayApp
from palio_clients.terminal.board import BoardView
from palio_clients.terminal.opponent import LocalMatch
from palio_rules.registry import game_from_spec

# Small boards, on which a game soon comes to its end.
SPECS = {
    "breakthrough": "breakthrough:rows=4,cols=3",
    "chess": "chess",
    "chexers": "chexers:max_turns=5",
    "chexers_solo": "chexers_solo:board=..../...../....#./..r.#.r/....r./...../....,max_actions=12",
    "dominoes": "dominoes:rows=4,cols=5",
    "end_of_the_track": "end_of_the_track:max_plies=12",
    "go": "go:size=5",
    "rush_hour": "rush_hour:board=.bc./.bc./aadd/....",
}


def match(spec):
    rules, options = game_from_spec(spec)
    return LocalMatch.begin(rules, options, seed=1)


@st.composite
def matches(draw, games=tuple(SPECS), most=14):
    """A game after any moves, perhaps over."""
    at = match(SPECS[draw(st.sampled_from(games))])
    for choice in draw(st.lists(st.integers(0, 10_000), max_size=most)):
        moves = list(at.state.legal_moves())
        if moves:
            at = at.play(moves[choice % len(moves)])
    return at


@pytest.fixture(scope="session")
def table():
    """Tests are not a package, so they cannot import it."""
    return SimpleNamespace(match=match, matches=matches, specs=SPECS)


class Screen:
    """What a person sees and does."""

    def __init__(self, app, pilot):
        self.app, self.pilot = app, pilot
        self.view = app.query_one(BoardView)

    async def click(self, *cells):
        for cell in cells:
            await self.pilot.click(BoardView, offset=self.view.position_of(cell))

    async def hover(self, cell):
        await self.pilot.hover(BoardView, offset=self.view.position_of(cell))

    async def press(self, *keys):
        await self.pilot.press(*keys)

    async def until(self, wanted):
        async with asyncio.timeout(30):
            while not wanted():  # noqa: ASYNC110  # the screen sets no events
                await asyncio.sleep(0.01)
        await self.pilot.pause()

    def text(self, name):
        return str(self.app.screen_stack[0].query_one(f"#{name}", Static).render())

    @property
    def moves(self):
        return [text for _, text in self.app.match.notations()]

    @property
    def look(self):
        return self.view._look

    def styles(self):
        return [segment.style for y in range(self.view.size.height) for segment in self.view.render_line(y)]


@pytest.fixture
def opened(table):
    @asynccontextmanager
    async def open_(spec="dominoes:rows=4,cols=4", bot=None, seat=1, size=(80, 24), *, position=None):
        """`bot` plays the seat, or the seats, `seat`; the game begins at `position`, if that is given."""
        rules, options = game_from_spec(spec)
        seats = (seat,) if isinstance(seat, int) else seat
        at = table.match(spec) if position is None else LocalMatch(rules, (rules.parse_state(position),))
        app = PlayApp(at, options, {each: entrant_of(bot) for each in seats} if bot else {})
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Screen(app, pilot)

    return open_
