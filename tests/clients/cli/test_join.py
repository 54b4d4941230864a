"""`palio join`, as people run it: a process, its lines, its exit code."""

import asyncio
import json
import signal
import sys

import pytest
from click.testing import CliRunner

from palio_clients.cli.join import entrant, join
from palio_clients.sdk.failures import LinkLost
from palio_rules.contract import messages
from palio_rules.contract.messages import GameMessage, Result, SeatOf, Turn
from palio_rules.registry import game as game_named
from palio_rules.time_control import TimeControl

RULES = game_named("dominoes")
START = RULES.format_state(RULES.start(RULES.parse_options({})))
SEATS = [SeatOf("vertical", "random"), SeatOf("horizontal", "other")]
GAME = GameMessage("m1", "dominoes", {}, START, 0, SEATS, TimeControl(), 3)


@pytest.fixture
async def process(script):
    """Starts `python -m palio_clients join` against the scripted server."""
    started = []

    async def start(*words, module="palio_clients"):
        pipe = asyncio.subprocess.PIPE
        words = [word.replace("URL", script.url) for word in words]
        found = await asyncio.create_subprocess_exec(sys.executable, "-m", module, *words, stdout=pipe, stderr=pipe)
        started.append(found)
        return found

    yield start
    for found in started:
        if found.returncode is None:
            found.kill()
        await found.communicate()


async def ended(process):
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    return process.returncode, out.decode().splitlines(), err.decode()


async def play(peer):
    await peer.say(GAME, Turn("m1", 1, 0, START, None, [None, None], None))
    await peer.hear(messages.Ready)
    await peer.hear(messages.Move)
    await peer.say(messages.Over("m1", Result("rule", "no-moves", [0.0, 1.0])))


async def test_it_prints_a_line_for_each_event_and_ends_after_its_matches(process, script):
    running = await process("join", "URL", "random", "--matches", "1", "--token", "secret", "--game", "dominoes")
    peer = await script.peer()
    hello = await peer.welcome()
    assert (hello.name, hello.games, hello.token) == ("random", ["dominoes"], "secret")
    await play(peer)
    code, lines, errors = await ended(running)
    assert (code, errors) == (0, "")
    assert lines == [
        "palio test: welcome",
        f"connected to {script.url}/ws/bot as random",
        "match m1: dominoes as vertical against other",
        "match m1: lost (no-moves)",
        "played 1 game: 0 won, 0 drawn, 1 lost",
    ]


async def test_events_as_json_are_one_object_a_line(process, script):
    running = await process("join", "URL", "random", "--matches", "1", "--json", "--encoding", "json")
    peer = await script.peer()
    assert peer.encoding.value == "json"
    await peer.welcome()
    await play(peer)
    code, lines, _ = await ended(running)
    assert code == 0
    assert [json.loads(line)["event"] for line in lines] == ["welcome", "connected", "game", "over"]
    assert json.loads(lines[-1])["result"] == "lost"


async def test_quiet_prints_nothing_where_nothing_is_wrong(process, script):
    running = await process("join", "URL", "random", "--matches", "1", "--quiet")
    peer = await script.peer()
    await peer.welcome()
    await play(peer)
    assert await ended(running) == (0, [], "")


WARM = """
import sys
from palio_clients import Bot

class Mine(Bot):
    games = ("dominoes", "go")

    @classmethod
    def warm_up(cls, game):
        print("warms up", game.name, file=sys.stderr, flush=True)

    def choose(self, state, clock):
        return next(state.legal_moves())
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [((), ["warms up dominoes", "warms up go"]), (("--game", "go"), ["warms up go"]), (("--no-compile",), [])],
)
async def test_a_bot_warms_up_for_its_games_before_it_says_hello(process, script, tmp_path, words, said):
    file = tmp_path / "mine.py"
    file.write_text(WARM)
    running = await process("join", "URL", str(file), *words)
    peer = await script.peer()
    await peer.hear(messages.Hello)
    running.kill()
    _, _, errors = await ended(running)
    assert [line for line in errors.splitlines() if line.startswith("warms up")] == said


@pytest.mark.slow
async def test_a_bot_with_compiled_searches_compiles_them_before_it_joins(process, script, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    running = await process("join", "URL", "mcts", "--game", "go")
    async with asyncio.timeout(300):
        peer = await script.peers.get()
    await peer.hear(messages.Hello)
    line = await running.stderr.readline()
    assert line.startswith(f"remark: compiling the searches of go (once, kept in {tmp_path}".encode())
    assert list(tmp_path.rglob("mcts.*.nbi"))


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it_in_peace(process, script, name):
    running = await process("join", "URL", "random")
    peer = await script.peer()
    await peer.welcome()
    await running.stdout.readline()  # it has got so far as to tell of the welcome
    running.send_signal(name)
    code, _, errors = await ended(running)
    assert (code, errors) == (0, "")
    await peer.socket.wait_closed()
    assert peer.socket.close_code == 1000


async def test_a_refusal_has_exit_code_one_and_the_reason(process, script):
    running = await process("join", "URL", "random")
    peer = await script.peer()
    await peer.hear(messages.Hello)
    await peer.say(messages.Refused("bad-token", "no such token"))
    code, lines, errors = await ended(running)
    assert (code, lines) == (1, [])
    assert "refused: no such token (bad-token)" in errors


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["./mine.py"], "name the server first, as in `palio join localhost:8000 ./mine.py`"),
        (["random"], "'random' is no address of a server; name the server first"),
        (["ws://h"], "Missing argument 'SPEC'"),
        (["nonsense", "random"], "'nonsense' is no address of a server; write ws://host:port"),
        (["ws://h", "randon"], "did you mean 'random'?"),
        (["ws://h", "random", "--name", "a b"], "'a b' is no name for a bot"),
        (["ws://h", "random", "--game", "ludo"], "random does not play 'ludo'"),
        (["ws://h", "random", "--slots", "0"], "0 is not in the range 1<=x<=256"),
        (["mqtt://", "random"], "is no address of a server"),
    ],
)
def test_a_command_line_without_sense_has_exit_code_two_and_one_sentence(words, sentence):
    result = CliRunner().invoke(join, words)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_help_has_examples():
    result = CliRunner().invoke(join, ["--help"])
    assert "palio join ws://127.0.0.1:8000 ./mine.py" in result.stdout


def test_without_reconnect_a_missing_server_has_exit_code_one():
    result = CliRunner().invoke(join, ["ws://127.0.0.1:1", "random", "--no-reconnect"])
    assert result.exit_code == 1
    assert "cannot connect to ws://127.0.0.1:1/ws/bot" in result.stderr
    assert LinkLost.__name__ not in result.stderr


def test_a_broker_knows_a_bot_by_its_user_name():
    assert entrant("mqtt://anna:pw@h", "random", None, ()).name == "anna"
    assert entrant("mqtt://anna:pw@h", "random", "berta", ()).name == "berta"
    assert entrant("ws://h", "random", None, ()).name == "random"
    assert entrant("ws://anna@h", "random", None, ()).name == "random"


def test_a_simple_bot_loads_nothing_but_the_way_to_its_server(loaded_by):
    """Hundreds of them are started; what each loads is paid for hundreds of times."""
    words = ["join", "ws://127.0.0.1:1", "random", "--no-reconnect"]
    code = f"from palio_clients.__main__ import main; main({words}, standalone_mode=False)"
    found = loaded_by(f"import contextlib\nwith contextlib.suppress(Exception): {code}")
    compiled = {"cython_runtime"}  # a name that uvloop leaves
    assert found - compiled == {"click", "msgspec", "palio_clients", "palio_rules", "uvloop", "websockets"}
