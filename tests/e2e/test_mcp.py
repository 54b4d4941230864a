"""Models play: the official client of the Model Context Protocol, on stdio and over HTTP, on a real server."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, suppress

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from model import call, over_http, over_stdio, play_to_the_end, refused, turn
from serving import ROOT, connected, server_in, until

from palio_db.match_search import MatchQuery
from palio_server.addons.mcp import sessions
from palio_server.server import drain

PAGE = (ROOT / "docs" / "how-to" / "mcp.md").read_text()
ACCEPT = {"Accept": "application/json, text/event-stream"}
BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
WAYS = ["stdio", "stdio modern", "http", "http modern"]


@asynccontextmanager
async def client_by(way, url, token=None):
    mode = "2026-07-28" if "modern" in way else "legacy"
    if way.startswith("stdio"):
        words = ("--token", token) if token else ()
        async with over_stdio(url, *words, mode=mode) as client:
            yield client
    else:
        async with over_http(url, token, mode=mode) as client:
            yield client


async def joined(client, **arguments):
    """Return the arguments of each call of this player: its handle, because some clients have no session."""
    return {"player": (await call(client, "join", **arguments))["player"]}


def waits(server):
    """Return True if a call waits for a turn now."""
    return any(session.transport == "mcp" and session.link._attending for session in server.lobby.sessions())


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
async def test_a_model_plays_breakthrough_against_the_house_to_the_end(tmp_path, way):
    async with server_in(tmp_path) as server, client_by(way, server.url) as client:
        me = await joined(client, games=["breakthrough"], play_against=["random"])
        first = await turn(client, **me)
        assert first["legal_count"] == len(first["legal_moves"]) == 16
        assert "a b c d e f" in first["board"]
        end = await play_to_the_end(client, pick=-1, **me)
        assert end["state"] == "over"
        assert end["result"]["termination"] == "rule"
        record = await server.store.record(end["match"])
        assert record is not None
        assert end["your_score"] == record.result.scores[end["seat"]]
        watched = await call(client, "watch_match", match=end["match"])
        assert watched["status"] == "finished"
        assert watched["moves"] == end["history"]
        text = (await client.read_resource(f"palio://matches/{end['match']}")).contents[0].text
        assert '[Game "breakthrough"]' in text


@pytest.mark.parametrize(
    ("game", "options", "opponents"),
    [
        ("dominoes", {"rows": 4, "cols": 4}, ["random"]),
        ("chexers", {}, ["random", "greedy"]),
        ("go", {"size": 9}, ["random"]),
        ("go", {"size": 19, "handicap": 9}, ["random"]),
    ],
)
async def test_a_model_plays_other_games_and_at_a_table_of_three(tmp_path, game, options, opponents):
    async with server_in(tmp_path) as server, over_http(server.url) as client:
        await call(client, "join", games=[game], options=options, play_against=opponents)
        end = await play_to_the_end(client, pick=-1)
        assert end["result"]["scores"]
        assert (await server.store.match(end["match"])).status == "finished"


async def test_a_rejected_move_is_an_error_with_the_referees_sentence_and_what_is_left(tmp_path):
    async with server_in(tmp_path) as server, over_http(server.url) as client:
        await call(client, "join", games=["breakthrough"], play_against=["random"], seat=0)
        view = await turn(client)
        assert await refused(client, "move", move=[[9, 9], [8, 8]]) == (
            "row 9 is off the 6x6 board; 99 rejected moves are left"
        )
        sentence = await refused(client, "move", move="a2-a9")
        assert "99 rejected moves are left" in sentence
        assert "nothing was played" in sentence
        assert f"the open one is {view['turn']}" in await refused(client, "move", move="a5-a4", turn=7)
        legal = await call(client, "legal_moves", begins="a5")
        assert [move["notation"] for move in legal["moves"]] == ["a5-a4", "a5-b4"]
        assert legal["count"] == 16
        await call(client, "move", move=legal["moves"][0]["wire"])
        resigned = await call(client, "resign")
        assert resigned["result"]["termination"] == "resigned"
        assert "not your turn" in await refused(client, "move", move="a4-a3")


@pytest.mark.slow
async def test_two_models_play_each_other_and_a_third_watches(tmp_path):
    async with (
        server_in(tmp_path) as server,
        over_http(server.url) as ann,
        over_http(server.url, mode="2026-07-28") as bob,
        over_http(server.url) as viewer,
    ):
        await call(ann, "join", name="ann", games=["breakthrough"])
        me = await joined(bob, name="bob", games=["breakthrough"])
        (match,) = (await call(viewer, "start_match", game="breakthrough", bots=["ann", "bob"], st=60))["matches"]
        of_bob = asyncio.create_task(play_to_the_end(bob, **me))
        view = await turn(ann)
        assert view["limit_ms"] == 60_000
        assert view["seats"] == ["black: ann", "white: bob"]
        later = asyncio.create_task(viewer.call_tool("watch_match", {"match": match, "since_ply": 0, "timeout_s": 30}))
        end = await play_to_the_end(ann)
        assert (await later).structured_content["ply"] >= 1
        assert (await of_bob)["match"] == end["match"] == match
        listed = (await call(viewer, "list_matches", status="finished"))["matches"]
        assert [each["id"] for each in listed] == [match]
        board = await call(viewer, "leaderboard", game="breakthrough")
        assert {leader["bot"] for leader in board["leaders"]} == {"ann", "bob"}


async def test_what_can_be_asked_for_describes_itself(tmp_path):
    async with server_in(tmp_path) as server, over_http(server.url) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"list_games", "game_rules", "list_bots", "leaderboard", "list_matches", "watch_match"} <= tools.keys()
        assert {"join", "wait_for_turn", "legal_moves", "move", "resign", "leave", "status"} <= tools.keys()
        assert tools["list_games"].annotations.read_only_hint
        assert tools["resign"].annotations.destructive_hint
        assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools.values())
        assert "breakthrough" in [game["name"] for game in (await call(client, "list_games"))["games"]]
        assert "first" in (await call(client, "game_rules", game="breakthrough"))["rules"]
        assert await refused(client, "game_rules", game="brekthrough") == (
            "unknown game 'brekthrough'; did you mean 'breakthrough'?"
        )
        assert await refused(client, "join", gams=["chexers"]) == (
            "join: the arguments: unknown key 'gams'; did you mean 'games'?"
        )
        with pytest.raises(MCPError, match="unknown tool 'mve'; did you mean 'move'"):
            await client.call_tool("mve", {})
        rules = (await client.read_resource("palio://games/dominoes")).contents[0]
        assert rules.mime_type == "text/markdown"
        assert "# Dominoes" in rules.text
        prompt = await client.get_prompt("play", {"game": "dominoes", "opponent": "greedy"})
        assert 'play_against ["greedy"]' in prompt.messages[0].content.text


@pytest.mark.slow
async def test_tokens_and_scopes_are_those_of_bots(tmp_path):
    async with server_in(tmp_path, auth="required", guests=False) as server:
        await server.store.add_bot("ann")
        play = await server.store.issue_token(["play"], "ann")
        watch = await server.store.issue_token(["watch"])
        async with over_http(server.url) as stranger:
            assert (await call(stranger, "list_games"))["games"]
            assert "wants a token" in await refused(stranger, "join", name="ann", games=["breakthrough"])
        async with over_http(server.url, watch) as reader:
            assert "no scope 'play'" in await refused(reader, "join", name="ann", games=["breakthrough"])
            assert "no scope 'matches'" in await refused(reader, "start_match", game="breakthrough", bots=["a", "b"])
        async with over_stdio(server.url, "--token", play) as client:
            assert (await call(client, "join", games=["breakthrough"]))["name"] == "ann"
            await connected(server, "ann")
            assert "belongs to the bot 'ann'" in await refused(client, "join", name="bob", games=["breakthrough"])
        with pytest.raises(BaseExceptionGroup) as error:
            async with over_http(server.url, "wrong"):
                pass
        assert "unknown or has been revoked" in str(flat(error.value))


def flat(error):
    return [flat(each) for each in error.exceptions] if isinstance(error, BaseExceptionGroup) else error


async def test_a_private_server_shows_nothing_without_a_token(tmp_path):
    async with server_in(tmp_path, private=True) as server:
        async with httpx.AsyncClient() as http:
            answer = await http.post(f"{server.url}/mcp", json={})
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert "wants a token" in answer.json()["error"]["message"]
        watch = await server.store.issue_token(["watch"])
        async with over_http(server.url, watch) as client:
            assert (await call(client, "list_bots")) == {"connected": [], "house": []}


async def test_a_withdrawn_token_ends_what_was_begun_with_it(tmp_path):
    async with server_in(tmp_path, auth="required") as server:
        await server.store.add_bot("ann")
        token = await server.store.issue_token(["play"], "ann")
        async with over_http(server.url, token) as client:
            await call(client, "join", games=["breakthrough"])
            waiting = asyncio.create_task(client.call_tool("wait_for_turn", {"timeout_s": 60}))
            await until(lambda: waits(server), "the wait")
            await server.store.revoke_token((await server.store.grant(token)).id)
            with pytest.raises(MCPError):
                await waiting
            assert not server.lobby.is_here("ann")
            with pytest.raises(MCPError, match="unknown or has been revoked"):
                await client.call_tool("list_games", {})


async def test_a_session_belongs_to_the_token_that_has_opened_it(tmp_path):
    async with server_in(tmp_path, auth="required") as server:
        one, other = [await server.store.issue_token(["watch"]) for _ in range(2)]
        headers = ACCEPT | {"Authorization": f"Bearer {one}"}
        async with httpx.AsyncClient(base_url=server.url, headers=headers) as http:
            answer = await http.post("/mcp", json=BEGIN)
            assert '"protocolVersion":"2025-06-18"' in answer.text
            session = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-06-18"}
            ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
            foreign = session | {"Authorization": f"Bearer {other}"}
            assert (await http.post("/mcp", json=ping, headers=foreign)).status_code == 404
            assert (await http.post("/mcp", json=ping, headers=session)).status_code == 200
            assert (await http.delete("/mcp", headers=session)).status_code == 200
            assert (await http.post("/mcp", json=ping, headers=session)).status_code == 404
            assert (await http.put("/mcp")).status_code == 405
            evil = {"Origin": "https://evil.example"}
            assert (await http.post("/mcp", json=BEGIN, headers=evil)).status_code == 403


async def test_a_model_that_leaves_is_absent_and_comes_back_by_its_handle(tmp_path):
    async with server_in(tmp_path) as server:
        async with over_http(server.url) as client:
            me = await joined(client, games=["breakthrough"], play_against=["random"])
            match = (await turn(client))["match"]
        guest = next(bot for bot in server.arena.setup_of(match).bots if bot.startswith("guest-"))
        await until(lambda: not server.lobby.is_here(guest), "the absence")
        async with over_http(server.url) as client:
            assert "call `join` first" in await refused(client, "wait_for_turn")
            await call(client, "join", **me)
            view = await turn(client)
            assert view["match"] == match
            await call(client, "move", move=view["legal_moves"][0])


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_cancelled_wait_costs_nothing_and_another_one_gets_the_turn(tmp_path, way):
    async with server_in(tmp_path) as server, client_by(way, server.url) as client:
        await call(client, "join", name="ann", games=["breakthrough"])
        waiting = asyncio.create_task(client.call_tool("wait_for_turn", {"timeout_s": 60}))
        await until(lambda: waits(server), "the wait")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await until(lambda: not waits(server), "the end of the wait")
        assert (await call(client, "wait_for_turn", timeout_s=0))["state"] == "nothing_yet"
        async with over_http(server.url) as other:
            await call(other, "join", name="bob", games=["breakthrough"])
            attending = asyncio.create_task(turn(other))
            await call(client, "start_match", game="breakthrough", bots=["ann", "bob"])
            assert (await turn(client))["state"] == "your_turn"
            await call(client, "resign")
            assert (await attending)["state"] == "over"


async def test_a_wait_ends_when_the_server_stops(tmp_path):
    async with asyncio.timeout(30):
        async with server_in(tmp_path) as server, over_http(server.url, mode="2026-07-28") as client:
            me = await joined(client, name="ann", games=["breakthrough"])
            waiting = asyncio.create_task(client.call_tool("wait_for_turn", {"timeout_s": 60, **me}))
            await until(lambda: waits(server), "the wait")
            await drain(server)
            answer = await waiting
            assert answer.is_error
            assert "the server stops" in answer.content[0].text


@pytest.mark.slow
async def test_a_restart_of_the_server_costs_a_model_nothing_but_time(tmp_path):
    async with server_in(tmp_path) as server:
        url, port = server.url, int(server.url.rpartition(":")[2])
        client = await over_stdio(url).__aenter__()
        await call(client, "join", games=["breakthrough"], play_against=["random"])
        view = await turn(client)
        await call(client, "move", move=view["legal_moves"][0])
        await turn(client)
    try:
        waiting = asyncio.create_task(client.call_tool("wait_for_turn", {"timeout_s": 40}))
        async with server_in(tmp_path, port=port):
            answer = await waiting
            assert not answer.is_error, answer.content[0].text
            again = answer.structured_content
            again = again if again["state"] == "your_turn" else await turn(client)
            assert again["match"] == view["match"]
            await call(client, "move", move=again["legal_moves"][0])
            await call(client, "resign")
            await client.__aexit__(None, None, None)
            client = None
    finally:
        if client is not None:
            await client.__aexit__(None, None, None)


async def test_without_the_library_the_server_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "palio_server.addons.mcp.service", raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    async with server_in(tmp_path) as server, httpx.AsyncClient() as http:
        answer = await http.post(f"{server.url}/mcp", json={})
        assert answer.status_code == 501
        assert "pip install 'palio[mcp]'" in answer.json()["error"]["message"]


async def test_who_asks_too_much_hears_when_to_come_again(tmp_path):
    async with server_in(tmp_path, forwarded_from="127.0.0.1") as server, httpx.AsyncClient() as http:
        far = {"X-Forwarded-For": "203.0.113.9"}
        statuses = set()
        for _ in range(sessions.OF_ONE + 1):
            answer = await http.post(f"{server.url}/mcp", json=BEGIN, headers=ACCEPT | far)
            statuses.add(answer.status_code)
        assert statuses == {200, 429}
        assert int(answer.headers["Retry-After"]) > 0
        assert "sessions open" in answer.json()["error"]["message"]
        assert (await http.post(f"{server.url}/mcp", json=BEGIN, headers=ACCEPT)).status_code == 200


@pytest.mark.slow
def test_a_server_that_serves_no_model_has_not_loaded_the_library(palio):
    code = (
        "import sys, palio_server.server, palio_server.cli.palio, palio_clients.addons.mcp.cli; "
        "print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types', 'pydantic')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_nobody_at_the_address_is_one_sentence(palio):
    done = palio("mcp", "127.0.0.1:9", code=1)
    assert done.stdout == ""
    assert "no server answers at http://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
    assert "is no address of a server" in palio("mcp", "http://:x", code=2).stderr
    assert "give it as --token" in palio("mcp", "http://127.0.0.1:8000/?token=abc", code=2).stderr


@pytest.mark.slow
def test_a_stopped_server_ends_waits_without_a_traceback(palio, tmp_path):
    serving = palio.start("serve", "--port", "0", "--db", f"sqlite:///{tmp_path}/p.db")
    url = re.search(r"http://\S+", serving.line_with("http://"))[0].rstrip("/,.")

    async def wait():
        async with over_http(url) as client:
            await call(client, "join", name="ann", games=["breakthrough"])
            waiting = asyncio.create_task(client.call_tool("wait_for_turn", {"timeout_s": 60}))
            await asyncio.sleep(0)
            while not (await call(client, "list_bots"))["connected"]:
                pass
            serving.process.send_signal(signal.SIGTERM)
            with suppress(MCPError):
                assert (await waiting).is_error

    with suppress(BaseExceptionGroup):  # the session can no longer say goodbye
        asyncio.run(wait())
    assert serving.wait() in (0, 143, -15)
    assert not [line for line in serving.errors if "Traceback" in line]


@pytest.mark.slow
async def test_the_program_of_the_page_plays_a_game(tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    async with server_in(tmp_path) as server:
        here = program.replace("http://127.0.0.1:8000", server.url)
        run = subprocess.run
        done = await asyncio.to_thread(run, [sys.executable, "-c", here], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert re.fullmatch(r"\S+ [01]\.0\n", done.stdout)
        (match,) = await server.store.search(MatchQuery(), 2)
        assert match.status == "finished"


@pytest.mark.slow
async def test_the_settings_of_the_page_start_the_command(tmp_path):
    snippets = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    first, second = [each["mcpServers"]["palio"] for each in snippets]
    assert first["command"] == second["command"] == "palio"
    async with server_in(tmp_path) as server:
        verb, address = first["args"]
        assert (verb, address) == ("mcp", "http://127.0.0.1:8000")
        async with over_stdio(server.url, *second["args"][2:]) as client:
            named = await call(client, "join", games=["breakthrough"])
            assert named["name"] == "claude"


async def test_the_tools_of_the_page_are_those_that_there_are(tmp_path):
    table = PAGE.split("| tool | |")[1].split("\n\n")[0]
    told = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    async with server_in(tmp_path) as server, over_http(server.url) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == told


async def test_a_friend_comes_by_a_link(tmp_path):
    async with server_in(tmp_path) as server, over_http(server.url) as client, httpx.AsyncClient() as http:
        joined = await call(client, "join", games=["breakthrough"], play_against=["friend"], name="ann")
        (link,) = joined["invites"]
        assert link.startswith(f"{server.url}/play/join/")
        assert "a friend" in (await call(client, "wait_for_turn", timeout_s=0))["note"]
        code = link.rpartition("/")[2]
        assert (await http.post(f"{server.url}/api/play/{code}/join", json={"name": "bob"})).status_code == 201


async def test_what_is_asked_for_wrongly_is_answered_with_the_remedy(tmp_path):
    async with server_in(tmp_path) as server, over_http(server.url) as client:
        dominoes = {"games": ["dominoes"], "play_against": ["random"]}
        assert "name is missing" in await refused(client, "join", games=["breakthrough"])
        assert "did you mean 'random'" in await refused(client, "join", games=["dominoes"], play_against=["randm"])
        assert "name 2, got 1" in await refused(client, "join", games=["chexers"], play_against=["random"])
        assert "wants exactly one game" in await refused(client, "join", play_against=["random"])
        assert "has no option 'row'" in await refused(client, "join", options={"row": 4}, **dominoes)
        assert "is no time control" in await refused(client, "join", tc="soon", **dominoes)
        assert "names that begin with guest-" in await refused(client, "join", name="guest-x", games=["dominoes"])
        assert "'a b' is no name for a bot" in await refused(client, "join", name="a b", games=["dominoes"])
        assert "there is no match 'm1'" in await refused(client, "watch_match", match="m1")
        await call(client, "join", name="ann", games=["dominoes"])
        assert "you play no match 'm1'" in await refused(client, "resign", match="m1")
        assert "it is not your turn" in await refused(client, "move", move="a1")


async def test_no_error_has_structured_content_that_a_client_would_hold_to_the_schema_of_an_answer(tmp_path):
    async with server_in(tmp_path) as server, over_http(server.url) as client:
        failed = set()
        for tool in (await client.list_tools()).tools:
            for arguments in ({"no_such": 1}, {"match": "m1"}, {"match": 7}, {"move": "a1"}, {"name": "a b"}):
                answer = await client.call_tool(tool.name, arguments)
                if answer.is_error:
                    failed.add(tool.name)
                    assert answer.structured_content is None
                    sentence, fault = (each.text for each in answer.content)
                    assert json.loads(fault)["error"]["reason"] == sentence
        assert failed == {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"{}", b'{"jsonrpc":"2.0"}', b"\xff\x00", b"[" * 5000])
async def test_bytes_that_are_no_request_are_answered_without_a_traceback(tmp_path, body):
    kinds = ({}, {"MCP-Protocol-Version": "2026-07-28"}, {"Mcp-Session-Id": "x"}, {"MCP-Protocol-Version": "soon"})
    async with server_in(tmp_path) as server, httpx.AsyncClient() as http:
        for kind in kinds:
            headers = ACCEPT | kind | {"Content-Type": "application/json"}
            answer = await http.post(f"{server.url}/mcp", content=body, headers=headers)
            assert 400 <= answer.status_code < 500
            assert "Traceback" not in answer.text
