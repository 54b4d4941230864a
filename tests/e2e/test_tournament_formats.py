"""`palio tournament` in every format, with a real server and real bots, on both databases."""

import asyncio
import json

import pytest
from command import Palio
from serving import bots, connected, server_in, until

SMALL = ("breakthrough:rows=5,cols=3", "--tc", "60+1", "--openings", "2")
FOUR = ("ann=greedy", "bob=random", "cid=random", "dan=random")


class Organiser:
    """Types `palio tournament` at one server."""

    def __init__(self, palio: Palio, url: str) -> None:
        self.palio, self.url = palio, url

    async def __call__(self, *words: str) -> str:
        return (await asyncio.to_thread(self.palio, "tournament", *words, "--url", self.url)).stdout

    async def shown(self) -> dict:
        return json.loads(await self("show", "1", "--rounds", "--json"))


def names_of(specs):
    return [spec.partition("=")[0] for spec in specs]


async def played(palio, tmp_path, database, specs, *words):
    """The event at its end, as `palio tournament show` has it."""
    async with server_in(tmp_path, db=database) as server, bots(palio, server.url, *specs):
        await connected(server, *names_of(specs))
        organiser = Organiser(palio, server.url)
        await organiser("create", *words, *names_of(specs), "--start")
        await until(lambda: not server.tournaments.directed(), "the end of the tournament", 120)
        found = await organiser.shown()
    assert (found["stage"], found["note"]) == ("finished", "")
    assert found["rounds"] == found["round"] == len(found["pairings"])
    assert found["finished"] == found["total"]
    assert found["scheduled"] == found["running"] == 0
    if found["sprt"] is None:  # one that is decided calls off what it had planned ahead, or is in play
        assert found["aborted"] == 0
        assert all(each["over"] for item in found["pairings"] for each in item["encounters"])
    assert sorted(line["bot"] for line in found["standings"]) == sorted(names_of(specs))
    return found


@pytest.mark.slow
async def test_a_knockout_has_a_bracket_and_a_winner(palio, tmp_path, database):
    found = await played(palio, tmp_path, database, FOUR, *SMALL, "--format", "knockout")
    assert [item["title"] for item in found["bracket"]["rounds"]] == ["semi-finals", "final"]
    assert found["bracket"]["rounds"][-1]["matches"][0]["winner"] == found["standings"][0]["bot"]
    assert found["bracket"]["third_place"]["winner"] is not None


@pytest.mark.slow
async def test_groups_feed_a_bracket(palio, tmp_path, database):
    found = await played(palio, tmp_path, database, FOUR, *SMALL, "--format", "groups:groups=2,advance=1")
    assert [len(group["bots"]) for group in found["groups"]] == [2, 2]
    assert len(found["bracket"]["rounds"]) == 1


@pytest.mark.slow
async def test_in_a_gauntlet_the_field_does_not_meet(palio, tmp_path, database):
    found = await played(palio, tmp_path, database, FOUR, *SMALL, "--format", "gauntlet", "--rounds", "2")
    met = [each["bots"] for item in found["pairings"] for each in item["encounters"] if each["kind"] == "played"]
    assert len(met) == 6
    assert all("ann" in pair for pair in met)


@pytest.mark.slow
async def test_an_sprt_ends_by_itself(palio, tmp_path, database):
    words = ("--format", "sprt:elo0=0,elo1=300,model=logistic,max_pairs=300", "--openings", "4")
    found = await played(palio, tmp_path, database, FOUR[:2], *SMALL, *words)
    assert found["sprt"]["state"] == "H1", "greedy is much stronger than random"
    assert found["sprt"]["llr"] >= found["sprt"]["upper"]


@pytest.mark.slow
async def test_three_sit_at_a_table(palio, tmp_path, database):
    words = ("chexers", "--tc", "60+1", "--format", "swiss", "--rounds", "2")
    found = await played(palio, tmp_path, database, [f"b{number}=random" for number in range(6)], *words)
    tables = [each for item in found["pairings"] for each in item["encounters"] if each["kind"] == "played"]
    assert [len(each["bots"]) for each in tables] == [3] * 4
    assert all(len(each["matches"]) == 6 for each in tables)


@pytest.mark.slow
async def test_a_race_league_runs_its_heats(palio, tmp_path, database):
    words = ("tsp:size=8", "--st", "0.3", "--rounds", "2")
    found = await played(palio, tmp_path, database, ("ann=greedy", "bob=random", "cid=greedy"), *words)
    assert found["finished"] == 2
    assert all(line["costs"]["races"] == 2 for line in found["standings"])


@pytest.mark.slow
async def test_a_swiss_with_all_that_can_happen(palio, tmp_path, database):
    """A half-point bye, one who stays away, a late entry, a withdrawal, a pause in mid-round, and one round more."""
    async with server_in(tmp_path, db=database, concurrency=1) as server, bots(palio, server.url, *FOUR, "eve=random"):
        await connected(server, *names_of(FOUR), "eve")
        organiser = Organiser(palio, server.url)
        words = ("--format", "swiss", "--rounds", "3", "--grace", "4")
        await organiser("create", *SMALL, *words, "ann=1800", "bob=1700", "cid=1600", "dan=1500", "away=1900", "gone")
        await organiser("withdraw", "1", "gone")
        await organiser("add", "1", "bob", "--bye", "2")
        await organiser("start", "1")
        await until(lambda: server.arena.playing, "a match")  # the round waits for who stays away
        await organiser("pause", "1")
        paused = await organiser.shown()
        assert paused["stage"] == "paused"
        assert paused["round"] == 1
        assert "eve is number 6 of tournament 1, from round 2 on" in await organiser("add", "1", "eve")
        assert "dan has left" in await organiser("withdraw", "1", "dan")
        await organiser("resume", "1")
        await until(lambda: not server.tournaments.directed(), "the end of three rounds", 120)
        await organiser("extend", "1", "--rounds", "4")
        await until(lambda: not server.tournaments.directed(), "the end of four rounds", 120)
        found = await organiser.shown()
    assert (found["stage"], found["round"], found["rounds"]) == ("finished", 4, 4)
    assert "gone" not in found["bots"]
    cells = {line["bot"]: {cell["round"]: cell for cell in line["rounds"]} for line in found["standings"]}
    assert (cells["bob"][2]["how"], cells["bob"][2]["points"]) == ("half-bye", 0.5)
    assert {cell["how"] for cell in cells["away"].values()} <= {"forfeit", "pairing-bye"}
    assert "forfeit" in {cell["how"] for cell in cells["away"].values()}
    assert sorted(cells["eve"]) == [2, 3, 4]
    assert {cells["dan"][round_]["how"] for round_ in (2, 3, 4)} == {"absent"}
    assert {line["bot"]: line["left"] for line in found["standings"]}["dan"]
