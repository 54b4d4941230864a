"""A bot within the server's process is started, watched and ended as one in a process of its own."""

import asyncio
import signal
import sys

import pytest

from palio_rules.contract.messages import Error, Ready
from palio_server.addons.engines import hosted_bot
from palio_server.addons.engines.hosted_bot import HostedBot
from palio_server.addons.engines.starting import client_of
from palio_server.processes import Entrant

MINE = Entrant("mine", "uci:./engine")
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); signal.pause()"


class Program(asyncio.SubprocessProtocol):
    """An engine's process as its client has it."""

    def __init__(self):
        self.here, self.exited = asyncio.Event(), asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport

    def pipe_data_received(self, fd, data):
        self.here.set()

    def process_exited(self):
        self.exited.set()

    async def wait(self):
        await self.exited.wait()
        return self.transport.get_returncode()

    def terminate(self):
        self.transport.terminate()

    def kill(self):
        self.transport.kill()

    def close(self):
        self.transport.close()


class Connections:
    """The lobby's side of connections: it notes the messages, and how often one is closed."""

    def __init__(self):
        self.heard, self.closed = [], 0

    def open(self, line):
        return self.heard.append, lambda _code, _reason: self.close()

    def close(self):
        self.closed += 1


async def started(play, remarked=print):
    connections = Connections()
    bot = HostedBot(MINE, connections.open, remarked, None, lambda _: None, None)
    served = asyncio.Event()
    await bot.begin(play, 1, served)
    return bot, connections, served


async def test_it_begins_when_the_server_is_there_and_its_messages_pass_as_values():
    async def play(text, name, slots, first_game, host):
        host.connect(None)(Ready((text, name, slots)))
        return 7

    bot, connections, served = await started(play)
    await asyncio.sleep(0)
    assert connections.heard == []
    served.set()
    assert await bot.ended() == 7
    assert connections.heard == [Ready(("./engine", "mine", 1))]
    await bot.end()
    assert connections.closed == 1


async def test_a_fault_of_the_client_ends_its_bot_with_a_sentence():
    async def play(text, name, slots, first_game, host):
        host.print("remark: slow")
        raise KeyError("oops")

    remarks = []
    bot, _, served = await started(play, remarks.append)
    served.set()
    assert await bot.ended() == hosted_bot.FAILED
    assert remarks == ["slow"]
    assert bot.new_lines() == ["Error: KeyError: 'oops'"]
    assert bot.last_lines() == "its last lines on stderr:\n  remark: slow\n  Error: KeyError: 'oops'"
    await bot.end()


@pytest.mark.slow
async def test_an_engine_that_ignores_everything_has_ended_when_its_bot_has():
    programs = []

    async def play(text, name, slots, first_game, host):
        programs.append(await host.start(Program, [sys.executable, "-c", STUBBORN]))
        await programs[0].here.wait()
        ready.set()
        await asyncio.Event().wait()

    ready = asyncio.Event()
    bot, _, served = await started(play)
    served.set()
    async with asyncio.timeout(60):
        await ready.wait()
        ending = asyncio.create_task(bot.end())
        await asyncio.sleep(0)
        for _ in range(2):  # one that does not want to wait
            ending.cancel()
            await asyncio.sleep(0)
        await asyncio.wait({ending})
    assert programs[0].exited.is_set()
    assert programs[0].transport.get_returncode() == -signal.SIGKILL


def test_only_engines_without_a_folder_of_their_own_play_so():
    assert client_of(MINE) is not None
    assert client_of(Entrant("mine", "ugi:./engine")) is not None
    assert client_of(Entrant("mine", "gtp:./engine")) is not None
    assert client_of(Entrant("mine", "uci:./engine", folder="/tmp")) is None
    assert client_of(Entrant("mine", "exec:./engine")) is None
    assert client_of(Entrant("mine", "uci")) is None


async def test_the_limit_that_has_ended_an_engine_is_told_before_its_client_says_that_it_has_crashed():
    class Ended:
        def ended(self):
            bot._limit_reached("memory 200M used up")

    told = []
    bot = HostedBot(MINE, lambda _: (told.append, None), print, object(), told.append, None)
    bot._playing = asyncio.create_task(asyncio.sleep(0))
    bot._sandboxes.add(Ended())
    hear = bot.connect(None)
    hear(Ready("m1"))
    hear(Error("crashed", "the engine has ended", match="m1"))
    assert told == [Ready("m1"), "memory 200M used up", Error("crashed", "the engine has ended", match="m1")]
