"""Bots that know docs/reference/protocol.md and nothing else play every game to its end."""

import asyncio
import os
import re
import sys

import nbformat
import pytest
from command import Palio, Started, program
from nbclient import NotebookClient
from serving import ROOT, connected, ending, played, server_in

from palio_rules.records import Setup, fault
from palio_rules.time_control import TimeControl

GAMES = ("breakthrough", "dominoes", "end_of_the_track")
TIME = TimeControl(base_ms=20_000)


def started(*command: str) -> Started:
    return Started(program(list(command), ROOT), dict(os.environ))


@pytest.mark.node
async def test_the_python_and_the_javascript_bot_play_each_other_in_every_game(tmp_path, node):
    python = [sys.executable, str(ROOT / "examples" / "minimal_bot.py")]
    javascript = [node, "--experimental-websocket", str(ROOT / "examples" / "minimal_bot.mjs")]
    async with server_in(tmp_path) as server:
        url = server.url.replace("http", "ws") + "/ws/bot"
        async with ending(started(*python, url, "pythonic"), started(*javascript, url, "script")):
            await connected(server, "pythonic", "script")
            for game in GAMES:
                for bots in (("pythonic", "script"), ("script", "pythonic")):
                    record = await played(server, Setup(game, bots, time=TIME))
                    assert record.result.termination == "rule"
                    assert not record.refusals
                    assert fault(record) is None


async def test_the_python_bot_is_told_why_it_is_refused(tmp_path):
    async with server_in(tmp_path, auth="required") as server:
        url = server.url.replace("http", "ws") + "/ws/bot"
        bot = started(sys.executable, str(ROOT / "examples" / "minimal_bot.py"), url, "stranger", "no-such-token")
        assert await asyncio.to_thread(bot.wait) == 1


def test_the_notebook_joins_a_server_and_shows_its_match(palio: Palio, monkeypatch):
    server = palio.start("serve", "--port", "0", "--ladder", "--house-bots", "0", "--bot", "greedy")
    monkeypatch.setenv("PALIO_URL", re.search(r"http://[0-9.:]+", server.line_with("serves on"))[0])
    notebook = nbformat.read(ROOT / "examples" / "bot.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is kept without what it has printed"
    resources = {"metadata": {"path": str(palio.folder)}}
    NotebookClient(notebook, timeout=80, kernel_name="python3", resources=resources).execute()
    shown = "".join(output.get("text", "") for output in notebook.cells[-1].outputs)
    assert re.search(r"^(notebook vs greedy|greedy vs notebook) finished \[", shown, re.MULTILINE), shown
