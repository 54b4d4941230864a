"""Programs that are their own connection: started with it, watched, given up when they die, ended for certain."""

import asyncio
import json
import os
import re
import shlex
import signal
import sys
from pathlib import Path
from typing import Any, Self

import pytest

from palio_clients.sdk import direct_program
from palio_clients.sdk.direct_program import DirectPrograms
from palio_clients.sdk.events import Connected, Crashed, Disconnected, Refused
from palio_clients.sdk.failures import LinkLost, RefusedByServer
from palio_clients.sdk.join import join
from palio_clients.sdk.stdio import engine
from palio_rules.contract.messages import Hello

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere programs are relayed")
ENGINE = Path(__file__).parent / "engine.py"
GAME = {
    "type": "game",
    "game": "nim",
    "options": {},
    "setup": "1,2 0",
    "seat": 0,
    "strikes": 3,
    "seats": [{"name": "first", "bot": "engine"}, {"name": "second", "bot": "other"}],
    "time": {"base_ms": None, "increment_ms": 0, "move_ms": None, "margin_ms": 0},
}
OVER = {"type": "over", "outcome": {"termination": "rule", "reason": "no-stones", "scores": [1.0, 0.0]}}


class Peer:
    """The server's end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def hear(self) -> dict[str, Any]:
        """The next message; what is none is passed over."""
        async with asyncio.timeout(20):
            while line := await self.reader.readline():
                if line.startswith(b"{"):
                    return json.loads(line)
        raise EOFError

    async def say(self, *messages: dict[str, Any]) -> None:
        self.writer.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        await self.writer.drain()

    async def game(self, match: str = "m", turn: int = 1) -> None:
        await self.say(
            GAME | {"match": match},
            {"type": "turn", "match": match, "id": turn, "ply": 0, "state": "1,2 0", "moves": None}
            | {"clocks_ms": [None, None], "limit_ms": None},
        )

    async def play(self, match: str = "m", turn: int = 1) -> dict[str, Any]:
        """A game with one turn; what the program has answered."""
        await self.game(match, turn)
        assert (await self.hear())["type"] == "ready"
        return await self.hear()


class Script:
    """A server whose side of every connection the test writes."""

    def __init__(self, path: str) -> None:
        self.path, self.url = path, f"ws+unix://{path}"
        self._new: asyncio.Queue[Peer] = asyncio.Queue()
        self._peers: list[Peer] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._take, self.path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for peer in self._peers:
            peer.writer.close()

    def stop(self) -> None:
        """Be there no more."""
        self._server.close()
        Path(self.path).unlink(missing_ok=True)

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._peers.append(Peer(reader, writer))
        self._new.put_nowait(self._peers[-1])

    async def peer(self, *, welcome: bool = True) -> Peer:
        async with asyncio.timeout(20):
            peer = await self._new.get()
        assert (await peer.hear()) == {"type": "hello", "name": "engine", "games": ["nim"], "program": True}
        if welcome:
            await peer.say({"type": "welcome", "session": "s", "server": "script"})
        return peer


@pytest.fixture
async def script(tmp_path):
    async with Script(str(tmp_path / "s")) as script:
        yield script


@pytest.fixture
async def playing(script):
    """Lets a program play, and ends that with the test."""
    tasks = []

    def start(*how: str, command: str = "", **options: Any) -> "asyncio.Task[None]":
        argv = shlex.split(command) if command else [sys.executable, str(ENGINE), *how]
        programs = DirectPrograms(argv, script.url, Hello("engine", ["nim"], program=True), **options)
        tasks.append(asyncio.create_task(programs.run()))
        return tasks[-1]

    yield start
    for task in tasks:
        task.cancel()
    async with asyncio.timeout(20):
        await asyncio.gather(*tasks, return_exceptions=True)


def started(capfd) -> list[int]:
    """The processes that have said so since this was asked last."""
    return [int(pid) for pid in re.findall(r"engine (\d+) is up", capfd.readouterr().err)]


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until(true: Any) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110  # what other processes do sets no event
            await asyncio.sleep(0.01)


async def pids(capfd, count: int) -> list[int]:
    """The processes that have been started, once there are so many: each says it on stderr, which nothing waits for."""
    found: list[int] = []

    def enough() -> bool:
        found.extend(started(capfd))
        return len(found) >= count

    await until(enough)
    assert len(found) == count
    return found


async def test_a_program_plays_with_nobody_between(script, playing):
    playing()
    peer = await script.peer()
    assert (await peer.play()) == {
        "type": "move",
        "match": "m",
        "id": 1,
        "move": [0, 1],
        "info": {"nodes": 1, "text": "turn"},
    }


async def test_nothing_is_started_before_there_is_a_match(script, playing, capfd):
    playing()
    peer = await script.peer()
    assert started(capfd) == []
    await peer.play()
    await pids(capfd, 1)


async def test_after_its_match_it_ends_and_a_new_connection_takes_its_place(script, playing, capfd):
    playing()
    for match in "mn":
        peer = await script.peer()
        await peer.play(match)
        await peer.say(OVER | {"match": match})
        peer.writer.write_eof()
    await script.peer()
    first, second = await pids(capfd, 2)
    await until(lambda: not lives(first) and not lives(second))


async def test_what_a_program_has_not_read_at_the_end_of_its_match_is_no_lost_connection(script, playing, capfd):
    notices: list[Any] = []
    playing("stubborn", notify=notices.append)
    peer = await script.peer()
    await peer.play()
    (pid,) = await pids(capfd, 1)
    os.kill(pid, signal.SIGSTOP)
    await peer.say(OVER | {"match": "m"})
    peer.writer.write_eof()
    await script.peer()
    os.kill(pid, signal.SIGKILL)
    assert not any(isinstance(each, Disconnected) for each in notices)


async def test_a_program_that_stays_keeps_its_connection(script, playing, capfd):
    playing("again")
    peer = await script.peer()
    for match in "mno":
        assert (await peer.play(match))["match"] == match
        await peer.say(OVER | {"match": match})
    await pids(capfd, 1)


async def test_so_many_connections_as_slots(script, playing):
    playing(slots=3)
    peers = [await script.peer() for _ in range(3)]
    assert [(await peer.play(match))["match"] for peer, match in zip(peers, "mno", strict=True)] == ["m", "n", "o"]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("dies", r"exited with status 3 in mid-match; its last lines on stderr:\nengine \d+ is up\nout of ideas$"),
        ("killed", r"was killed by SIGKILL in mid-match"),
        ("unready", r"exited with status 4 in mid-match"),
    ],
)
async def test_a_program_that_dies_is_given_up_in_its_place_and_we_hear_of_it(script, playing, how, sentence):
    notices: list[Any] = []
    playing(how, notify=notices.append)
    peer = await script.peer()
    await peer.game()
    while (said := await peer.hear())["type"] == "ready":
        pass
    assert (said["type"], said["code"]) == ("error", "died")
    assert re.search(sentence, said["reason"])
    assert "match" not in said
    await peer.say({"type": "error", "code": "died", "reason": "", "match": "m"}, OVER | {"match": "m"})
    peer.writer.write_eof()
    next_one = await script.peer()
    assert [(each.match, each.text) for each in notices if isinstance(each, Crashed)] == [("m", said["reason"])]
    await next_one.game("n")
    assert (await next_one.hear())["type"] in ("ready", "error")


async def test_that_a_program_died_in_the_midst_of_a_line_does_not_spoil_what_we_say(script, playing):
    playing(command="sh -c 'read line; printf half; exit 7'")
    peer = await script.peer()
    await peer.game()
    async with asyncio.timeout(20):
        assert await peer.reader.readline() == b"half\n"
    assert (await peer.hear())["reason"] == "sh exited with status 7 in mid-match; it said nothing on stderr"


async def test_one_that_cannot_be_started_is_given_up(script, playing, tmp_path):
    (tmp_path / "none").write_text("")
    (tmp_path / "none").chmod(0o755)
    playing(command=str(tmp_path / "none"))
    peer = await script.peer()
    await peer.game()
    assert "cannot be started" in (await peer.hear())["reason"]


async def test_a_match_that_goes_on_without_a_dead_program_is_read_to_its_end(script, playing):
    playing("dies")
    peer = await script.peer()
    await peer.game()
    while (await peer.hear())["type"] != "error":
        pass
    played = {"type": "played", "match": "m", "ply": 1, "seat": 1, "move": [0, 1], "clocks_ms": [None, None]}
    for _ in range(5000):  # more than fits into a socket that nobody reads
        async with asyncio.timeout(20):
            await peer.say(played)
    peer.writer.write_eof()
    await script.peer()


async def test_if_a_program_that_stays_dies_before_it_looks_at_the_next_match_another_one_plays_it(
    script, playing, capfd
):
    playing("mortal")
    peer = await script.peer()
    await peer.play("m")
    await peer.say(OVER | {"match": "m"}, GAME | {"match": "n"})
    said = await peer.hear()  # it depends on how much the dead one had read
    if said["type"] == "error":
        assert said["code"] == "died"
        peer.writer.write_eof()
        peer = await script.peer()
        await peer.play("n")
    else:
        assert (said["type"], said["match"]) == ("ready", "n")
    await pids(capfd, 2)


async def test_a_program_that_ignores_the_end_of_its_input_is_killed(script, playing, capfd, monkeypatch):
    monkeypatch.setattr("palio_clients.sdk.stdio.LEAVE_S", 0.05)
    monkeypatch.setattr("palio_clients.sdk.stdio.TERM_S", 0.05)
    playing("stubborn")
    peer = await script.peer()
    await peer.play()
    await peer.say(OVER | {"match": "m"})
    peer.writer.write_eof()
    await script.peer()
    (pid,) = await pids(capfd, 1)
    await until(lambda: not lives(pid))


async def test_leaving_in_mid_match_leaves_no_process_behind(script, playing, capfd):
    task = playing()
    peer = await script.peer()
    await peer.play()
    (pid,) = await pids(capfd, 1)
    task.cancel()
    async with asyncio.timeout(20):
        await asyncio.wait([task])
    assert not lives(pid)
    with pytest.raises(EOFError):
        await peer.hear()


async def test_when_the_server_is_killed_the_program_ends_and_we_come_again(script, playing, capfd, monkeypatch):
    notices: list[Any] = []
    playing(notify=notices.append)
    peer = await script.peer()
    await peer.play()
    peer.writer.transport.abort()
    again = await script.peer()
    await again.play("m", turn=1_000_001)
    first, second = await pids(capfd, 2)
    await until(lambda: not lives(first))
    assert lives(second)
    assert [type(each) for each in notices if isinstance(each, Connected | Disconnected)] == [Connected, Connected]


async def test_without_a_server_we_try_again_later_and_later_or_not_at_all(script, playing):
    notices: list[Any] = []
    script.stop()
    playing(notify=notices.append)
    await until(lambda: sum(isinstance(each, Disconnected) for each in notices) > 1)
    with pytest.raises(LinkLost, match="is it running"):
        await playing(reconnect=False)


async def test_a_connection_closed_before_a_match_is_made_again_after_a_while(script, playing):
    notices: list[Any] = []
    playing(notify=notices.append)
    (await script.peer()).writer.close()
    await script.peer()
    assert [each.reason for each in notices if isinstance(each, Disconnected)] == ["the server closed the connection"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"type": "refused", "code": "token-missing", "reason": "no token"}, "token-missing"),
        ({"type": "over", "match": "m"} | OVER, "no-lines"),
        ({"HTTP/1.1": 400}, "no-lines"),
    ],
)
async def test_a_refusal_ends_it(script, playing, answer, code):
    notices: list[Any] = []
    task = playing(notify=notices.append)
    peer = await script.peer(welcome=False)
    await peer.say(answer)
    with pytest.raises(RefusedByServer) as refused:
        await task
    assert refused.value.code == code
    assert any(isinstance(each, Refused) for each in notices) == (code == "token-missing")


async def test_a_server_that_turns_us_away_says_why(script, playing):
    task = playing(reconnect=False)
    peer = await script.peer(welcome=False)
    await peer.say({"type": "error", "code": "later", "reason": "too many"})
    with pytest.raises(LinkLost, match="too many"):
        await task


async def test_a_server_that_does_not_answer_is_left(script, playing, monkeypatch):
    monkeypatch.setattr(direct_program, "WELCOME_S", 0.1)
    task = playing(reconnect=False)
    await script.peer(welcome=False)
    with pytest.raises(LinkLost, match="unanswered"):
        await task


@pytest.mark.slow
async def test_a_flood_on_stderr_and_a_program_that_never_reads_keep_nobody_from_the_others(script, playing):
    playing(command=f"{sys.executable} -c 'import sys\nwhile True: sys.stderr.write(str(9) * 9000 + chr(10))'")
    peers = [await script.peer()]
    playing()
    peers.append(await script.peer())
    await peers[0].say(GAME | {"match": "flood"})
    assert (await peers[1].play())["type"] == "move"


async def test_a_program_does_not_outlive_us(script, tmp_path, capfd):
    code = (
        "import asyncio, sys; from palio_clients.sdk.direct_program import DirectPrograms as D;"
        "from palio_rules.contract.messages import Hello;"
        f"asyncio.run(D([sys.executable, {str(ENGINE)!r}, 'again'], {script.url!r}, "
        "Hello('engine', ['nim'], program=True)).run())"
    )
    us = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    peer = await script.peer()
    await peer.play()
    us.kill()
    await us.wait()
    with pytest.raises(EOFError):
        await peer.hear()


@pytest.mark.parametrize(("options", "direct"), [({"only_failures": True}, True), ({}, False)])
async def test_only_who_wants_to_hear_of_failures_alone_gets_them_directly(script, options, direct):
    entrant = engine(f"{sys.executable} {ENGINE}", "engine")
    task = asyncio.create_task(join(script.url, entrant, games=["nim"], **options))
    async with asyncio.timeout(20):
        peer = await script._new.get()
        assert (await peer.reader.readline()).startswith(b'{"type":"hello"' if direct else b"GET /ws/bot")
    task.cancel()
    await asyncio.wait([task])
