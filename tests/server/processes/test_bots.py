"""Bots are watched while they run, restarted after a crash, and have always ended at the end."""

import asyncio
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.processes import bot_process, bots
from palio_server.processes.bots import BotFailed, bots_are_independent, running_bots
from palio_server.processes.entrants import Entrant

ADA = Entrant("ada", "x")
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)


def ended(number, plies, result):
    """A duel of ada and bob, the `number`-th in a row."""
    began = MOMENT + number * timedelta(seconds=40)
    setup = Setup("breakthrough", ("ada", "bob"))
    return Record(f"m{number}", setup, plies, result, began, began + timedelta(seconds=30))


def played(number):
    """She has moved, and it was not her who left."""
    return ended(number, (Ply(0, [[1, 0], [2, 0]], 5),), Result("disconnected", "grace-over", [1.0, 0.0], 1))


def missed(number):
    """She never got ready."""
    return ended(number, (), Result("stalled", "never-ready", [0.0, 1.0], 0))


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Lets a bot's process run a Python program of the test's own."""

    def set_program(source):
        path = tmp_path / "bot.py"
        path.write_text(source)
        monkeypatch.setattr(
            bot_process, "_command", lambda url, entrant, spec, slots: [sys.executable, str(path), str(tmp_path)]
        )
        monkeypatch.setattr(bots, "BACKOFF_S", (0.01, 0.01, 0.01))

    return set_program


async def joins(name):
    """Return at once: every bot is connected."""


async def never(name):
    await asyncio.Event().wait()


async def keep(joins, say, count=1, served=None, then=None):
    async with running_bots(joins, say, served=served) as processes:
        processes.add("ws://nowhere", ADA, processes=count)
        if then is not None:
            await then()
        await asyncio.Event().wait()


def alive(pid: int) -> bool:
    try:
        return b"\nState:\tZ" not in Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return False


def wait_until(true, what: str) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.01)


def wait_for(path: Path) -> str:
    wait_until(lambda: path.exists() and path.read_text(), f"{path.name}'s being written")
    return path.read_text()


CRASHING = "import sys, time; open(sys.argv[1] + '/starts', 'a').write('x'); time.sleep(0.1); sys.exit(1)"


async def test_a_bot_that_dies_at_its_start_is_reported_with_its_last_lines(program):
    program("import sys; print('no such engine', file=sys.stderr); sys.exit(3)")
    with pytest.raises(
        BotFailed, match=r"(?s)the bot ada \(x\) ended with exit code 3 before it joined.*no such engine"
    ):
        await keep(never, print)


async def test_a_bot_that_dies_at_its_first_start_alone_has_a_second_try(program, tmp_path):
    program(
        "import pathlib, sys, time\n"
        "p = pathlib.Path(sys.argv[1], 'starts')\n"
        "n = len(p.read_text()) if p.exists() else 0\n"
        "p.write_text('x' * (n + 1))\n"
        "if not n: sys.exit(7)\n"
        "time.sleep(60)"
    )
    said, starts = [], tmp_path / "starts"

    async def second(name):
        await asyncio.to_thread(wait_until, lambda: starts.exists() and starts.read_text() == "xx", "the second start")

    async with running_bots(second, said.append) as processes:
        processes.add("ws://nowhere", ADA)
        await asyncio.to_thread(wait_until, lambda: said, "the news of it")
    assert said == ["the bot ada (x) ended with exit code 7 before it joined; it has joined at the second try"]


async def test_who_asks_is_told_of_a_bot_that_does_not_join_and_the_others_run_on(program, tmp_path):
    program("import sys; print('line 3: bad', file=sys.stderr); sys.exit(2)")
    told, said = asyncio.Queue(), []

    def broken(name, why):
        told.put_nowait((name, why))
        return True

    async with running_bots(never, said.append, broken=broken) as processes:
        processes.add("ws://nowhere", ADA)
        processes.add("ws://nowhere", Entrant("bob", "y", folder=str(tmp_path / "nowhere")))
        found = dict([await told.get(), await told.get()])
    assert "(x) ended with exit code 2 before it joined" in found["ada"]
    assert "line 3: bad" in found["ada"]
    assert "cannot be started" in found["bob"]
    assert said == []


async def test_only_so_many_processes_start_at_once_and_one_that_says_nothing_gives_its_place_up(
    program, tmp_path, monkeypatch
):
    program(
        "import pathlib, sys, os, time; pathlib.Path(sys.argv[1], f'started-{os.getpid()}').touch(); time.sleep(60)"
    )
    monkeypatch.setattr(bots, "STARTS", 2)
    monkeypatch.setattr(bots, "STARTING_S", 9999.0)

    def started():
        return len([*tmp_path.glob("started-*")])

    async with running_bots(never, print) as processes:
        for number in range(3):
            processes.add("ws://nowhere", Entrant(f"bot{number}", "x"))
        await asyncio.to_thread(wait_until, lambda: started() == 2, "two starts")
        assert processes._starting.locked()
        assert sum(map(len, processes._processes.values())) == 2
    monkeypatch.setattr(bots, "STARTING_S", 0.1)
    async with running_bots(never, print) as processes:
        for number in range(3):
            processes.add("ws://nowhere", Entrant(f"bot{number}", "x"))
        await asyncio.to_thread(wait_until, lambda: started() == 5, "the start of the third")


async def test_a_bot_that_crashes_is_started_again_a_few_times_and_then_given_up(program, tmp_path, monkeypatch):
    program(CRASHING)
    monkeypatch.setattr(bots, "CRASHES", 4)
    said = []
    with pytest.raises(BotFailed, match="4 times without finishing a match"):
        await keep(joins, said.append)
    assert (tmp_path / "starts").read_text() == "xxxx"
    assert len(said) == 3
    assert all("is started again" in line for line in said)


async def test_a_bot_that_finishes_matches_may_crash_again_and_again(program, tmp_path, monkeypatch):
    program(CRASHING)
    monkeypatch.setattr(bots, "CRASHES", 2)
    async with running_bots(joins, lambda _: processes.finished_match(played(0))) as processes:
        processes.add("ws://nowhere", ADA)
        await asyncio.to_thread(
            wait_until, lambda: (tmp_path / "starts").exists() and len((tmp_path / "starts").read_text()) > 4, "a start"
        )


async def test_matches_that_it_has_not_played_do_not_excuse_a_bots_crashes(program, tmp_path, monkeypatch):
    program(CRASHING)
    monkeypatch.setattr(bots, "CRASHES", 4)

    async def play():
        async with running_bots(joins, lambda _: processes.finished_match(missed(0))) as processes:
            processes.add("ws://nowhere", ADA)
            await asyncio.Event().wait()

    with pytest.raises(BotFailed, match="4 times without finishing a match"):
        await play()
    assert (tmp_path / "starts").read_text() == "xxxx"


HANGING = "import sys, time; open(sys.argv[1] + '/starts', 'a').write('x'); print('hm', file=sys.stderr, flush=True)"


async def test_a_bot_that_is_never_ready_is_given_up_after_three_matches(program, tmp_path):
    program(f"{HANGING}; time.sleep(60)")

    async def play():
        async with asyncio.timeout(30), running_bots(joins, print) as processes:
            processes.add("ws://nowhere", ADA)
            await asyncio.to_thread(wait_for, tmp_path / "starts")
            for number in range(3):
                processes.finished_match(missed(number))
            await asyncio.Event().wait()

    never = r"the bot ada \(x\) made no move in 3 games in a row; (its|it said|no process)"
    with pytest.raises(BotFailed, match=never):
        await play()


def crashed(number):
    """Her program crashed before her first move."""
    return ended(number, (), Result("crashed", "bot-crashed", [0.0, 1.0], 0))


async def lost_by_crashes(program, tmp_path, games, **limits):
    """Keep a bot running while so many of its games end by a crash, and a second more."""
    program(f"{HANGING}; time.sleep(60)")
    (tmp_path / "starts").unlink(missing_ok=True)
    async with asyncio.timeout(30), running_bots(joins, print, **limits) as processes:
        processes.add("ws://nowhere", ADA)
        await asyncio.to_thread(wait_for, tmp_path / "starts")
        for number in range(games):
            processes.finished_match(crashed(number))
        await asyncio.sleep(0.3)


async def test_a_bot_that_crashes_in_every_game_is_given_up_after_three(program, tmp_path):
    await lost_by_crashes(program, tmp_path, 2)
    with pytest.raises(BotFailed, match="made no move in 3 games in a row"):
        await lost_by_crashes(program, tmp_path, 3)


async def test_where_the_caller_counts_crashes_any_number_is_played_through_until_it_gives_up(program, tmp_path):
    await lost_by_crashes(program, tmp_path, 40, counts_crashes=True)

    async def play():
        async with asyncio.timeout(30), running_bots(joins, print, counts_crashes=True) as processes:
            processes.add("ws://nowhere", ADA)
            processes.give_up("ada", "crashed in 5 games")
            await asyncio.Event().wait()

    with pytest.raises(BotFailed, match=r"the bot ada \(x\) crashed in 5 games; "):
        await play()


async def test_where_it_goes_on_without_it_all_processes_of_a_bot_that_is_never_ready_end(program, tmp_path):
    program(f"import os; {HANGING}; open(sys.argv[1] + '/pids', 'a').write(str(os.getpid()) + ' '); time.sleep(60)")
    said, pids = [], tmp_path / "pids"
    async with asyncio.timeout(30), running_bots(joins, said.append, goes_on=bots_are_independent) as processes:
        processes.add("ws://nowhere", ADA, processes=2)
        await asyncio.to_thread(wait_until, lambda: pids.exists() and pids.read_text().count(" ") == 2, "two processes")
        for number in range(5):
            processes.finished_match(missed(number))
        both = [int(pid) for pid in pids.read_text().split()]
        await asyncio.to_thread(wait_until, lambda: not any(map(alive, both)), "the end of both")
    assert len(said) == 1
    assert said[0].endswith("\nada stays away")


async def test_where_it_goes_on_without_it_a_bot_that_fails_stays_away(program, tmp_path):
    program(CRASHING)
    failed = asyncio.Event()
    said = []

    def say(line):
        said.append(line)
        failed.set()

    async with asyncio.timeout(30), running_bots(never, say, goes_on=bots_are_independent) as processes:
        processes.add("ws://nowhere", ADA)
        await failed.wait()
    assert said == [
        "the bot ada (x) ended with exit code 1 before it joined; it said nothing on stderr\nada stays away"
    ]


async def test_what_a_bot_remarks_is_passed_on_once_and_what_else_it_prints_is_not(program, monkeypatch):
    program(
        "import sys, time\n"
        "print('hello\\nremark: slow\\nremark: slow\\nno remark: x\\nremark: and old', file=sys.stderr, flush=True)\n"
        "time.sleep(0.1); sys.exit(1)"
    )
    monkeypatch.setattr(bots, "CRASHES", 2)
    said = []
    with pytest.raises(BotFailed):
        await keep(joins, said.append)
    assert [line for line in said if "started again" not in line] == ["ada: slow", "ada: and old"]


async def test_a_bot_that_remarks_without_end_is_not_heard_for_ever(program, monkeypatch):
    program("import sys\nfor n in range(999): print('remark:', n, file=sys.stderr)\nsys.exit(1)")
    monkeypatch.setattr(bots, "CRASHES", 1)
    said = []
    with pytest.raises(BotFailed):
        await keep(joins, said.append)
    assert said == [f"ada: {n}" for n in range(bots.REMARKS)]


async def test_what_a_living_bot_has_written_is_heard_once(program, tmp_path, monkeypatch):
    monkeypatch.setattr(bots, "SETTLE_S", 0.0)
    program(
        "import pathlib, sys, time\n"
        "print('remark: slow\\nfirst\\nsecond', file=sys.stderr, flush=True)\n"
        "while not pathlib.Path(sys.argv[1], 'go').exists(): time.sleep(0.01)\n"
        "print('third', file=sys.stderr, flush=True)\n"
        "time.sleep(60)\n"
    )

    heard = []

    async def hear(processes, last):
        while last not in heard:
            heard.extend(await processes.stderr("ada"))
            await asyncio.sleep(0.01)

    async with asyncio.timeout(30), running_bots(joins, print) as processes:
        processes.add("ws://nowhere", ADA)
        await hear(processes, "second")
        (tmp_path / "go").touch()
        await hear(processes, "third")
        assert await processes.stderr("bob") == []
    assert heard == ["first", "second", "third"]


async def test_a_bots_other_processes_follow_when_the_first_has_joined(program, tmp_path):
    program("import sys, time; open(sys.argv[1] + '/starts', 'a').write('x'); time.sleep(60)")
    here = asyncio.Event()
    starts = tmp_path / "starts"
    async with running_bots(lambda _: here.wait(), print) as processes:
        processes.add("ws://nowhere", ADA, processes=3)
        await asyncio.to_thread(wait_for, starts)
        assert starts.read_text() == "x"
        here.set()
        await asyncio.to_thread(wait_until, lambda: starts.read_text() == "xxx", "the start of all processes")


async def test_what_is_wrong_with_a_bot_of_many_processes_is_said_by_one(program, tmp_path):
    program(CRASHING)
    with pytest.raises(BotFailed, match="before it joined"):
        await keep(never, print, count=3)
    assert (tmp_path / "starts").read_text() == "xx"  # the first process alone, and its second try


async def test_nobody_is_late_before_there_is_a_server_to_join(program, monkeypatch, tmp_path):
    program("import sys, time; open(sys.argv[1] + '/starts', 'a').write('x'); time.sleep(60)")
    monkeypatch.setattr(bots, "JOIN_S", 0.0)
    served = asyncio.Event()

    async def serve():
        await asyncio.to_thread(wait_for, tmp_path / "starts")
        served.set()

    with pytest.raises(BotFailed, match="has not joined within 0 s"):
        await keep(never, print, served=served, then=serve)


async def test_a_bot_that_dies_before_there_is_a_server_is_reported_at_once(program):
    program("import sys; print('no such engine', file=sys.stderr); sys.exit(3)")
    with pytest.raises(BotFailed, match=r"(?s)exit code 3 before it joined.*no such engine"):
        await keep(never, print, served=asyncio.Event())


async def test_a_bot_that_never_joins_is_reported(program, monkeypatch):
    program("import time; time.sleep(60)")
    monkeypatch.setattr(bots, "JOIN_S", 0.3)
    with pytest.raises(BotFailed, match=r"has not joined within 0\.3 s"):
        await keep(never, print)


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-c", deaf])
with open(sys.argv[1] + "/pids", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
time.sleep(60)
"""


async def test_no_process_outlives_the_context_not_even_a_stubborn_bots_children(program, tmp_path, monkeypatch):
    program(STUBBORN)
    monkeypatch.setattr(bot_process, "GOODBYE_S", 0.2)
    async with running_bots(joins, print) as processes:
        processes.add("ws://nowhere", ADA)
        pids = [int(pid) for pid in (await asyncio.to_thread(wait_for, tmp_path / "pids")).split()]
        assert all(alive(pid) for pid in pids)
    assert not alive(pids[0])
    wait_until(lambda: not alive(pids[1]), "the grandchild's end")  # killed too, but not ours to wait for


async def test_an_error_in_the_context_ends_the_bots_too(program, tmp_path):
    program("import os, sys, time; open(sys.argv[1] + '/pids', 'w').write(str(os.getpid())); time.sleep(60)")

    async def fail():
        async with running_bots(joins, print) as processes:
            processes.add("ws://nowhere", ADA)
            await asyncio.to_thread(wait_for, tmp_path / "pids")
            raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        await fail()
    assert caught.group_contains(ZeroDivisionError)
    assert not alive(int((tmp_path / "pids").read_text()))


PARENT = """
import asyncio, sys
from palio_server.processes import Entrant, bot_process, running_bots
bot_process._command = lambda *_: [sys.executable, sys.argv[1], sys.argv[2]]

async def joins(name): pass

async def main():
    async with running_bots(joins, print) as processes:
        processes.add("ws://nowhere", Entrant("ada", "x"))
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the parent's death is a signal on Linux only")
def test_bots_end_even_when_we_are_killed_and_they_are_deaf(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(STUBBORN)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(bot), str(tmp_path)])
    pids = [int(pid) for pid in wait_for(tmp_path / "pids").split()]
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(map(alive, pids)), "the bots' end")
