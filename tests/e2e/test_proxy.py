"""The compose file's proxy for real: nginx with that configuration in front of two servers on loopback."""

import asyncio
import json
import re
import signal
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import httpx
import pytest
from command import Palio, Started
from conftest import free_port
from nginx_proxy import proxy_before
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palio_rules.contract import endpoints

FAR = "127.0.0.5"  # a client whom the servers know from nginx only


def started(palio: Palio, name: str) -> Started:
    words = ("--port", "0", "--auth", "--forwarded-from", "127.0.0.1", "--worker", name, "--db", f"sqlite:///{name}.db")
    return palio.start("serve", *words)


@pytest.fixture
async def servers(palio: Palio) -> dict[str, Started]:
    """Two servers, by address; each has a token for the bots ann and bob, and one for the starter of matches."""
    found = [started(palio, name) for name in ("one", "two")]
    urls = [re.search(r"http://([\d.:]+)", await asyncio.to_thread(each.line_with, "serves on"))[1] for each in found]
    return dict(zip(urls, found, strict=True))


@pytest.fixture
def proxy(nginx, servers, tmp_path: Path):
    """The address of nginx before both."""
    with proxy_before(nginx, [*servers], tmp_path) as address:
        yield address


async def play(url: str, name: str, token: str, viewing: asyncio.Event, over: asyncio.Event) -> None:
    """Play the first move of the list, as soon as there is a viewer."""
    async with connect(url, local_addr=(FAR, 0)) as socket:
        hello = {"type": "hello", "name": name, "games": ["breakthrough"], "token": token}
        await socket.send(json.dumps(hello))
        async for text in socket:
            message = json.loads(text)
            match message["type"]:
                case "game":
                    await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
                case "turn":
                    await viewing.wait()
                    move = {"type": "move", "match": message["match"], "id": message["id"], "move": message["moves"][0]}
                    await socket.send(json.dumps(move))
                case "over":
                    over.set()
                    return


async def watch(url: str, viewing: asyncio.Event, over: asyncio.Event) -> list[int | None]:
    """The numbers that a viewer sees until the match is over; one that comes too early comes again."""
    seen: list[int | None] = []
    while not over.is_set():
        with suppress(ConnectionClosed):
            async with connect(url) as viewer:
                async for text in viewer:
                    viewing.set()
                    seen.append(json.loads(text).get("seq"))
                    if over.is_set() and len(seen) > 10:
                        return seen
    return seen


@pytest.mark.slow
async def test_bots_viewers_and_pages_pass_and_a_server_that_is_gone_is_passed_over(palio, servers, proxy):
    tokens = {}
    for name in ("ann", "bob"):
        tokens[name] = (await asyncio.to_thread(palio, "bot", "add", name, "--db", "sqlite:///one.db")).stdout.split()[
            -1
        ]
    admin = await asyncio.to_thread(palio, "bot", "add", "boss", "--scope", "matches", "--db", "sqlite:///one.db")
    headers = {"Authorization": f"Bearer {admin.stdout.split()[-1]}"}
    one, two = servers
    far = httpx.AsyncHTTPTransport(local_address=FAR)
    async with httpx.AsyncClient(base_url=f"http://{proxy}", transport=far) as client, asyncio.timeout(60):
        page = await client.get("/")
        assert "<title>" in page.text
        assert (await client.get("/metrics")).status_code == 404
        versions = {(await client.get("/api/health")).status_code for _ in range(4)}
        assert versions == {200}

        await asyncio.to_thread(servers[two].end, signal.SIGTERM)  # from here on one is there: requests go on
        assert all([(await client.get("/api/health/ready")).status_code == 200 for _ in range(8)])

        viewing, over, bot_url = asyncio.Event(), asyncio.Event(), f"ws://{proxy}{endpoints.BOT}"
        playing = [asyncio.create_task(play(bot_url, name, tokens[name], viewing, over)) for name in tokens]
        while (await client.get("/api/health")).json()["bots"] < 2:  # noqa: ASYNC110  # they are on their way
            await asyncio.sleep(0.02)
        asked = {"game": "breakthrough", "bots": ["ann", "bob"]}
        match = (await client.post("/api/matches", json=asked, headers=headers)).json()["match"]
        seen = await watch(f"ws://{proxy}{endpoints.live(match)}", viewing, over)
        numbers = [seq for seq in seen if seq is not None]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert len(numbers) > 5
        await asyncio.gather(*playing)
    audit = json.loads((await asyncio.to_thread(palio, "audit", "--json", "--db", "sqlite:///one.db")).stdout)
    assert FAR in json.dumps(audit), "whoever started the match is known by his own address"
    assert (await asyncio.to_thread(servers[one].end, signal.SIGTERM)) == 0


@pytest.mark.slow
async def test_bots_come_back_together_after_every_server_was_gone(palio: Palio, nginx: str, tmp_path: Path):
    ports = [free_port(), free_port()]
    with proxy_before(nginx, [f"127.0.0.1:{port}" for port in ports], tmp_path) as proxy:
        for _ in range(6):  # as bots do, again and again
            with pytest.raises(InvalidStatus, match="502"):
                await connect(f"ws://{proxy}{endpoints.BOT}")
        server = palio.start("serve", "--port", str(ports[1]), "--no-auth", "--db", "sqlite:///one.db")
        await asyncio.to_thread(server.line_with, "serves on")
        async with AsyncExitStack() as stack, asyncio.timeout(60):
            for number in range(20):
                socket = await stack.enter_async_context(connect(f"ws://{proxy}{endpoints.BOT}"))
                await socket.send(json.dumps({"type": "hello", "name": f"bot{number}", "games": ["breakthrough"]}))
                assert json.loads(await socket.recv())["type"] == "welcome"
        assert server.end(signal.SIGTERM) == 0
