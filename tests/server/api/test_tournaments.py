"""`/api/tournaments`: events as they stand, and making, entering and changing them."""

from types import SimpleNamespace

import pytest
from made_event import made_round_robin

from palio_db.event_values import EncounterRow, Entry, KeptQuery, Plan, TournamentDraft
from palio_rules.time_control import TimeControl
from palio_server.api.event_items import FormatItem, RoundItem, TournamentDetail, TournamentItem, Why

pytestmark = pytest.mark.usefixtures("podium")

CUP = {"game": "breakthrough", "format": "podium", "bots": ["ann", "bob", "eve"], "options": {"rows": 5, "cols": 3}}


async def test_a_tournament_is_played_to_its_end_by_those_who_are_here(server, client):
    for bot in CUP["bots"]:
        server.join(bot)
    made = (await client.post("/api/tournaments", json=CUP | {"start": True})).json()
    assert made["stage"] == "running"

    async def finished():
        return (await client.get("/api/tournaments/1")).json()["stage"] == "finished"

    await server.until(finished)
    detail = (await client.get("/api/tournaments/1")).json()
    assert (detail["finished"], detail["total"]) == (6, 6)
    assert sum(line["points"] for line in detail["standings"]) == 6
    assert detail["leader"] == detail["standings"][0]["bot"]


async def test_a_pause_takes_off_what_has_not_begun_and_it_goes_on_where_it_was(server, client):
    patient = server.join("ann", patient=True, slots=1)
    for bot in ("bob", "eve"):
        server.join(bot, slots=1)
    await client.post("/api/tournaments", json=CUP | {"start": True})

    async def playing():
        return patient.turns and (await server.store.tournament(1)).running == 1

    await server.until(playing)
    paused = (await client.post("/api/tournaments/1/pause")).json()
    assert (paused["stage"], paused["scheduled"]) == ("paused", 0)
    assert (await client.post("/api/tournaments/1/resume")).json()["stage"] == "running"
    patient.patient = False
    for turn in patient.turns:
        patient.play(turn)

    async def finished():
        row = await server.store.tournament(1)
        return row.stage == "finished" and row.finished == 6

    await server.until(finished)


async def test_an_event_says_what_each_pairing_waits_for_and_has_its_turn_when_another_has_had_one(server, client):
    ann = server.join("ann", patient=True, slots=1)
    for bot in ("bob", "eve"):
        server.join(bot)
    long = CUP | {"bots": ["ann", "bob"], "format": "round_robin", "rules": {"rounds": 9}, "start": True}
    await client.post("/api/tournaments", json=long)

    async def playing():
        return ann.turns and (await server.store.tournament(1)).running == 1

    await server.until(playing)
    await client.post("/api/tournaments", json=long | {"bots": ["ann", "eve"]})

    async def waits(number, *bots):
        detail = (await client.get(f"/api/tournaments/{number}")).json()
        return next((each["why"] for each in detail["waits"] if set(each["bots"]) == {*bots}), None)

    async def told():
        return await waits(2, "ann", "eve")

    to_come = (await server.store.tournament(1)).scheduled
    taken = "1 of 1 slots is in Round robin 1"
    assert await server.until(told) == f"waits for ann: {taken} ({to_come} games to come); its turn is next"
    assert await waits(1, "ann", "bob") == "waits for ann: 1 of 1 slots is in this event; 1 other event comes before"
    ann.patient = False
    ann.play(ann.turns[-1])

    async def begun():
        row = await server.store.tournament(2)
        return row.running + row.finished > 0

    await server.until(begun)
    played = [row for row in await server.store.matches(bot="ann", limit=99) if row.started_at is not None]
    assert [row.tournament for row in sorted(played, key=lambda row: row.started_at)][:2] == [1, 2]


@pytest.fixture
async def played(server):
    """A round robin of three whose matches were all played, without a director."""
    bots = ["ann", "bob", "eve"]
    terms = {"game": "breakthrough", "time": TimeControl(base_ms=10_000), "options": {"rows": 5, "cols": 3}}
    number = await made_round_robin(server.store, "cup", bots, 1, **terms)
    for bot in bots:
        server.join(bot)

    async def over():
        return (await server.store.tournament(number)).finished == 6

    await server.until(over)
    return number


async def test_an_event_has_its_progress_its_standings_and_its_rounds(server, client, as_type, played):
    [item] = as_type((await client.get("/api/tournaments")).content, list[TournamentItem])
    assert (item.id, item.name, sorted(item.bots)) == (played, "cup", ["ann", "bob", "eve"])
    assert (item.total, item.scheduled, item.finished) == (6, 0, 6)
    detail = as_type((await client.get(f"/api/tournaments/{played}")).content, TournamentDetail)
    assert [row.rank for row in detail.standings] == sorted(row.rank for row in detail.standings)
    for row in detail.standings:
        assert set(row.against) == set(item.bots) - {row.bot}
        assert row.wins + row.draws + row.losses == 4
    assert sum(row.points for row in detail.standings) == 6
    assert all(entry.connected for entry in detail.entries)
    found = as_type((await client.get(f"/api/tournaments/{played}/rounds/1")).content, RoundItem)
    assert found.over
    encounter = found.encounters[0]
    why = as_type((await client.get(f"/api/tournaments/{played}/why/{encounter.number}")).content, Why)
    assert all(bot in why.sentences[0] for bot in encounter.bots)


async def test_what_is_not_there_is_named(server, client, played):
    for path, status, words in (
        ("/99", 404, "there is no tournament 99"),
        ("/99/rounds/1", 404, "there is no tournament 99"),
        (f"/{played}/rounds/4", 404, f"tournament {played} has no round 4; round"),
        (f"/{played}/why/99", 404, f"tournament {played} has no encounter 99"),
        ("/x", 422, "number"),
        (f"/{played}/export?format=pdf", 422, "format"),
        ("?stage=over", 422, "stage"),
    ):
        answer = await client.get(f"/api/tournaments{path}")
        assert answer.status_code == status
        assert words in answer.json()["error"]["reason"]


async def test_a_list_can_be_of_one_stage(server, client, played):
    assert [each["id"] for each in (await client.get("/api/tournaments?stage=running")).json()] == [played]
    assert (await client.get("/api/tournaments?stage=finished")).json() == []


async def test_races_have_their_costs_and_grow_with_every_result(server, client, as_type):
    bots, options = ["ann", "bob", "eve"], {"max_actions": 5}
    for bot in bots[:2]:
        server.join(bot, games=["chexers_solo"])
    number = await made_round_robin(server.store, "race", bots, 2, game="chexers_solo", options=options)

    async def standings():
        return as_type((await client.get(f"/api/tournaments/{number}")).content, TournamentDetail).standings

    assert [row.costs for row in await standings()] == [None] * 3
    server.join("eve", games=["chexers_solo"])
    for races in (1, 2):

        async def over(races=races):
            return (await server.store.tournament(number)).finished >= races

        await server.until(over)
        assert {row.costs.races for row in await standings()} <= {races, 2}
    rows = await standings()
    assert [(row.costs.races, row.rank) for row in rows] == [(2, 1)] * 3
    assert {score.draws for row in rows for score in row.against.values()} == {2}


async def test_formats_are_listed_with_what_can_be_chosen(client, as_type, monkeypatch):
    monkeypatch.setattr("palio_server.api.tournaments.formats", lambda: ("podium",))
    [podium] = as_type((await client.get("/api/formats")).content, list[FormatItem])
    assert (podium.name, podium.title, podium.rules["medals"]) == ("podium", "Podium", 3)


async def test_a_tournament_is_made_as_asked(server, client, as_type):
    answer = await client.post("/api/tournaments", json=CUP | {"rules": {"medals": 1}, "rounds": 2, "tc": "10+0.1"})
    assert (answer.status_code, answer.headers["location"]) == (201, "/api/tournaments/1")
    made = as_type(answer.content, TournamentDetail)
    assert (made.stage, made.name, made.worker) == ("open", "Breakthrough, podium", "test")
    assert (made.rules["medals"], made.rules["rounds"]) == (1, 2)
    assert [(entry.bot, entry.number) for entry in made.entries] == [("ann", 1), ("bob", 2), ("eve", 3)]
    assert made.settings["options"] | CUP["options"] == made.settings["options"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"game": "breakthru"}, "breakthrough"),
        ({"format": "podiom"}, "podium"),
        ({"rules": {"medal": 1}}, "medals"),
        ({"medals": 2}, 'it is a rule of podium; write "rules": {"medals": 2}'),
        ({"rows": 8}, 'it is an option of breakthrough; write "options": {"rows": 8}'),
        ({"players": ["ann"]}, '"bots"'),
        ({"rounds": 2, "rules": {"rounds": 2}}, "not both ways"),
        ({"rounds": 0}, "rounds"),
        ({"bots": ["ann", "ann"]}, "'ann' is named twice"),
        ({"bots": ["an n"]}, "'an n' is no name for a bot"),
        ({"ratings": {"zoe": 1500}}, "'zoe' is not among the bots"),
        ({"tc": "soon"}, "is no time control"),
        ({"starts_at": "tomorrow"}, "'tomorrow' is no time to start"),
        ({"starts_at": "+1m", "start": True}, "give `start` or `starts_at`"),
        ({"admits": "all"}, "admits"),
        ({"by_time": True}, "is no race"),
        ({"name": "a\u0007b"}, "cannot be printed"),
        ({"options": {"rows": 1}}, "rows"),
        ({"openings": "file=/etc/passwd"}, "the server reads no files; send the lines of '/etc/passwd' as `book`"),
        ({"book": ["a"]}, 'write "openings": "file=NAME" beside "book"'),
        ({"openings": "file=mine", "book": ["zz-zz"]}, "line 1"),
        ({"openings": "some"}, "--openings 'some'"),
    ],
)
async def test_a_wrong_request_makes_nothing_and_names_the_remedy(server, client, wrong, words):
    answer = await client.post("/api/tournaments", json=CUP | wrong)
    assert answer.status_code in (404, 422)
    assert words in answer.json()["error"]["reason"]
    assert await server.store.tournaments() == []


async def test_a_book_is_sent_and_kept_with_the_tournament(server, client):
    answer = await client.post("/api/tournaments", json=CUP | {"openings": "file=mine", "book": ["a4-a3", "b4-b3"]})
    assert answer.status_code == 201, answer.text
    assert answer.json()["settings"]["openings"]["lines"] == ["a4-a3", "b4-b3"]


async def test_one_that_cannot_start_at_once_is_not_left_open(server, client):
    answer = await client.post("/api/tournaments", json=CUP | {"bots": ["ann"], "start": True})
    assert answer.status_code == 422
    assert "two bots at least" in answer.json()["error"]["reason"]
    assert [row.stage for row in await server.store.tournaments()] == ["cancelled"]


async def test_acts_answer_with_the_event_or_with_the_stage_that_they_need(server, client):
    await client.post("/api/tournaments", json=CUP)
    for path, body in (("pause", {}), ("resume", {})):
        answer = await client.post(f"/api/tournaments/1/{path}", json=body)
        assert answer.status_code == 409
        assert "tournament 1 is open" in answer.json()["error"]["reason"]
    answer = await client.post("/api/tournaments/1/extend", json={"rounds": 5})
    assert (answer.status_code, answer.json()["rules"]["rounds"]) == (200, 5)
    answer = await client.post("/api/tournaments/1/entries", json={"bot": "dan", "rating": 1700, "byes": [2]})
    assert answer.status_code == 201
    assert answer.json()["entries"][3] | {"connected": False} == {
        "bot": "dan", "number": 4, "rating": 1700.0, "joined": 1, "left": None, "byes": [2], "connected": False
    }  # fmt: skip
    answer = await client.delete("/api/tournaments/1/entries/dan")
    assert [entry["bot"] for entry in answer.json()["entries"]] == ["ann", "bob", "eve"]
    assert (await client.delete("/api/tournaments/1/entries/zoe")).status_code == 404
    assert (await client.post("/api/tournaments/1/cancel")).json()["stage"] == "cancelled"
    assert (await client.post("/api/tournaments/1/start")).status_code == 409
    assert (await client.post("/api/tournaments/9/start")).status_code == 404


async def test_whoever_may_enter_is_told_by_token_and_by_what_the_event_admits(guarded_server, client_of):
    store = guarded_server.store
    for name in ("ann", "bob"):
        await store.add_bot(name)
    tokens = {
        "ann": await store.issue_token({"play"}, bot="ann"),
        "bob": await store.issue_token({"play"}, bot="bob"),
        "organiser": await store.issue_token({"matches"}),
    }
    headers = SimpleNamespace(**{name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()})
    async with client_of(guarded_server) as client:
        assert (await client.post("/api/tournaments", json=CUP)).status_code == 401
        assert (await client.post("/api/tournaments", json=CUP, headers=headers.ann)).status_code == 403
        for admits in ("listed", "token"):
            made = CUP | {"bots": [], "admits": admits}
            assert (await client.post("/api/tournaments", json=made, headers=headers.organiser)).status_code == 201

        async def enter(number, whose, **body):
            answer = await client.post(f"/api/tournaments/{number}/entries", json=body, headers=whose)
            return answer.status_code

        assert await enter(1, headers.ann, bot="ann") == 403
        assert await enter(1, headers.organiser, bot="ann", rating=1800) == 201
        assert await enter(2, headers.ann, bot="ann") == 201
        assert await enter(2, headers.ann, bot="bob") == 403
        assert await enter(2, headers.bob, bot="bob", rating=9000) == 403
        assert await enter(2, {}, bot="bob") == 401
        path = "/api/tournaments/2/entries/ann"
        assert (await client.delete(path, headers=headers.bob)).status_code == 403
        assert (await client.delete(path, headers=headers.ann)).status_code == 200


async def test_an_export_is_a_file_of_its_kind(server, client, played):
    for form, kind, first in (
        ("json", "application/json", "{"),
        ("csv", "text/csv; charset=utf-8", "rank,bot,points"),
        ("md", "text/markdown; charset=utf-8", "| "),
        ("trf", "text/plain; charset=utf-8", "012 cup"),
        ("text", "text/plain; charset=utf-8", "["),
    ):
        answer = await client.get(f"/api/tournaments/{played}/export?format={form}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert answer.text.startswith(first)


async def test_an_export_of_games_begins_with_what_is_archived(server, client, played):
    whole = (await client.get(f"/api/tournaments/{played}/export?format=text")).text
    games = whole.count("[Match ")
    [first, *_] = [each async for each in server.store.kept_matches(KeptQuery(tournament=played))]
    await server.store.archive([first], "old.parquet")
    rest = (await client.get(f"/api/tournaments/{played}/export?format=text")).text
    note, _, records = rest.partition("\n\n")
    assert note == "% 1 archived matches are left out: 1 in old.parquet; palio import old.parquet brings them back"
    assert records in whole
    assert records.count("[Match ") == games - 1


@pytest.mark.slow
async def test_a_bye_is_shown_though_it_changes_no_count(server, client):
    entries = (Entry("ann", 1), Entry("bob", 2), Entry("eve", 3))
    draft = TournamentDraft("cup", "breakthrough", "podium", {}, {}, entries, worker="elsewhere", stage="running")
    number = await server.store.create_event(draft)
    assert (await client.get(f"/api/tournaments/{number}")).json()["round"] == 0
    bye = EncounterRow(1, Plan(1, 1, ("eve",), 0, kind="pairing-bye"))
    await server.store.plan(number, [bye], [], "cup")

    async def shown():
        return (await client.get(f"/api/tournaments/{number}")).json()["round"] == 1

    await server.until(shown)


async def test_a_trf_file_makes_a_tournament_and_one_with_results_is_refused(client):
    made = await client.post("/api/tournaments", json={**CUP, "bots": ["ann", "bob"], "ratings": {"ann": 1700.0}})
    text = (await client.get(f"/api/tournaments/{made.json()['id']}/export?format=trf")).text
    wanted = {key: value for key, value in CUP.items() if key not in ("bots", "ratings", "rules", "rounds")}
    answer = await client.post("/api/tournaments", json={**wanted, "format": "swiss", "trf": text, "grace_s": 5})
    assert answer.status_code == 201
    assert [(entry["bot"], entry["rating"]) for entry in answer.json()["entries"]] == [("ann", 1700.0), ("bob", None)]
    assert answer.json()["settings"]["grace_s"] == 5
    ann, bob = (line for line in text.splitlines() if line.startswith("001"))
    played = text.replace(ann, ann.replace(" 0.0 ", " 1.0 ") + "     2 w 1").replace(bob, bob + "     1 b 0")
    answer = await client.post("/api/tournaments", json={**wanted, "format": "swiss", "trf": played})
    assert answer.status_code == 422
    assert "palio pairing next" in answer.json()["error"]["reason"]
    answer = await client.post(
        "/api/tournaments", json={**wanted, "format": "swiss", "trf": text.replace("ann", "a b")}
    )
    assert "'a b' is no name for a bot" in answer.json()["error"]["reason"]
