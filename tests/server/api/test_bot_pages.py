"""A bot's page over HTTP: who it is, how it stands, and whom it is taken for."""

import pytest

from palio_server.api.bot_reader import BotDetail, BotHistory, BotReport, Profiles
from palio_server.api.rating_reader import RankedGame


@pytest.fixture
async def played(server, client, breakthrough):
    """ann has played bob; both are here."""
    server.join("ann", about="first\nlegal", build="ann.py 1")
    server.join("bob")
    started = (await client.post("/api/matches", json={**breakthrough, "bots": ["ann", "bob"]})).json()
    await server.finished(started["match"])
    return started["match"]


async def test_a_bot_that_has_just_come_has_a_page_at_once(server, client, played, as_type):
    ann = as_type((await client.get("/api/bots/ann")).content, BotDetail)
    assert (ann.about, ann.connected, ann.registered, ann.guest, ann.conflict) == (
        "first legal",
        True,
        False,
        False,
        [],
    )
    assert [each.build for each in ann.builds] == ["ann.py 1"]
    assert ann.first_seen is not None
    (game,) = ann.ratings
    assert (game.game, game.games, sum(each.games for each in game.outcomes)) == ("breakthrough:rows=5,cols=3", 1, 1)


async def test_a_report_has_opponents_openings_and_times(client, played, as_type):
    report = as_type((await client.get("/api/bots/ann/report?game=breakthrough:rows=5,cols=3")).content, BotReport)
    (bob,) = report.opponents
    assert (bob.bot, bob.wins + bob.losses, report.met, report.sample) == ("bob", 1, 1, 1)
    assert bob.expected == pytest.approx(0.5, abs=0.5)
    assert len(report.form) == len(report.openings) == 1
    assert report.times.moves > 0
    assert (await client.get("/api/bots/ann/report?game=ludo")).status_code == 404
    empty = as_type((await client.get("/api/bots/ann/report?game=dominoes")).content, BotReport)
    assert (empty.sample, empty.opponents, empty.times) == (0, [], None)


async def test_a_history_is_that_of_the_most_played_game_and_knows_programs(client, played, as_type):
    history = as_type((await client.get("/api/bots/ann/history")).content, BotHistory)
    assert (history.game, len(history.points), [each.build for each in history.builds]) == (
        "breakthrough:rows=5,cols=3",
        1,
        ["ann.py 1"],
    )
    later = as_type((await client.get("/api/bots/ann/history?since=2999-01-01")).content, BotHistory)
    assert later.points == []
    assert (await client.get("/api/bots/ann/history?since=soon")).status_code == 422


async def test_two_programs_under_one_name_are_said(server, client, as_type):
    server.join("ann", build="ann.py 1")
    server.join("ann", build="ann.py 2")
    ann = as_type((await client.get("/api/bots/ann")).content, BotDetail)
    assert ann.conflict == ["ann.py 1", "ann.py 2"]


async def test_the_leaderboard_marks_a_name_that_two_programs_have(server, client, played, as_type):
    async def disputed():
        return as_type((await client.get("/api/leaderboard/breakthrough:rows=5,cols=3")).content, RankedGame).disputed

    await server.until(lambda: server.store.leaderboard("breakthrough:rows=5,cols=3"))
    assert await disputed() == []
    server.join("ann", build="ann.py 2")
    assert await disputed() == ["ann"]


async def test_the_line_of_a_registered_bot_is_not_a_strangers(server, client, as_type):
    await server.store.add_bot("ann")
    await server.store.set_about("ann", "by its owner")
    server.join("ann", about="by a stranger")
    ann = as_type((await client.get("/api/bots/ann")).content, BotDetail)
    assert (ann.about, ann.registered) == ("by its owner", True)


async def test_an_unknown_name_is_404_with_the_nearest_one(server, client):
    server.join("grace")
    answer = await client.get("/api/bots/grce")
    assert answer.status_code == 404
    assert "did you mean 'grace'" in answer.json()["error"]["reason"]


async def test_the_list_has_who_is_here_first(server, client, played, as_type):
    await server.store.add_bot("zoe")
    server.join("guest-4fx09a", slots=1)
    found = as_type((await client.get("/api/profiles")).content, Profiles)
    assert [(bot.name, bot.connected) for bot in found.bots] == [("ann", True), ("bob", True), ("zoe", False)]
    assert [bot.ratings[0].game for bot in found.bots[:2]] == ["breakthrough:rows=5,cols=3"] * 2
    part = as_type((await client.get("/api/profiles?q=O&limit=1&offset=1")).content, Profiles)
    assert (part.total, [bot.name for bot in part.bots]) == (2, ["zoe"])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("ended=tme", "did you mean 'time'"),
        ("outcome=won", "name it as bot=NAME"),
        ("bot=ann&outcome=wn", "did you mean 'won'"),
        ("since=soon", "write it as 2026-05-31"),
    ],
)
async def test_a_filter_that_is_none_is_refused_with_the_remedy(client, query, words):
    answer = await client.get(f"/api/matches?{query}")
    assert answer.status_code == 422
    assert words in answer.json()["error"]["reason"]


async def test_matches_are_filtered_by_what_they_were_for_a_bot(client, played):
    async def listed(query):
        return [row["id"] for row in (await client.get(f"/api/matches?{query}")).json()]

    assert await listed("bot=ann&against=bob&rated=true") == [played]
    assert await listed("bot=ann&outcome=won") + await listed("bot=ann&outcome=lost") == [played]
    assert await listed("ended=fault") == []
    assert await listed("q=bo") == [played]
    assert await listed("q=nobody") == []
