"""`palio serve`, and the commands that talk to it: a match is started, watched, listed; tokens are asked for."""

import asyncio
import json
import re
import signal
import socket
import time
from collections.abc import Callable
from typing import Any
from urllib.request import urlopen

import pytest
from command import Palio, Started
from websockets.asyncio.client import unix_connect

from palio_rules.contract import endpoints


def url_of(server: Started) -> str:
    return re.search(r"http://[\d.:]+", server.line_with("serves on"))[0]


@pytest.fixture
def server(palio: Palio) -> Started:
    """A server on a free port, with two bots of its own."""
    started = palio.start("serve", "--port", "0", "--bot", "random", "--bot", "slow=alpha_beta:seconds=0.05")
    url = palio.env["PALIO_URL"] = url_of(started)
    wait_until(lambda: len(connected(url)) == 2, "the arrival of both bots")
    return started


def connected(url: str) -> list[Any]:
    with urlopen(f"{url}/api/bots") as answer:
        return json.load(answer)


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s"
        time.sleep(0.02)


def start_match(palio: Palio, *words: str) -> str:
    return re.search(r"match (\S+):", palio("match", "start", *words).stdout)[1]


def test_a_match_is_started_watched_and_looked_up(palio: Palio, server: Started):
    match = start_match(palio, "breakthrough", "slow", "random", "tc=60+1")
    watched = palio("watch", match).stdout.splitlines()
    assert watched[0] == f"{match}: Breakthrough, slow (black) vs random (white), 60+1"
    assert any(re.match(r" *\d+\. slow \S+ \(\d\.\d\d s, depth \d", line) for line in watched)
    assert watched[-1] == "slow vs random: 1-0 {reached-far-row}"

    assert palio("watch", match).stdout.splitlines()[-1] == watched[-1]  # later it can still be looked at
    assert match in palio("match", "list").stdout
    assert palio("match", "show", match).stdout.splitlines()[-1] == watched[-1]
    assert f'[Match "{match}"]' in palio("match", "export", match).stdout
    assert palio.json("leaderboard", "--game", "breakthrough", "--head-to-head")["head_to_head"][0]["first"] == "random"
    del palio.env["PALIO_URL"]
    assert palio("match", "show", match).stdout.splitlines()[-1] == watched[-1]  # and in the database itself

    assert server.end(signal.SIGTERM) == 0
    assert "stopping" in server.errors[-1]


@pytest.mark.slow
def test_watch_without_a_match_waits_for_the_next_one(palio: Palio, server: Started):
    watching = palio.start("watch")
    watching.line_with("no match is being played")
    match = start_match(palio, "dominoes:rows=4,cols=4", "random", "slow")
    assert watching.wait() == 0
    assert watching.lines[0].startswith(f"{match}: Dominoes, random (vertical) vs slow (horizontal)")


@pytest.mark.slow
def test_what_the_server_refuses_is_reported_in_its_own_words(palio: Palio, server: Started):
    assert "there is no match 'zzz'" in palio("watch", "zzz", code=1).stderr
    assert "nobody is not connected" in palio("match", "start", "dominoes", "random", "nobody", code=1).stderr
    assert "no option 'rwos'; did you mean 'rows'?" in (
        palio("match", "start", "dominoes:rwos=4", "random", "slow", code=2).stderr
    )
    palio.env["PALIO_TOKEN"] = "palio_wrong"
    refused = palio("match", "start", "dominoes", "random", "slow", code=1).stderr
    assert "this token is unknown or has been revoked" in refused


@pytest.mark.slow
def test_what_will_not_happen_is_told_at_the_start(palio: Palio):
    palio.env |= {"PALIO_SERVICE_HOST": "10.0.0.1", "PALIO_PORT": "tcp://10.0.0.1:8000"}
    server = palio.start("serve", "--port", "0", "--ladder", "--bot", "random")
    assert "the ladder pairs two bots" in server.line_with("ladder pairs")
    assert sum("PALIO_SERVICE_HOST" in line for line in server.errors) == 1
    done = palio("run", "breakthrough:rows=5,cols=4", "random", "greedy")
    assert done.stderr.count("PALIO_SERVICE_HOST") == 1


def test_a_busy_port_is_one_sentence_with_the_remedy(palio: Palio):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = palio("serve", "--port", str(port), code=1).stderr
    assert refused.startswith(f"palio: cannot listen on 127.0.0.1:{port} (")
    assert "choose another --host or --port" in refused
    assert len(refused.splitlines()) == 1


@pytest.mark.slow
def test_a_server_with_tokens_shows_them_once_and_asks_for_them(palio: Palio):
    player, operator = (palio("bot", "add", name, "--scope", scope).stdout.strip()
                        for name, scope in (("ada", "play"), ("boss", "matches")))  # fmt: skip
    assert player not in palio("bot", "list").stdout
    server = palio.start("serve", "--auth", "--port", "0")
    url = url_of(server)
    assert "tokens are required" in server.line_with("tokens are required")

    assert "this server wants a token" in palio("join", url, "random", "--name", "ada", code=1).stderr
    joined = palio.start("join", url, "random", "--name", "ada", "--token", player, "--json")
    joined.line_with("welcome")
    refused = palio("match", "start", "dominoes", "ada", "bob", "--url", url, code=1).stderr
    assert "this server wants a token" in refused
    refused = palio("match", "start", "dominoes", "ada", "bob", "--url", url, "--token", player, code=1).stderr
    assert "this token has no scope 'matches'" in refused
    missing = palio("match", "start", "dominoes", "ada", "bob", "--url", url, "--token", operator, code=1).stderr
    assert "bob is not connected" in missing

    palio("bot", "revoke", "ada")
    assert "revoked" in palio("bot", "list").stdout
    refused = palio("join", url, "random", "--name", "ada", "--token", player, code=1).stderr
    assert "unknown or has been revoked" in refused
    assert server.end(signal.SIGINT) == 0


@pytest.mark.slow
def test_bots_of_the_same_user_may_come_by_a_unix_socket(palio: Palio, tmp_path):
    path = tmp_path / "palio.sock"
    server = palio.start("serve", "--port", "0", "--socket", str(path))
    assert f"palio join ws+unix://{path} SPEC" in server.line_with("bots of your own")

    async def hello():
        async with unix_connect(str(path), f"ws://localhost{endpoints.BOT}") as bot:
            await bot.send(json.dumps({"type": "hello", "name": "ada", "games": ["dominoes"]}))
            return json.loads(await bot.recv()), await asyncio.to_thread(connected, url_of(server))

    welcome, [bot] = asyncio.run(hello())
    assert welcome["type"] == "welcome"
    assert bot["name"] == "ada"
    refused = palio("serve", "--port", "0", "--socket", str(path), code=1).stderr
    assert (
        refused
        == f"palio: cannot listen on {path}: another server does; choose another --socket, or stop that server\n"
    )
    assert server.end(signal.SIGTERM) == 0
    assert not path.exists()


@pytest.mark.slow
def test_a_unix_socket_that_a_killed_server_has_left_is_taken_over(palio: Palio, tmp_path):
    path = tmp_path / "palio.sock"
    palio.env["PALIO_SOCKET"] = str(path)
    killed = palio.start("serve", "--port", "0")
    killed.line_with("bots of your own")
    killed.end(signal.SIGKILL)
    assert path.is_socket()
    palio.start("serve", "--port", "0").line_with("bots of your own")
