"""People play on a real server: against bots of the house and of others, with friends, in races, by their protocol."""

import asyncio
import os
import signal
from pathlib import Path
from random import Random

import pytest
from command import Palio
from person import Person, first_move, get, post, seated
from serving import bots, connected, server_in, until

GREEDY = [{"house": "greedy"}]
pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("auth", ["open", "required"])
async def test_a_guest_plays_a_whole_game_against_a_house_bot_and_nobody_is_rated(tmp_path, auth):
    async with server_in(tmp_path, auth=auth, house_bots=1) as server:
        opening = post(server.url, game="breakthrough", opponents=GREEDY, seat=1, name="ada")
        async with seated(server.url, opening) as person:
            assert person.name.startswith("guest-ada-")
            assert (await person.play(first_move))["termination"] == "rule"
        assert [seat["bot"] for seat in person.games[0]["seats"]] == ["house-greedy", person.name]
        record = await server.store.record(person.games[0]["match"])
        assert not record.setup.rated
        assert (await get(server.url, "/api/leaderboard/breakthrough"))["leaders"] == []
        [item] = await get(server.url, "/api/matches")
        assert item["rated"] is False
        assert await server.store.recount() == []
        assert await get(server.url, "/api/bots") == []


@pytest.mark.slow
async def test_a_guest_plays_a_connected_bot_unless_it_is_busy_or_absent(tmp_path, palio: Palio):
    async with server_in(tmp_path, house_bots=0, guests=True) as server, bots(palio, server.url, "random"):
        await connected(server, "random")
        against = {"game": "breakthrough", "opponents": [{"bot": "random"}]}
        async with seated(server.url, post(server.url, **against)) as person:
            await person.until("turn")
            busy = await post(server.url, **against)
            assert busy.status_code == 409
            assert "random has no free slot for breakthrough" in busy.json()["error"]["reason"]
            await person.play(first_move)
        absent = await post(server.url, game="breakthrough", opponents=[{"bot": "nobody"}])
        assert (absent.status_code, "nobody is not connected" in absent.text) == (409, True)
        house = await post(server.url, game="breakthrough", opponents=GREEDY)
        assert (house.status_code, "the house has no bot" in house.text) == (409, True)


async def test_a_friend_comes_by_a_link_once(tmp_path):
    async with server_in(tmp_path) as server:
        opening = post(server.url, game="dominoes", opponents=[{"friend": True}], seat=0)
        async with seated(server.url, opening) as person:
            [invite] = person.table["invites"]
            state = await get(server.url, f"/api/play/{person.table['table']}")
            assert state["waiting"] == ["a friend"]
            async with seated(server.url, post(server.url, f"{invite['code']}/join", name="bob")) as friend:
                assert friend.name.startswith("guest-bob-")
                assert friend.table["seat"] == invite["seat"] == 1
                twice = await post(server.url, f"{invite['code']}/join")
                assert (twice.status_code, "this seat is taken already" in twice.text) == (409, True)
                ends = await asyncio.gather(person.play(first_move), friend.play(first_move))
                assert ends[0] == ends[1]
                assert (await friend.ask("again", swap=True)).json()["seat"] == 0
                assert (await friend.until("game"))["seat"] == 0
                assert (await person.until("game"))["seat"] == 1
                on = await person.ask("again")
                assert (on.status_code, "finish this game" in on.text) == (409, True)


@pytest.mark.slow
async def test_a_guest_races_a_planner(tmp_path):
    wander = Random(1)
    async with server_in(tmp_path) as server:
        opening = post(server.url, game="rush_hour", opponents=[{"house": "planner"}], options={"moves": 3})
        async with seated(server.url, opening) as person:
            turn = await person.until("turn")
            await person.move(turn, wander.choice(turn["moves"]))
            await person.until("turn")
            await person.say("resign", match=turn["match"])
            outcome = (await person.until("over"))["outcome"]
        assert outcome["termination"] == "resigned"
        record = await server.store.record(turn["match"])
        assert [finish.reason for finish in record.result.finishes] == ["resigned", "solved"]


async def test_moves_are_taken_back_and_rematches_played_against_the_same_bot(tmp_path):
    async with server_in(tmp_path) as server:
        opening = post(server.url, game="breakthrough", opponents=GREEDY, seat=0)
        async with seated(server.url, opening) as person:
            first = await person.until("turn")
            await person.move(first, first["moves"][0])
            second = await person.until("turn")
            await person.move(second, second["moves"][0])
            await person.until("turn")
            assert (await person.ask("again", state=second["state"])).status_code == 200
            assert (await person.until("over"))["outcome"]["reason"] == "aborted"
            game = await person.until("game")
            assert (game["setup"], game["seat"]) == (second["state"], 0)
            assert (await person.until("turn"))["state"] == second["state"]
            assert (await person.ask("again", swap=True)).json()["seat"] == 1
            assert (await person.until("game"))["seat"] == 1
            await person.play(first_move)
            refused = await person.ask("again", state="nonsense")
            assert refused.status_code == 422
        stranger = await post(server.url, f"{person.table['table']}/again", "guest_wrong")
        assert stranger.status_code == 401
        statuses = [item["status"] for item in await get(server.url, "/api/matches")]
        assert statuses == ["finished", "aborted", "aborted"]


async def test_there_are_as_many_tables_as_the_house_has_bots_for(tmp_path):
    async with server_in(tmp_path, house_bots=1) as server:
        async with seated(server.url, post(server.url, game="breakthrough", opponents=GREEDY)) as person:
            full = await post(server.url, game="breakthrough", opponents=GREEDY)
            assert (full.status_code, "1 table is in use" in full.text) == (429, True)
            info = await get(server.url, "/api/play")
            assert (info["limit"], info["tables"]) == (1, 1)
            await person.until("turn")
            assert (await person.ask("leave")).json()["closed"] == "left"
        async with asyncio.timeout(20):  # the match that was left is being called off
            while (await get(server.url, "/api/play"))["tables"]:  # noqa: ASYNC110  # it is asked over HTTP
                await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_who_has_an_account_is_rated_and_not_paired_meanwhile(tmp_path):
    async with server_in(tmp_path, auth="required", house_bots=1) as server:
        await server.store.add_bot("ada")
        token = await server.store.issue_token(["play"], "ada")
        refused = await post(server.url, game="breakthrough", opponents=GREEDY, rated=True)
        assert refused.status_code == 401
        opening = post(server.url, "", token, game="breakthrough", opponents=GREEDY, rated=True)
        async with seated(server.url, opening) as person:
            assert person.name == "ada"
            await until(lambda: server.lobby.is_here("ada"), "the arrival of ada")
            assert "ada" not in server.lobby.free("breakthrough")
            await person.play(first_move)
            await server.leaderboards.update("breakthrough")
        leaders = (await get(server.url, "/api/leaderboard/breakthrough"))["leaders"]
        assert {leader["bot"] for leader in leaders} == {"ada", "house-greedy"}
        assert await server.store.recount() == []


@pytest.mark.slow
async def test_a_house_bot_that_is_killed_comes_back_and_plays_on(tmp_path):
    async with server_in(tmp_path) as server:
        opening = post(server.url, game="breakthrough", opponents=GREEDY, seat=0)
        async with seated(server.url, opening) as person:
            turn = await person.until("turn")
            kill(children_named("house-greedy", server.local_url))
            await until(lambda: not server.lobby.is_here("house-greedy"), "its end")
            await person.move(turn, turn["moves"][0])
            assert (await person.play(first_move))["termination"] == "rule"


@pytest.mark.slow
async def test_guest_and_house_bot_go_on_after_the_server_was_killed(palio: Palio):
    server = palio.start("serve", "--port", "0")
    url = server.line_with("serves on").split("serves on ")[1].split(",")[0]
    async with seated(url, post(url, game="breakthrough", opponents=GREEDY, seat=0)) as person:
        turn = await person.until("turn")
        await person.move(turn, turn["moves"][0])
        turn = await person.until("turn")
        house = children_named("house-greedy", url)
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        await until(lambda: not any(map(alive, house)), "the end of the house bot with its server")
    server = palio.start("serve", "--port", url.rpartition(":")[2])
    server.line_with("serves on")
    again = Person(url, person.table)
    assert (await again.hello())["type"] == "welcome"
    found = await again.until("turn")
    assert found["match"] == turn["match"]  # the last plies may not have been written yet: they are played again
    await again.move(found, found["moves"][0])
    assert (await again.play(first_move))["termination"] == "rule"
    await again.gone()
    house = children_named("house-greedy", url)
    assert house
    server.end(signal.SIGINT)
    await until(lambda: not any(map(alive, house)), "the end of the house bot with its server")


def children_named(name: str, url: str) -> list[int]:
    """The processes that joined `url` under that name."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if (
            b"palio_clients" in words
            and name.encode() in words
            and url.replace("http", "ws").encode() in [word.replace(b"http", b"ws") for word in words]
        ):
            found.append(int(folder.name))
    return found


def kill(numbers: list[int]) -> None:
    assert numbers
    for number in numbers:
        os.kill(number, signal.SIGKILL)


def alive(number: int) -> bool:
    try:
        return b"\nState:\tZ" not in Path(f"/proc/{number}/status").read_bytes()
    except OSError:
        return False
