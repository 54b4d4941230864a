"""The kept origin of games that are not installed."""

from types import SimpleNamespace

from palio_server.cli.options import GAME_FROM, sources


class _Store:
    async def tournaments(self, limit):
        row = SimpleNamespace
        return [
            row(game="nim", settings={GAME_FROM: "/new/mygame.py:Nim"}),
            row(game="breakthrough", settings={GAME_FROM: "/odd.py"}),
            row(game="nim", settings={GAME_FROM: "/old/mygame.py:Nim"}),
            row(game="dominoes", settings={}),
        ]


async def test_the_newest_place_of_an_unknown_game_is_told(own_games):
    assert await sources(_Store()) == {"nim": "/new/mygame.py:Nim"}
