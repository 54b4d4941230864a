"""`palio tournament` on a real server: made, entered, played, paused, killed and gone on with, exported."""

import asyncio
import json
import re
import signal
import socket
from urllib.request import urlopen

import pytest
from command import Palio
from serving import bots, connected, ending, join, server_in, until


def detail_of(url: str) -> dict:
    with urlopen(f"{url}/api/tournaments/1") as answer:
        return json.loads(answer.read())


async def played(url: str, matches: int) -> None:
    """Return when so many matches are over."""
    async with asyncio.timeout(90):
        while (await asyncio.to_thread(detail_of, url))["finished"] < matches:  # noqa: ASYNC110  # another process
            await asyncio.sleep(0.05)


READING = (
    "match list",
    "match list --bot ann --status finished --json",
    "match show MATCH",
    "match export MATCH",
    "match export --game breakthrough",
    "leaderboard --json",
    "leaderboard --game breakthrough:rows=5,cols=3 --head-to-head --json",
    "leaderboard --game breakthrough:rows=5,cols=3 --history ann",
    "leaderboard --game breakthrough:rows=5,cols=3 --half-life 30",
    "tournament list --json",
    "tournament show 1 --rounds --json",
    "tournament why 1 1 1",
)


def said(palio: Palio, *words: str) -> str:
    """Return what a command prints, without the line that names its source."""
    lines = palio(*words).stdout.splitlines(keepends=True)
    return "".join(line for line in lines if not re.search("(database|server) (sqlite|http)", line))


SMALL = ("breakthrough:rows=5,cols=3", "--tc", "60+1")


async def test_a_tournament_is_made_joined_played_and_exported(palio: Palio, tmp_path):
    async with server_in(tmp_path) as server:
        url = ("--url", server.url)

        async def run(*words, code=0):
            return (await asyncio.to_thread(palio, "tournament", *words, code=code)).stdout

        async with bots(palio, server.url, "ann=random", "bob=random", "eve=greedy"):
            await connected(server, "ann", "bob", "eve")
            made = await run("create", *SMALL, "ann", "bob=1600", "--name", "cup", "--openings", "2", *url)
            assert made.startswith("tournament 1 is open: cup; look at it with: palio tournament show 1 --url http")
            assert "eve is number 3 of tournament 1, from round 1 on" in await run("add", "1", "eve", *url)
            await run("export", "1", "cup.trf", *url)
            assert "tournament 2 is open: cup" in await run("create", *SMALL, "--trf", "cup.trf", *url)
            again = json.loads(await run("show", "2", "--json", *url))
            assert [(entry["bot"], entry["rating"]) for entry in again["entries"]] == [
                ("bob", 1600.0), ("ann", None), ("eve", None)
            ]  # fmt: skip
            assert (again["format"], again["rounds"]) == ("swiss", 3)
            assert (await run("start", "1", *url)).startswith("tournament 1 is running, with 3 bots")
            await run("start", "1", *url, code=1)
            await until(lambda: not server.tournaments.directed(), "the end of the tournament")
        listed = json.loads(await run("list", "--stage", "finished", "--json"))
        assert [(item["id"], item["finished"], item["total"]) for item in listed] == [(1, 6, 6)]
        shown = await run("show", "1", "--rounds", *url)
        assert "finished, round 3 of 3, 6 of 6 games played" in shown
        assert shown == await run("show", "1", "--rounds"), "the database says the same as the server"
        assert "meet in round 1" in await run("why", "1", "1", "1", *url)
        match = json.loads(await asyncio.to_thread(said, palio, "match", "list", "--limit", "1", "--json"))[0]["id"]
        for words in READING:
            asked = [match if word == "MATCH" else word for word in words.split()]
            here, there = [await asyncio.to_thread(said, palio, *asked, *by) for by in ((), url)]
            assert here == there, f"palio {words} says the same of a database and of its server"
        for name in ("cup.csv", "cup.md", "cup.json", "cup.txt"):
            await run("export", "1", name, *url)
        assert len((tmp_path / "cup.csv").read_text().splitlines()) == 4
        assert (tmp_path / "cup.txt").read_text().count('[Game "breakthrough"]') == 6


async def test_a_name_that_the_server_has_never_seen_is_warned_of_with_the_nearest_one(palio: Palio, tmp_path):
    async with server_in(tmp_path) as server:

        async def created(*names):
            words = ("tournament", "create", *SMALL, *names, "--start", "--url", server.url)
            return (await asyncio.to_thread(palio, *words)).stderr.splitlines()

        async with bots(palio, server.url, "ann=random", "robert=random"):
            await connected(server, "ann", "robert")
            assert await created("ann", "robert") == []
            assert await created("ann", "rober", "zzz") == [
                "palio: the server has never seen 'rober'; did you mean 'robert'?",
                "palio: take it out with: palio tournament withdraw 2 rober",
                "palio: the server has never seen 'zzz'",
                "palio: take it out with: palio tournament withdraw 2 zzz",
            ]
            assert len(await created("ann", "rober")) == 2, "a game that it forfeits or waits for is no visit"
        await until(lambda: not server.lobby.connected(), "the end of the bots")
        assert await created("ann", "robert") == [], "they were here"


@pytest.mark.slow
async def test_whoever_is_here_plays_when_the_time_has_come_and_who_stays_away_forfeits(palio, tmp_path):
    async with server_in(tmp_path) as server, bots(palio, server.url, "ann=random", "bob=random"):
        await connected(server, "ann", "bob")
        words = (
            "create",
            *SMALL,
            "late",
            "--admits",
            "open",
            "--starts-at",
            "+1s",
            "--grace",
            "1",
            "--url",
            server.url,
        )
        await asyncio.to_thread(palio, "tournament", *words)
        await until(server.tournaments.directed, "the start in time")
        await until(lambda: not server.tournaments.directed(), "an end without the bot that stays away")
        detail = await asyncio.to_thread(detail_of, server.url)
        assert [entry["bot"] for entry in detail["entries"]] == ["late", "ann", "bob"]
        assert detail["stage"] == "finished"
        assert {line["bot"]: line["points"] for line in detail["standings"]}["late"] == 0
        assert detail["finished"] == 2, "the two who came have played each other"


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_a_server_that_is_killed_goes_on_with_its_tournaments_and_plays_each_pairing_once(palio: Palio, database):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    url, names = f"http://127.0.0.1:{port}", ("ann", "bob", "eve", "dan")
    joined = join(palio, url, *(f"{name}=random" for name in names))  # they come back by themselves
    async with ending(*joined):
        for kill in range(3):
            server = palio.start("serve", "--port", port, "--concurrency", "2", "--db", database)
            await asyncio.to_thread(server.line_with, "serves on")
            if kill == 0:
                words = (*SMALL, *names, "--rounds", "4", "--openings", "2", "--start", "--url", url)
                await asyncio.to_thread(palio, "tournament", "create", *words)
            await played(url, (kill + 1) * 12)
            server.end(signal.SIGKILL)
        server = palio.start("serve", "--port", port, "--db", database)
        await asyncio.to_thread(server.line_with, "serves on")
        await played(url, 48)
        words = ("show", "1", "--rounds", "--json", "--db", database)
        shown = json.loads((await asyncio.to_thread(palio, "tournament", *words)).stdout)
    encounters = [each for item in shown["pairings"] for each in item["encounters"] if each["kind"] == "played"]
    assert len(encounters) == 24
    assert all(len(each["matches"]) == 2 for each in encounters)
    met = [frozenset(each["bots"]) for each in encounters]
    assert {met.count(pair) for pair in met} == {4}
