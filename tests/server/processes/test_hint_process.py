"""Hints from a real process: it answers, and after any failure the next question is still answered."""

import asyncio
import os
import signal
import sys

import pytest

from palio_rules.registry import game
from palio_server.processes import hint_process
from palio_server.processes.hint_process import HintProcess, HintsFailed, NoHint, TooManyHints

START = "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW black"
SEARCH = """
import json, os, signal, sys, time
say = lambda **line: print(json.dumps(line), flush=True)
say(ready=True)
for line in sys.stdin:
    asked = json.loads(line)
    match asked["state"]:
        case "crash": os.kill(os.getpid(), signal.SIGKILL)
        case "hang": time.sleep(1000)
        case "babble": print("no move", flush=True)
        case "compile": say(id=asked["id"], preparing=True); time.sleep(0.3); say(id=asked["id"], move=os.getpid())
        case "other": say(id=asked["id"] + 1, move=1)
        case "endless": print("x" * 2_000_000, flush=True)
        case "who": say(id=asked["id"], move=os.getpid())
        case "none": say(id=asked["id"], error="there is none")
"""
OWNER = """
import asyncio, sys
from palio_server.processes.hint_process import HintProcess
async def main():
    async with HintProcess(sys.executable, sys.argv[1]) as hints:
        print((await hints.ask("any", "who", 1)).move, flush=True)
        await hints.ask("any", "hang", 1)
asyncio.run(main())
"""


@pytest.fixture
def search(tmp_path):
    """The command line of something that answers as the `state` of a question says."""
    path = tmp_path / "search.py"
    path.write_text(SEARCH)
    return sys.executable, str(path)


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until_gone(pid):
    """Its parent has to hear of its end first."""
    async with asyncio.timeout(20):
        while lives(pid):  # noqa: ASYNC110  # the system has no event for it
            await asyncio.sleep(0.01)


async def test_the_shipped_searches_answer_and_one_process_serves_many():
    rules = game("breakthrough")
    state = rules.parse_state(START)
    async with HintProcess() as hints:
        assert hints.pid is None
        found = await hints.ask("breakthrough", START, 2)
        state.check(rules.read_move(state, found.move))
        assert (found.complete, found.text.startswith("2 plies deep ")) == (True, True)
        first = hints.pid
        with pytest.raises(NoHint, match="the game is over"):
            await hints.ask("dominoes", "## vertical", 2)
        assert hints.pid == first
        os.kill(first, signal.SIGKILL)  # between two questions
        await until_dead(hints)
        assert (await hints.ask("breakthrough", START, 1)).move
        second = hints.pid
    assert not lives(second)


async def until_dead(hints):
    async with asyncio.timeout(20):
        while hints.pid is not None:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)


async def test_one_address_does_not_take_all_hints(search):
    async with HintProcess(*search) as hints:
        waiting = [asyncio.create_task(hints.ask("any", "who", 1, "192.0.2.1")) for _ in range(hint_process.OF_ONE)]
        await asyncio.sleep(0)  # they have asked
        with pytest.raises(TooManyHints, match="2 hints for your address are being looked for already"):
            await hints.ask("any", "who", 1, "192.0.2.1")
        assert (await hints.ask("any", "who", 1, "192.0.2.2")).move
        await asyncio.gather(*waiting)
        assert (await hints.ask("any", "who", 1, "192.0.2.1")).move


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("crash", "the search crashed; try again"),
        ("hang", "the search did not end in time; try again, or with less depth"),
        ("babble", "the search answered with something else than a move"),
        ("other", "the search answered another question"),
        ("endless", "the search gave an endless answer"),
    ],
)
async def test_whatever_goes_wrong_the_next_question_is_answered_by_a_new_process(search, state, sentence):
    async with HintProcess(*search, answer_s=20) as hints:
        before = (await hints.ask("any", "who", 1)).move
        hints.answer_s = 0.1 if state == "hang" else 20
        with pytest.raises(HintsFailed, match=sentence):
            await hints.ask("any", state, 1)
        hints.answer_s = 20
        after = (await hints.ask("any", "who", 1)).move
        assert before != after
        await until_gone(before)


async def test_searches_that_are_compiled_first_get_their_time(search):
    async with HintProcess(*search, answer_s=20) as hints:
        pid = (await hints.ask("any", "who", 1)).move
        hints.answer_s = 0.15
        assert (await hints.ask("any", "compile", 1)).move == pid


async def test_a_reason_why_there_is_none_is_passed_on(search):
    async with HintProcess(*search) as hints:
        with pytest.raises(NoHint, match="there is none"):
            await hints.ask("any", "none", 1)


async def test_what_cannot_be_started_is_said(tmp_path):
    async with HintProcess(str(tmp_path / "absent")) as hints:
        with pytest.raises(HintsFailed, match="the search crashed"):
            await hints.ask("any", "who", 1)


async def test_some_wait_the_rest_are_refused_and_all_end_with_the_server(search):
    async with HintProcess(*search, answer_s=1000) as hints:
        pid = (await hints.ask("any", "who", 1)).move
        waiting = [asyncio.create_task(hints.ask("any", "hang", 1)) for _ in range(1 + hint_process.WAITING)]
        await asyncio.sleep(0)  # all of them have asked
        with pytest.raises(TooManyHints, match="8 others wait for a hint already"):
            await hints.ask("any", "who", 1)
    assert not lives(pid)
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends)
    with pytest.raises(HintsFailed, match="the server is ending"):
        await hints.ask("any", "who", 1)


async def test_who_goes_away_leaves_nobody_else_with_the_wrong_answer(search):
    async with HintProcess(*search) as hints:
        pid = (await hints.ask("any", "who", 1)).move
        leaving = asyncio.create_task(hints.ask("any", "who", 1))
        await asyncio.sleep(0)
        leaving.cancel()
        assert (await hints.ask("any", "who", 1)).move == pid


async def test_a_process_that_nobody_asks_ends_and_comes_back(search):
    async with HintProcess(*search, idle_s=0) as hints:
        first = (await hints.ask("any", "who", 1)).move
        await until_gone(first)
        await until_dead(hints)
        assert (await hints.ask("any", "who", 1)).move != first


async def test_it_ends_even_with_a_server_that_is_killed(search, tmp_path):
    owner = tmp_path / "owner.py"
    owner.write_text(OWNER)
    server = await asyncio.create_subprocess_exec(sys.executable, str(owner), search[1], stdout=asyncio.subprocess.PIPE)
    pid = int(await server.stdout.readline())
    assert lives(pid)
    server.kill()
    await server.wait()
    await until_gone(pid)
