"""One process of a bot: how it ended, and what it wrote before."""

import asyncio
import sys

import pytest

from palio_server.processes import Entrant, bot_process
from palio_server.processes.bot_process import BotProcess, environment_of, how_it_ended

ADA = Entrant("ada", "x")


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts a bot whose process runs a Python program of the test's own."""

    async def start(source, remarked=print):
        path = tmp_path / "bot.py"
        path.write_text(source)
        monkeypatch.setattr(bot_process, "_command", lambda url, entrant, spec, slots: [sys.executable, str(path)])
        return await BotProcess.start("ws://nowhere", ADA, 1, remarked)

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
