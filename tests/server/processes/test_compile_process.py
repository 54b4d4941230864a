"""Searches are compiled before the first game, once, and only for bots that have some."""

import asyncio
import sys

import pytest

from palio_server.processes.compile_process import compiling, has_compiled
from palio_server.processes.entrants import entrants

FRESH = """
import sys
print("palio: compiling the searches of breakthrough (once, kept in /there)", file=sys.stderr)
print("Error: another line", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("game", "bots", "found"),
    [
        ("breakthrough", ["random", "champion"], True),
        ("breakthrough", ["mine=champion:depth=3", "random"], True),
        ("breakthrough", ["planner", "greedy", "./champion.py", "exec:champion"], False),
        ("rush_hour", ["planner", "greedy"], True),
        ("tsp", ["or_opt:seconds=1"], True),
        ("tsp", ["hill_climbing", "greedy"], False),
    ],
)
def test_only_the_bots_that_have_compiled_searches_are_waited_for(game, bots, found):
    assert has_compiled(game, entrants(bots)) is found


async def test_it_is_told_that_something_is_compiled_and_nothing_else():
    said = []
    async with compiling("breakthrough", entrants(["champion"]), said.append, sys.executable, "-c", FRESH) as compiler:
        await compiler.done()
    assert said == ["palio: compiling the searches of breakthrough (once, kept in /there)"]


async def test_without_such_a_bot_nothing_is_started():
    async with compiling("breakthrough", entrants(["random"]), print, "/no/such/program") as compiler:
        await compiler.done()


async def test_who_does_not_wait_for_the_end_leaves_no_process():
    async with asyncio.timeout(20):
        program = (sys.executable, "-c", "import time; time.sleep(600)")
        async with compiling("breakthrough", entrants(["champion"]), print, *program) as compiler:
            waiting = asyncio.ensure_future(compiler.done())
            await asyncio.sleep(0.2)
            assert not waiting.done()
            waiting.cancel()
    assert compiler._process.returncode is not None


@pytest.mark.slow
async def test_what_champion_needs_is_compiled_the_first_time_only(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = []
    for _ in range(2):
        async with compiling("dominoes", entrants(["champion"]), said.append) as compiler:
            await compiler.done()
    [line] = said
    assert line.startswith(f"palio: compiling the searches of dominoes (once, kept in {tmp_path}")
