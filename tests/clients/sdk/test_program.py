"""A program that plays, heard by plain calls: its flood, its end; and one that stays for the next match."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from palio_clients.sdk.events import Crashed, Fault, run_in_loop
from palio_clients.sdk.program import BACKLOG, start
from palio_clients.sdk.stdio import engine
from palio_rules.contract import messages

ENGINE = Path(__file__).parent / "engine.py"


def program(how):
    return engine(f"{sys.executable} {ENGINE} {how}", "engine")


def started(capfd):
    """The processes that have said that they are up, in order."""
    return [int(pid) for pid in re.findall(r"engine (\d+) is up", capfd.readouterr().err)]


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_program_that_says_again_plays_the_next_match_too_and_ends_with_its_entrant(script, joined, kit, capfd):
    done = joined(program("again"), games=["nim"], matches=3)
    peer = await script.peer()
    await peer.welcome()
    for match in ("m1", "m2", "m3"):
        await kit.play(peer, match, heaps=3)
    await done
    [pid] = started(capfd)
    assert not lives(pid)


async def test_matches_at_the_same_time_have_a_program_each_and_both_stay(script, joined, kit, capfd):
    done = joined(program("again"), games=["nim"], slots=2, matches=4)
    peer = await script.peer()
    await peer.welcome()
    for pair in (("m1", "m2"), ("m3", "m4")):
        await peer.say(*(kit.game(match) for match in pair))
        assert {(await peer.hear(messages.Ready)).match for _ in pair} == set(pair)
        await peer.say(*(kit.turn(match) for match in pair))
        assert {(await peer.hear(messages.Move)).match for _ in pair} == set(pair)
        await peer.say(*(messages.Over(match, kit.WON) for match in pair))
    await done
    pids = started(capfd)
    assert len(pids) == 2
    assert not any(map(lives, pids))


async def test_one_that_has_died_between_two_matches_is_started_anew(script, joined, kit, capfd):
    notices = []
    done = joined(program("mortal"), games=["nim"], matches=2, notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer, "m1")
    await kit.play(peer, "m2")
    await done
    first, second = started(capfd)
    assert second != first
    assert not [notice for notice in notices if isinstance(notice, Crashed | Fault)]


async def test_what_a_program_that_stays_says_of_the_former_match_is_ignored(script, joined, kit):
    notices = []
    joined(program("again late"), games=["nim"], notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer, "m1")
    await kit.play(peer, "m2")  # its first words there are a move, a resignation and a crash of m1
    assert not [notice for notice in notices if isinstance(notice, Crashed | Fault)]


async def test_one_that_gives_its_match_up_does_not_stay(script, joined, kit, capfd):
    joined(program("again resigns"), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    pids = []
    for match in ("m1", "m2"):
        await peer.say(kit.game(match), kit.turn(match))
        await peer.hear(messages.Ready)
        assert await peer.hear() == messages.Resign(match)
        await peer.say(messages.Over(match, kit.WON))
        pids += started(capfd)
    assert len(set(pids)) == 2


async def test_the_word_again_goes_no_further_than_to_us(script, joined, kit):
    joined(program("again"), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game())
    assert await peer.hear() == messages.Ready("m1")


async def test_a_program_that_writes_without_end_waits_in_its_pipe():
    flood = 'import sys\nwhile True: sys.stdout.write(\'{"type":"ready","match":"m"}\\n\' * 1000)'
    running = await start([sys.executable, "-c", flood], "flood")

    class ProgramListener:
        def heard(self):
            """Nobody takes what it says."""

        def report(self, sentence):
            raise AssertionError(sentence)

    pause, paused = running._pause, asyncio.Event()

    def note(on):
        pause(on)
        paused.set() if on else paused.clear()

    running._pause = note
    running.listener = ProgramListener()
    if running._paused:  # the flood may have come before anybody looked
        paused.set()
    async with asyncio.timeout(20):
        for _ in range(3):
            await paused.wait()
            assert BACKLOG < len(running.received) < 20_000  # no more than one piece of a pipe
            while running.take() is not None:
                pass
            assert not paused.is_set()
        running.kill()
        await running.wait()
    running.close()


def test_programs_play_in_the_loop_that_palio_join_uses():
    """uvloop, where it is installed: its transports are not of asyncio's classes."""

    async def talk():
        running = await start([sys.executable, str(ENGINE), "again"], "engine")
        heard = asyncio.Event()

        class ProgramListener:
            def heard(self):
                heard.set()

            def report(self, sentence):
                raise AssertionError(sentence)

        running.listener = ProgramListener()
        running.send(messages.Turn("m1", 1, 0, "1,2 0", None, [None, None], None))
        async with asyncio.timeout(20):
            await heard.wait()
            running.hang_up()
            status = await running.wait_for_output()
        running.close()
        return running.take(), status, running.last_lines[0]

    message, status, said = run_in_loop(talk())
    assert (message.move, status) == ([0, 1], 0)
    assert said.endswith("is up")


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_without_uvloop_asyncios_own_loop_runs(loop, monkeypatch):
    if loop == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)

    async def which():
        return type(asyncio.get_running_loop()).__module__

    assert run_in_loop(which()).startswith(loop)
