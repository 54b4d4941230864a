"""One process of a bot: how it ended, and what it wrote before."""

import asyncio
import socket
import sys
from contextlib import suppress

import pytest

from palio_server.processes import Entrant, bot_process, bot_stderr
from palio_server.processes.bot_output import OutputFolder
from palio_server.processes.bot_process import BotProcess, environment_of, how_it_ended
from palio_server.processes.confined import Report

ADA = Entrant("ada", "x")


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts a bot whose process runs a Python program of the test's own."""

    async def start(source, remarked=print, output=None):
        path = tmp_path / "bot.py"
        path.write_text(source)
        monkeypatch.setattr(bot_process, "_command", lambda url, entrant, spec, slots: [sys.executable, str(path)])
        return await BotProcess.start("ws://nowhere", ADA, 1, remarked, output=output)

    return start


async def test_what_a_bot_leaves_behind_does_not_hide_its_end(start):
    process = await start("import subprocess, sys; subprocess.Popen(['sleep', '60']); sys.exit(3)")
    async with asyncio.timeout(30):
        assert how_it_ended(ADA, await process.ended()) == "the bot ada (x) ended with exit code 3"
    await process.end()


async def test_a_bot_that_is_killed_is_reported_so(start):
    process = await start("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert how_it_ended(ADA, await process.ended()) == "the bot ada (x) was ended by SIGKILL"


async def test_remarks_are_distinguished_from_other_lines(start):
    remarks = []
    process = await start("import sys; print('remark: slow', 'half', sep='\\n', file=sys.stderr)", remarks.append)
    await process.ended()
    assert remarks == ["slow"]
    assert process.new_lines() == ["half"]
    assert process.new_lines() == []
    assert process.last_lines() == "its last lines on stderr:\n  remark: slow\n  half"


async def test_all_that_a_bot_prints_is_kept_up_to_its_last_words_on_sigterm(start, tmp_path):
    shown, both = [], asyncio.Event()

    def show(line):
        shown.append(line)
        if len(shown) == 2:
            both.set()

    output = OutputFolder(["ada"], show)
    process = await start(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('bye'), sys.exit(0)))\n"
        "print('hello', flush=True)\n"
        "print('oops', file=sys.stderr)\n"
        "time.sleep(60)",
        output=output.of("ada"),
    )
    ending = asyncio.ensure_future(process.ended())
    await asyncio.wait_for(both.wait(), 30)
    ending.cancel()  # as at the end of a tournament
    await asyncio.wait({ending})
    await process.end()
    output.close()
    assert sorted(shown[:2]) == ["ada: hello", "ada: oops"]
    assert shown[2:] == ["ada: bye"]
    assert sorted((output.folder / "ada.log").read_text().split()) == ["bye", "hello", "oops"]


async def test_a_line_that_could_not_be_shown_ends_the_bot(start):
    def show(line):
        raise BrokenPipeError

    output = OutputFolder(["ada"], show)
    process = await start("import time; print('hello', flush=True); time.sleep(60)", output=output.of("ada"))
    async with asyncio.timeout(30):
        with pytest.raises(BrokenPipeError):
            await process.ended()
        with suppress(BrokenPipeError):  # the rest of the line
            await process.end()
    output.close()


async def test_a_bot_that_ends_without_a_word_said_nothing(start):
    process = await start("")
    assert await process.ended() == 0
    assert process.last_lines() == "it said nothing on stderr"


def test_the_key_of_language_models_is_for_their_bots_alone_and_our_token_for_nobody():
    ours = {"PALIO_LLM_KEY": "x", "PALIO_TOKEN": "y", "MY_KEY": "z", "PATH": "/bin"}
    assert environment_of("llm:https://h/v1,model=m", ours) == {"PALIO_LLM_KEY": "x", "MY_KEY": "z", "PATH": "/bin"}
    for spec in ("random", "exec:./engine", "./mine.py", ""):
        assert environment_of(spec, ours) == {"MY_KEY": "z", "PATH": "/bin"}


async def test_a_program_that_asks_no_model_does_not_find_the_key(start, monkeypatch):
    monkeypatch.setenv("PALIO_LLM_KEY", "sk-a-key-that-nobody-sees-0123")
    process = await start("import os, sys; print(os.environ.get('PALIO_LLM_KEY', 'none'), file=sys.stderr)")
    await process.ended()
    assert process.new_lines() == ["none"]


async def test_of_a_flood_on_stderr_the_last_lines_are_kept_and_every_remark_is_passed_on(start):
    remarks: list[str] = []
    source = """
import sys
for number in range(3):
    sys.stderr.write("x\\n" * 200_000 + f"remark: {number}\\n" + "y\\n" * 200_000)
sys.stderr.write("z" * 200_000 + "\\n" + "".join(f"{number}\\n" for number in range(20)) + "end")
"""
    process = await start(source, remarks.append)
    async with asyncio.timeout(60):
        await process.ended()
    assert remarks == ["0", "1", "2"]
    assert process.new_lines() == [str(number) for number in range(8, 20)]
    assert process.last_lines().splitlines()[-1] == "  end"
    await process.end()


async def test_a_flood_of_remarks_is_heard_in_part(start):
    remarks: list[str] = []
    process = await start("import sys; sys.stderr.write('remark: x\\n' * 100_000)", remarks.append)
    async with asyncio.timeout(60):
        await process.ended()
    assert 0 < len(remarks) <= (100_000 * 10 // 4096 + 1) * bot_stderr.REMARKS_AT_ONCE
    assert len(remarks) < 90_000
    await process.end()


@pytest.mark.parametrize(
    "text", [b"", b"a", b"a\n", b"a\nb", b"\n" * 50, b"x\n" * 40 + b"y", b"x\n" * 40 + b"remark: y\nz"]
)
def test_the_last_lines_of_a_text_are_those_of_all_its_lines(text):
    found, all_ = bot_stderr.last_lines(text), text.split(b"\n")
    assert found == all_[-len(found) :]
    assert len(found) >= min(len(all_), bot_stderr.TAIL_LINES + 1)
    assert b"remark" not in text or found == all_


async def test_a_sandbox_is_told_at_once_that_an_answer_is_awaited_and_later_that_none_is():
    ours, theirs = socket.socketpair()
    report = Report(ours.detach(), print)
    theirs.setblocking(False)
    loop = asyncio.get_running_loop()
    for _ in range(1000):  # quick answers
        report.awaited(False)
        report.awaited(True)
    report.awaited(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(10)
    async with asyncio.timeout(30):
        assert await loop.sock_recv(theirs, 10) == b"0"
    report.awaited(True)
    assert theirs.recv(10) == b"1"
    report.close()
    report.awaited(True)
    assert theirs.recv(10) == b""
    theirs.close()


async def test_the_last_word_counts_though_a_sandbox_did_not_read():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    filled = 0
    with suppress(BlockingIOError):
        while True:
            filled += ours.send(b"1" * 4096)
    report = Report(ours.detach(), print)
    report.awaited(False)
    said = b""
    async with asyncio.timeout(30):
        while len(said) <= filled:
            said += await asyncio.to_thread(theirs.recv, 1 << 20)
    assert said[-1:] == b"0"
    report.close()
    theirs.close()


async def test_a_sandbox_that_has_ended_is_told_nothing():
    ours, theirs = socket.socketpair()
    report = Report(ours.detach(), print)
    theirs.close()
    report.awaited(True)
    report.read()
    assert report.used_up == ""
