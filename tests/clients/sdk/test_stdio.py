"""Programs on stdin and stdout play like any other bot; their faults are reported, and they are ended for certain."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from palio_clients.sdk.events import Crashed, Fault
from palio_clients.sdk.stdio import end, engine
from palio_rules.contract import messages

ENGINE = Path(__file__).parent / "engine.py"


def program(how="well"):
    return engine(f"{sys.executable} {ENGINE} {how}", "engine")


def pid_of(capfd):
    return int(re.search(r"engine (\d+) is up", capfd.readouterr().err)[1])


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_program_plays_a_whole_match_and_ends_with_it(script, joined, kit, capfd, seat):
    done = joined(program(), games=["nim"], matches=1)
    peer = await script.peer()
    await peer.welcome()
    assert await kit.play(peer, seat=seat, heaps=3)
    await done
    assert not lives(pid_of(capfd))


async def test_its_info_travels(script, joined, kit):
    joined(program(), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).info.text == "turn"


async def test_it_hears_of_a_rejection_and_answers_again(script, joined, kit):
    joined(program(), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).move == [0, 1]
    await peer.say(messages.Rejected("m1", 1, "no", "not today", 2, [None, None]))
    again = await peer.hear(messages.Move)
    assert (again.move, again.info.text) == ([1, 1], "rejected")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("dies", r"exited with status 3 in mid-match; its last lines on stderr:\nengine \d+ is up\nout of ideas"),
        ("killed", r"was killed by SIGKILL in mid-match"),
        ("unready", r"exited with status 4 in mid-match"),
        ("mute", r"closed its stdout but runs on; it must keep stdout open"),
    ],
)
async def test_a_program_that_fails_gives_the_match_up_with_its_last_lines(script, joined, kit, how, sentence):
    notices = []
    joined(program(how), games=["nim"], notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    heard = await peer.hear()
    error = await peer.hear() if isinstance(heard, messages.Ready) else heard
    assert error.code == "crashed"
    assert re.search(sentence, error.reason)
    assert [notice.match for notice in notices if isinstance(notice, Crashed)] == ["m1"]


async def test_of_a_program_that_dies_without_a_word_one_line_tells_how(script, joined, kit):
    joined(engine("sh -c 'read line; exit 7'", "silent"), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game())
    error = await peer.hear(messages.Error)
    assert (error.code, error.reason) == ("crashed", "sh exited with status 7 in mid-match; it said nothing on stderr")


async def test_a_program_may_resign(script, joined, kit):
    joined(program("resigns"), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert await peer.hear() == messages.Resign("m1")


async def test_lines_that_are_no_messages_are_reported_and_the_match_goes_on(script, joined, kit):
    notices = []
    joined(program("garrulous"), games=["nim"], notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).id == 1
    faults = [notice.text.split(" ", 1)[1] for notice in notices if isinstance(notice, Fault)]
    assert len(faults) == 4
    assert faults[0].startswith("wrote 'hello, I am an engine', which is no message: not JSON")
    assert faults[1] == "wrote a line of more than 65536 bytes, which is ignored"
    assert faults[2] == "answers turn 99, which it was never asked; copy the id of the turn"
    assert faults[3] == "complains: what is this (confused)"


async def test_a_program_that_ignores_sigterm_is_killed(script, joined, kit, capfd, monkeypatch):
    monkeypatch.setattr("palio_clients.sdk.stdio.LEAVE_S", 0.05)
    monkeypatch.setattr("palio_clients.sdk.stdio.TERM_S", 0.05)
    done = joined(program("stubborn"), games=["nim"], matches=1)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer)
    async with asyncio.timeout(20):
        await done
    assert not lives(pid_of(capfd))


async def test_leaving_in_mid_match_leaves_no_process_behind(script, joined, kit, capfd):
    task = joined(program(), games=["nim"])
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    await peer.hear(messages.Move)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert not lives(pid_of(capfd))


@pytest.fixture
async def keeper(monkeypatch):
    """A shell that ignores SIGTERM, and has started a program that keeps its stdout open."""
    monkeypatch.setattr("palio_clients.sdk.stdio.GONE_S", 0.5)
    script = "trap '' TERM; sleep 60 & echo $!; wait"
    process = await asyncio.create_subprocess_exec("sh", "-c", script, stdout=asyncio.subprocess.PIPE)
    started = int(await process.stdout.readline())
    yield process
    os.kill(started, signal.SIGKILL)
    await process.communicate()


async def test_a_process_has_ended_though_a_program_that_it_has_started_keeps_its_pipes(keeper):
    async with asyncio.timeout(20):
        await end(keeper, leave_s=0, term_s=0.1)
    assert keeper.returncode == -signal.SIGKILL


async def test_whoever_is_cancelled_while_a_process_ends_does_not_wait_for_its_pipes(keeper):
    ending = asyncio.create_task(end(keeper, leave_s=60, term_s=60))
    await asyncio.sleep(0)
    ending.cancel()
    _, waiting = await asyncio.wait([ending], timeout=20)
    assert not waiting
    assert ending.cancelled()
    assert keeper.returncode == -signal.SIGKILL
