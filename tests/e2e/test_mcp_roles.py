"""Models at servers that share work: behind a proxy that keeps them at one gateway, and behind one that does not."""

import asyncio
from contextlib import asynccontextmanager, suppress

import httpx2
import pytest
from conftest import accepts, free_port
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from model import call, over_http, over_stdio, play_to_the_end, refused, turn
from nginx_proxy import temporary
from serving import ROOT, until
from sharing import SmallBot, playing, sharing

pytestmark = [pytest.mark.mosquitto, pytest.mark.postgres]
CONFIG = ROOT / "deploy" / "nginx" / "nginx.conf"


class Spreading(httpx2.AsyncBaseTransport):
    """A proxy that sends each request to the next server."""

    def __init__(self, *urls: str) -> None:
        self._urls, self._sent, self._way = [httpx2.URL(url) for url in urls], 0, httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        to = self._urls[self._sent % len(self._urls)]
        self._sent += 1
        request.url = request.url.copy_with(host=to.host, port=to.port)
        request.headers["host"] = f"{to.host}:{to.port}"
        return await self._way.handle_async_request(request)

    async def aclose(self) -> None:
        await self._way.aclose()


@asynccontextmanager
async def spread(mode: str, *servers):
    urls = [server.url for server in servers]
    async with (
        httpx2.AsyncClient(transport=Spreading(*urls), timeout=httpx2.Timeout(30.0, read=90.0)) as http,
        Client(streamable_http_client(f"{urls[0]}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def proxied(nginx, folder, *servers):
    """The address of the compose file's nginx in front of two gateways."""
    port, config = free_port(), folder / "nginx.conf"
    text = CONFIG.read_text().replace("listen 8000", f"listen 127.0.0.1:{port}")
    text = text.replace("/tmp/nginx", f"{folder}/nginx").replace("worker_processes auto", "worker_processes 1")
    text = text.replace("http {", f"http {{ {temporary(folder)}", 1)
    for number, server in enumerate(servers, 1):
        text = text.replace(f"gateway-{number}:8000", server.url.removeprefix("http://"))
    config.write_text(text)
    with (folder / "nginx.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            nginx, "-c", str(config), "-p", str(folder), "-g", "daemon off;", stderr=log
        )
        try:
            await until(lambda: accepts(port) or process.returncode is not None, "nginx's start")
            assert process.returncode is None, (folder / "nginx.log").read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            await process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["session", "without a session", "palio mcp"])
async def test_behind_the_compose_files_proxy_a_model_plays_what_a_referee_plays(
    shared_database, mosquitto, nginx, tmp_path, way
):
    async with (
        sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers,
        proxied(nginx, tmp_path, servers["gateway1"], servers["gateway2"]) as url,
        playing(SmallBot("bob", servers["gateway1"].url)),
        asyncio.timeout(90),
    ):
        for server in servers.values():
            await until(lambda server=server: server.lobby.is_here("bob"), "bob")
        mode = "2026-07-28" if way == "without a session" else "legacy"
        async with over_stdio(url) if way == "palio mcp" else over_http(url, mode=mode) as client:
            joined = await call(client, "join", name="ann", games=["breakthrough"])
            me = {"player": joined["player"]}
            for server in servers.values():
                await until(lambda server=server: server.lobby.is_here("ann"), "ann")
            (match,) = (await call(client, "start_match", game="breakthrough", bots=["ann", "bob"], st=60))["matches"]
            end = await play_to_the_end(client, **me)
            assert (end["match"], end["result"]["termination"]) == (match, "rule")
            assert (await servers["gateway1"].store.match(match)).worker == "referee1"


async def test_a_session_that_comes_to_another_server_is_refused_with_the_remedy(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers:
        async with spread("legacy", servers["gateway1"], servers["gateway2"]) as client:
            sentences = []
            for _ in range(2):
                try:
                    await client.call_tool("list_games", {})
                except MCPError as error:
                    sentences.append((error.error.data["code"], str(error)))
        (code, sentence), *_ = sentences
        assert code == "unknown-session"
        assert "the proxy has to send all requests of a client to the same server (docs/how-to/mcp.md)" in sentence


async def test_a_player_without_a_session_is_not_doubled_and_comes_over_when_it_joins(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers:
        one, two = servers["gateway1"], servers["gateway2"]
        async with (
            over_http(one.url, mode="2026-07-28") as here,
            over_http(two.url, mode="2026-07-28") as there,
            playing(SmallBot("bob", one.url)),
            asyncio.timeout(60),
        ):
            me = {"player": (await call(here, "join", name="ann", games=["breakthrough"]))["player"]}
            for server in servers.values():
                await until(
                    lambda server=server: {"ann", "bob"} <= {bot.name for bot in server.lobby.connected()}, "two"
                )
            await call(here, "start_match", game="breakthrough", bots=["ann", "bob"], st=60)
            first = await turn(here, **me)
            sentence = await refused(there, "move", move=first["legal_moves"][0], **me)
            assert "ann plays at another server" in sentence
            assert "call join with this `player`" in sentence
            assert "the proxy has to send all requests of a client to the same server (docs/how-to/mcp.md)" in sentence
            assert len(two.lobby.connections("ann")) == 1
            await call(here, "move", move=first["legal_moves"][0], **me)

            await call(there, "join", **me)
            await until(lambda: [each.process for each in two.lobby.connections("ann")] == [""], "the way over")
            await until(
                lambda: [bool(each.process) for each in one.lobby.connections("ann")] == [True], "the news of it"
            )
            assert "ann plays at another server" in await refused(here, "wait_for_turn", **me)
            end = await play_to_the_end(there, **me)
            assert end["result"]["termination"] == "rule"


class Relay:
    """Passes connections on to one server, and then to another one."""

    def __init__(self, to) -> None:
        self.to, self._writers = to, []

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far, there = await asyncio.open_connection("127.0.0.1", int(self.to.url.rpartition(":")[2]))
        self._writers += [writer, there]
        with suppress(OSError):
            await asyncio.gather(_pump(reader, there), _pump(far, writer))

    def switch(self, to) -> None:
        self.to = to
        for writer in self._writers:
            writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@pytest.mark.slow
async def test_palio_mcp_goes_on_by_itself_when_its_way_leads_to_another_gateway(shared_database, mosquitto):
    async with (
        sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers,
        playing(SmallBot("bob", servers["gateway2"].url)),
        asyncio.timeout(90),
    ):
        one, two = servers["gateway1"], servers["gateway2"]
        relay = Relay(one)
        listener = await asyncio.start_server(relay.pass_on, "127.0.0.1", 0)
        async with over_stdio(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}") as client:
            await call(client, "join", name="ann", games=["breakthrough"])
            for server in servers.values():
                await until(
                    lambda server=server: {"ann", "bob"} <= {bot.name for bot in server.lobby.connected()}, "two"
                )
            (match,) = (await call(client, "start_match", game="breakthrough", bots=["ann", "bob"], st=60))["matches"]
            await turn(client)
            relay.switch(two)
            end = await play_to_the_end(client)
            assert (end["match"], end["result"]["termination"]) == (match, "rule")
            assert [each.process for each in two.lobby.connections("ann")] == [""]
            relay.switch(two)  # its connections end with the test
        listener.close()
