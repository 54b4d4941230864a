"""An engine plays within a server's process: the messages of the protocol as values, and no other process between."""

import asyncio
import sys
from pathlib import Path

import pytest

from palio_clients.engines import hosted
from palio_clients.engines.process import AT_ONCE, EngineProcess
from palio_clients.sdk import program
from palio_rules.contract.messages import Error, GameMessage, Hello, Move, Played, Ready, Refused, SeatOf, Turn, Welcome
from palio_rules.registry import game_from_spec
from palio_rules.time_control import TimeControl

ENGINE = Path(__file__).parent / "engine.py"
SPEC = "breakthrough:rows=5,cols=5"


class Server:
    """A host that lets the bot in and plays one match with it, on both seats of which is the engine's first move."""

    def __init__(self, refusal=None):
        self.rules, options = game_from_spec(SPEC)
        self.state, self.refusal = self.rules.start(options), refusal
        self.said, self.printed, self.started = [], [], []
        self.over = asyncio.Event()

    async def start(self, make, argv):
        loop, pipe = asyncio.get_running_loop(), asyncio.subprocess.PIPE
        _, made = await loop.subprocess_exec(make, *argv, stdin=pipe, stdout=pipe, stderr=pipe)
        self.started.append(made)
        return made

    def connect(self, line):
        self.line = line
        return self.hear

    def print(self, lines):
        self.printed += lines.split("\n")

    def hear(self, message):
        self.said.append(message)
        match message:
            case Hello() if self.refusal is not None:
                self.line.post(self.refusal)
            case Hello():
                self.line.post(Welcome("session", "server"))
                names = [SeatOf(name, "bot") for name in self.rules.seats]
                setup, options = self.rules.format_state(self.state), {"rows": 5, "cols": 5}
                self.line.post(GameMessage("m", self.rules.name, options, setup, 0, names, TimeControl(), 3))
            case Ready():
                self.ask(0)
            case Move(id=ply):
                self.play(ply, self.rules.read_move(self.state, message.move))
                if ply == 1:
                    self.play(ply + 1, next(self.state.legal_moves()))
                    self.ask(ply + 1)
                else:
                    self.over.set()
            case Error():
                self.over.set()

    def play(self, ply, move):
        seat, self.state = self.state.to_move, self.state.play(move)
        self.line.post(Played("m", ply, seat, self.rules.move_to_wire(move), [None, None]))

    def ask(self, ply):
        self.line.post(Turn("m", ply + 1, ply, self.rules.format_state(self.state), None, [None, None], None))


async def played(server, how, folder, spec=SPEC):
    text = f"{sys.executable} {ENGINE} {spec} {how} {folder / 'log'}"
    playing = asyncio.create_task(hosted.ugi(text, "mine", 1, "", server))
    over = asyncio.create_task(server.over.wait())
    async with asyncio.timeout(60):
        await asyncio.wait({playing, over}, return_when=asyncio.FIRST_COMPLETED)
    if not playing.done():
        playing.cancel()
        await asyncio.wait({playing})
        return None
    over.cancel()
    return playing.result()


async def test_a_match_is_played_by_messages_that_are_values(tmp_path):
    server = Server()
    assert await played(server, "well", tmp_path) is None
    hello, ready, *moves = server.said
    assert (hello.name, hello.games[0], hello.without) == ("mine", "breakthrough", ["moves"])
    assert isinstance(ready, Ready)
    assert [move.id for move in moves] == [1, 3]
    assert all(move.info.depth == 3 for move in moves)
    assert server.printed == []
    assert [await each.wait() for each in server.started] == [0]


async def test_a_move_is_sent_in_the_call_that_reads_it(tmp_path, monkeypatch):
    reading, seen = [], []
    received = EngineProcess.pipe_data_received

    def note(self, fd, data):
        reading.append(fd)
        try:
            received(self, fd, data)
        finally:
            reading.pop()

    monkeypatch.setattr(EngineProcess, "pipe_data_received", note)

    class Noting(Server):
        def hear(self, message):
            if isinstance(message, Move):
                seen.append(bool(reading))
            super().hear(message)

    await played(Noting(), "well", tmp_path)
    assert seen == [True, True]


async def test_an_engine_that_dies_gives_the_match_up_and_its_author_reads_why(tmp_path):
    server = Server()
    assert await played(server, "dies", tmp_path) is None
    assert isinstance(server.said[-1], Error)
    assert server.said[-1].code == "crashed"
    assert server.printed[0] == "out of ideas"
    assert server.printed[1] == "match m: the bot has failed, the match is given up"
    assert f"{sys.executable} exited with status 3 in mid-match; it said last" in server.printed[2]


async def test_a_program_that_is_not_there_is_unusable():
    server = Server()
    assert await hosted.uci("/nonesuch/engine", "mine", 1, "", server) == hosted.UNUSABLE
    assert server.printed == [
        "Error: there is no program '/nonesuch/engine'; check the path and that it may be executed (chmod +x)"
    ]


async def test_a_bot_that_is_refused_says_why_and_ends(tmp_path):
    server = Server(Refused("name-taken", "another mine plays here"))
    assert await played(server, "well", tmp_path) == hosted.REFUSED
    assert server.printed == [
        "refused: another mine plays here",
        "Error: refused: another mine plays here (name-taken)",
    ]


class Pipe:
    """The transport of a process, which notes whether its output is read."""

    def __init__(self):
        self.read = asyncio.Event()
        self.read.set()

    def get_pipe_transport(self, _fd):
        return self

    def is_closing(self):
        return False

    def write(self, _data): ...

    def pause_reading(self):
        self.read.clear()

    def resume_reading(self):
        self.read.set()


FLOOD = (b"info depth 1 currmove a1a2" + b" " * 200 + b"\n") * (AT_ONCE + 1)


@pytest.mark.parametrize("fd", [program.STDOUT, program.STDERR])
async def test_one_that_prints_very_much_has_to_wait_a_moment(fd):
    engine, pipe = EngineProcess("engine", lambda _: None), Pipe()
    engine.connection_made(pipe)
    engine.ask("go")
    engine.await_best(lambda _: None)
    engine.pipe_data_received(fd, FLOOD)
    assert not pipe.read.is_set()
    async with asyncio.timeout(30):
        await pipe.read.wait()


async def test_what_nobody_awaits_stays_in_the_pipe():
    engine, pipe = EngineProcess("engine", lambda _: None), Pipe()
    engine.connection_made(pipe)
    engine.pipe_data_received(program.STDOUT, FLOOD)
    engine._rested()
    assert not pipe.read.is_set()
    engine.await_best(lambda _: None)
    assert pipe.read.is_set()
