"""Matches over HTTP: started, stopped, listed, replayed; every refusal names the remedy."""

import io

import pytest
from chess import pgn
from sgfmill import sgf

from palio_rules.records import Record, fault, record_from_text
from palio_rules.time_control import TimeControl
from palio_server.api.matches import MatchDetail, MatchItem, Neighbours
from palio_server.live.replay import Replay


async def start(client, **body):
    answer = await client.post("/api/matches", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["match"]


async def test_a_match_is_started_played_and_can_be_looked_at_from_all_sides(server, client, breakthrough, as_type):
    server.join("ann")
    server.join("bob")
    answer = await client.post(
        "/api/matches", json=breakthrough | {"bots": ["ann", "bob"], "tc": "10+0.1", "event": "cup"}
    )
    match = answer.json()["match"]
    assert answer.headers["location"] == f"/api/matches/{match}"
    assert answer.json() == {"id": match, "match": match, "matches": [match]}
    record = await server.finished(match)
    assert record.setup.time.base_ms == 10_000

    [item] = as_type((await client.get("/api/matches")).content, list[MatchItem])
    assert (item.id, item.status, item.bots, item.event, item.title) == (
        match,
        "finished",
        ["ann", "bob"],
        "cup",
        "Breakthrough",
    )
    assert item.scores == record.result.scores
    detail = as_type((await client.get(f"/api/matches/{match}")).content, MatchDetail)
    assert detail.result == record.result
    assert detail.setup.options["rows"] == 5
    [met] = detail.meetings
    assert (met.first, met.second, met.wins + met.losses) == ("ann", "bob", 1)
    another = await start(client, **breakthrough, bots=["bob", "ann"])
    await server.finished(another)
    again_detail = as_type((await client.get(f"/api/matches/{match}")).content, MatchDetail)
    assert again_detail.neighbours == Neighbours(None, another)
    replay = as_type((await client.get(f"/api/matches/{match}/replay")).content, Replay)
    assert len(replay.views) == len(replay.lines) + 1 == len(record.plies) + 1
    assert [view.ply for view in replay.views] == list(range(len(replay.views)))
    assert replay.summary.result == record.result
    assert replay.summary.view == replay.views[-1]
    assert all(view.scene for view in replay.views)
    again = as_type((await client.get(f"/api/matches/{match}/record")).content, Record)
    assert again == record
    assert fault(again) is None
    text = await client.get(f"/api/matches/{match}/record?format=text")
    assert text.headers["content-type"].startswith("text/plain")
    assert record_from_text(text.text) == record


async def test_lists_say_by_how_many_points_a_match_of_go_was_won_and_of_other_games_what_they_said_before(
    server, client, breakthrough, as_type
):
    server.join("ann", ("breakthrough", "go"))
    server.join("bob", ("breakthrough", "go"))
    go = {"game": "go", "options": {"size": 1, "komi": 3.5}}
    counted = await start(client, **go, bots=["ann", "bob"])
    assert (await server.finished(counted)).result.detail == "White wins by 3.5 points"
    other = await start(client, **breakthrough, bots=["ann", "bob"])
    await server.finished(other)
    for path in ("/api/matches", "/api/matches?bot=bob&status=finished", "/api/matches?q=ann"):
        found = as_type((await client.get(path)).content, list[MatchItem])
        assert {item.id: item.detail for item in found} == {counted: "White wins by 3.5 points", other: None}
    detail = as_type((await client.get(f"/api/matches/{counted}")).content, MatchDetail)
    assert detail.detail == detail.result.detail
    page = await client.get(f"/match/{counted}")
    assert "bob wins: White wins by 3.5 points after 2 plies" in page.text


async def test_time_odds_are_asked_for_by_name_and_told_by_seat(server, client, breakthrough, as_type):
    server.join("ann")
    server.join("bob")
    body = breakthrough | {"bots": ["ann", "bob"], "times": {"bob": "5/3"}}
    body["time"] = {"base_ms": 10_000, "increment_ms": 100, "margin_ms": 70}
    refused = await client.post("/api/matches", json=body | {"times": {"bib": "5"}})
    assert (refused.status_code, "is none of the bots; " in refused.text) == (422, True)
    match = await start(client, **body)
    record = await server.finished(match)
    own = [TimeControl.parse("10+0.1", margin_ms=70), TimeControl.parse("5/3", margin_ms=70)]
    assert [*record.setup.clocks()] == own
    [item] = as_type((await client.get("/api/matches")).content, list[MatchItem])
    replay = as_type((await client.get(f"/api/matches/{match}/replay")).content, Replay)
    assert (item.times, [*replay.summary.times]) == (own, own)
    assert replay.views[0].clocks_ms == [10_000, 3_000]


async def test_a_match_in_progress_can_be_replayed_as_far_as_it_has_come(server, client, breakthrough, as_type):
    ann, bob = server.join("ann", patient=True), server.join("bob", patient=True)
    match = await start(client, **breakthrough, bots=["ann", "bob"], opening_plies=2)

    async def asked():
        return ann.turns

    await server.until(asked)
    ann.play(ann.turns[-1])

    async def answered():
        return bob.turns

    await server.until(answered)
    replay = as_type((await client.get(f"/api/matches/{match}/replay")).content, Replay)
    assert [view.ply for view in replay.views] == [0, 1, 2, 3]
    assert [line.ms is None for line in replay.lines] == [True, True, False]
    assert replay.summary.result is None
    record = await client.get(f"/api/matches/{match}/record")
    assert record.status_code == 409
    assert "not finished" in record.text or "before it is finished" in record.text
    answer = await client.post(f"/api/matches/{match}/stop", json={"reason": "rain"})
    assert answer.json() == {"match": match, "how": "adjudicated"}
    result = (await server.finished(match)).result
    assert (result.termination, result.reason) == ("adjudicated", "rain")
    again = await client.post(f"/api/matches/{match}/stop")
    assert again.status_code == 409
    assert again.json()["error"]["code"] == "over"


async def test_a_match_that_waits_can_be_seen_and_taken_off_the_list(server, client, breakthrough, as_type):
    server.join("ann", slots=1, patient=True)
    server.join("bob", slots=1, patient=True)
    first = await start(client, **breakthrough, bots=["ann", "bob"])
    second = await start(client, **breakthrough, bots=["ann", "bob"])

    async def running():
        return first in server.arena.playing()

    await server.until(running)
    replay = as_type((await client.get(f"/api/matches/{second}/replay")).content, Replay)
    assert len(replay.views) == 1
    answer = await client.post(f"/api/matches/{second}/stop", json={})
    assert answer.json()["how"] == "aborted"
    assert (await server.store.match(second)).status == "aborted"
    replay = as_type((await client.get(f"/api/matches/{second}/replay")).content, Replay)
    assert replay.summary.result.reason == "aborted", "nobody waits for it any more"


async def test_rounds_play_every_opening_twice_with_the_sides_swapped(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    body = breakthrough | {"bots": ["ann", "bob"], "rounds": 4, "opening_plies": 3, "st": 0.5}
    ids = (await client.post("/api/matches", json=body)).json()["matches"]
    setups = [(await server.store.match(match)).setup for match in ids]
    assert [setup.bots for setup in setups] == [("ann", "bob"), ("bob", "ann")] * 2
    assert setups[0].opening == setups[1].opening != setups[2].opening == setups[3].opening
    assert all(setup.time.move_ms == 500 for setup in setups)


@pytest.mark.parametrize(
    ("change", "status", "code", "says"),
    [
        ({"bots": ["ann", "zoe"]}, 409, "bots-missing", "zoe is not connected; connected for breakthrough: ann, bob"),
        ({"bots": ["ann", "dot"]}, 409, "bots-missing", "dot does not play breakthrough"),
        ({"bots": ["ann", "ann"]}, 422, "bad-bots", "named twice"),
        ({"bots": ["ann"]}, 422, "bad-bots", "2 seats"),
        ({"bots": "ann"}, 422, "bad-value", "bots"),
        ({"game": "braekthrough"}, 404, "unknown-game", "did you mean 'breakthrough'?"),
        ({"oponing_plies": 2}, 422, "unknown-key", "did you mean 'opening_plies'?"),
        ({"options": {"row": 5}}, 422, "bad-option", "did you mean 'rows'?"),
        ({"options": {"rows": 99}}, 422, "bad-option", "rows=99"),
        ({"tc": "soon"}, 422, "bad-option", "'soon' is no time control"),
        ({"st": "0"}, 422, "bad-option", "no time to think"),
        ({"time": {"base_ms": 1000}, "tc": "10"}, 422, "bad-value", "not both"),
        ({"rounds": 0}, 422, "bad-value", "rounds"),
        ({"opening_plies": 60}, 422, "bad-option", "too few openings"),
        ({"seed": -1}, 422, "bad-value", "seed"),
    ],
)
async def test_a_request_that_does_not_fit_is_refused_with_the_remedy(
    server, client, breakthrough, change, status, code, says
):
    for name in ("ann", "bob"):
        server.join(name)
    server.join("dot", games=["dominoes"])
    answer = await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]} | change)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert says in error["reason"]
    assert await server.store.matches() == []


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"time": "10+0.1"}, "bad-value", """time: an object is wanted, got '10+0.1'; write "tc": "10+0.1" (sec"""),
        ({"time": {"base": 10}}, "bad-value", "time: unknown key 'base'; did you mean 'base_ms'?"),
        ({"time": {"base_ms": "9"}}, "bad-value", "time.base_ms: a whole number is wanted, got '9'; write "),
        ({"tc": 10}, "bad-value", """tc: a text is wanted, got 10; write "tc": "10+0.1", seconds+increment"""),
        ({"time_control": "10+0.1"}, "unknown-key", """unknown key 'time_control'; write "tc": "10+0.1" (seconds"""),
        ({"bots": "ann,bob"}, "bad-value", """bots: a list is wanted, got 'ann,bob'; write "bots": ["ann", "bob"];"""),
        ({"bots": [{"name": "ann"}]}, "bad-value", "bots[0]: a text is wanted, got {'name': 'ann'}; write \"bots\""),
        ({"players": ["ann"]}, "unknown-key", "unknown key 'players'; write \"bots\": ["),
        ({"options": "rows=8"}, "bad-value", "options: an object is wanted, got 'rows=8'; write \"options\": {"),
        ({"rows": 8}, "unknown-key", 'it is an option of breakthrough; write "options": {"rows": 8}'),
        ({"game": "breakthrough:rows=8"}, "unknown-game", "write 'breakthrough', settings go into options"),
        ({"game": None}, "bad-value", 'game: a text is wanted, got null; write "game": "breakthrough"'),
        ({"rounds": 101}, "bad-value", 'rounds: a whole number <= 100 is wanted, got 101; write "rounds": 10'),
        ({"concurrency": 2}, "unknown-key", "unknown key 'concurrency'; known: bots, by_time, event,"),
    ],
)  # fmt: skip
async def test_what_is_often_written_otherwise_is_told_how_it_is_written(client, breakthrough, change, code, says):
    error = (await client.post("/api/matches", json=breakthrough | {"bots": ["ann", "bob"]} | change)).json()["error"]
    assert error["code"] == code
    assert says in error["reason"]


async def test_what_is_missing_is_named_and_shown(client):
    error = (await client.post("/api/matches", json={"game": "dominoes"})).json()["error"]
    assert error == {
        "code": "bad-value",
        "reason": 'bots is missing; write "bots": ["ann", "bob"]; /api/bots lists them',
    }


async def test_lists_are_filtered_and_paged(server, client, breakthrough):
    server.join("ann")
    server.join("bob")
    server.join("eve")
    ids = [await start(client, **breakthrough, bots=bots) for bots in (["ann", "bob"], ["ann", "eve"], ["eve", "bob"])]
    for match in ids:
        await server.finished(match)

    async def listed(query):
        answer = await client.get(f"/api/matches?{query}")
        return [item["id"] for item in answer.json()], answer.links.get("next", {}).get("url")

    assert await listed("") == (ids[::-1], None)
    assert (await listed("bot=ann"))[0] == [ids[1], ids[0]]
    assert (await listed("status=scheduled"))[0] == []
    assert (await listed("game=dominoes"))[0] == []
    page, following = await listed("limit=2&game=breakthrough")
    assert page == ids[:0:-1]
    rest = await client.get(following)
    assert [item["id"] for item in rest.json()] == [ids[0]]
    assert "link" not in rest.headers
    for query, code in {"status=done": "bad-value", "limit=0": "bad-value", "bots=ann": "unknown-parameter"}.items():
        answer = await client.get(f"/api/matches?{query}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)


@pytest.mark.parametrize("path", ["", "/replay", "/record"])
async def test_an_unknown_match_is_not_found(client, path):
    answer = await client.get(f"/api/matches/nope{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-match")


async def test_an_unknown_match_cannot_be_stopped(client):
    assert (await client.post("/api/matches/nope/stop")).status_code == 404


async def test_where_tokens_are_required_starting_and_stopping_needs_one_with_the_scope(
    guarded_server, client_of, breakthrough
):
    server = guarded_server
    server.join("ann")
    server.join("bob")
    await server.store.add_bot("ann")
    may, may_not = await server.store.issue_token({"matches"}), await server.store.issue_token({"play"}, "ann")
    body = breakthrough | {"bots": ["ann", "bob"]}
    async with client_of(server, "localhost") as client:
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": "Basic d3Jvbmc="}, 401),
            ({"Authorization": f"Bearer {may_not}"}, 403),
            ({"Authorization": f"Bearer {may}"}, 201),
        ):
            answer = await client.post("/api/matches", json=body, headers=headers)
            assert answer.status_code == status, answer.text
            if status == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
        match = answer.json()["match"]
        assert (await client.post(f"/api/matches/{match}/stop")).status_code == 401
        assert (await client.get("/api/matches")).status_code == 200, "reading is free"


@pytest.mark.parametrize(
    ("game", "options", "form", "kind"),
    [("chess", {}, "pgn", "application/vnd.chess-pgn"), ("go", {"size": 5}, "sgf", "application/x-go-sgf")],
)
async def test_a_match_is_had_in_the_form_that_other_programs_of_its_game_read(
    server, client, game, options, form, kind
):
    server.join("ann", (game,))
    server.join("bob", (game,))
    match = await start(client, game=game, options=options, bots=["ann", "bob"], max_plies=6)
    record = await server.finished(match)
    texts = {item["name"]: item["texts"] for item in (await client.get("/api/games")).json()}
    assert (texts[game], texts["dominoes"]) == (["text", form], ["text"])
    answer = await client.get(f"/api/matches/{match}/record?format={form}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, f"{kind}; charset=utf-8")
    if form == "pgn":
        read = pgn.read_game(io.StringIO(answer.text))
        assert (read.headers["White"], [str(move) for move in read.mainline_moves()]) == (
            "ann",
            [ply.move for ply in record.plies],
        )
    else:
        read = sgf.Sgf_game.from_bytes(answer.content)
        assert (read.get_player_name("b"), len(read.get_main_sequence())) == ("ann", len(record.plies) + 1)
    other = "sgf" if form == "pgn" else "pgn"
    refused = await client.get(f"/api/matches/{match}/record?format={other}")
    assert (refused.status_code, refused.json()["error"]["reason"]) == (
        409,
        f"a match of {game} cannot be written as {other}; it can as text or {form}",
    )
