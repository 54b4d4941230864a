"""Bots that know docs/protocol.md and nothing else play every game to its end."""

import sys

import pytest
from houses import ROOT, connected, house_in, played, program

from palio_rules.record import Setup, fault
from palio_rules.time_control import TimeControl

GAMES = ("breakthrough", "dominoes", "end_of_the_track")
TIME = TimeControl(base_ms=20_000)


@pytest.mark.node
async def test_the_python_and_the_javascript_bot_play_each_other_in_every_game(tmp_path, node):
    python = (sys.executable, str(ROOT / "examples" / "minimal_bot.py"))
    javascript = (node, "--experimental-websocket", str(ROOT / "examples" / "minimal_bot.mjs"))
    async with house_in(tmp_path) as house:
        url = house.url.replace("http", "ws") + "/ws/bot"
        async with program(*python, url, "pythonic"), program(*javascript, url, "script"):
            await connected(house, "pythonic", "script")
            for game in GAMES:
                for bots in (("pythonic", "script"), ("script", "pythonic")):
                    record = await played(house, Setup(game, bots, time=TIME))
                    assert record.result.termination == "rule"
                    assert not record.refusals
                    assert fault(record) is None


async def test_the_python_bot_is_told_why_it_is_refused(tmp_path):
    async with house_in(tmp_path, auth="required") as house:
        url = house.url.replace("http", "ws") + "/ws/bot"
        command = (sys.executable, str(ROOT / "examples" / "minimal_bot.py"), url, "stranger", "no-such-token")
        async with program(*command) as process:
            assert await process.wait() == 1
