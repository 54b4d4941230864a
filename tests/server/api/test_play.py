"""People at tables, over HTTP: who is let sit down, who is waited for, and when a table is closed."""

import pytest
from msgspec import UNSET

from palio_db.errors import Unavailable
from palio_server.arena import table as table_module
from palio_server.arena.table import BURST

AGAINST = {"game": "breakthrough", "opponents": [{"bot": "bob"}]}


async def opened(client, **body):
    answer = await client.post("/api/play", json={**AGAINST, "seat": 0, **body})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def state_of(client, table):
    answer = await client.get(f"/api/play/{table['table']}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def sits_down(server, table):
    return server.join(table["name"], slots=1)


def bearer(table):
    return {"Authorization": f"Bearer {table['token']}"}


async def test_the_match_begins_when_the_guest_has_come_and_is_not_rated(server, client):
    server.join("bob")
    table = await opened(client)
    assert (await state_of(client, table)) == {
        "table": table["table"],
        "game": "breakthrough",
        "match": None,
        "waiting": [f"{table['name']} is not here"],
        "closed": None,
    }
    assert await server.access.guests.proves(table["name"], table["token"])
    sits_down(server, table)
    match = await server.until(lambda: match_of(client, table))
    record = await server.finished(match)
    assert (record.setup.bots, record.setup.rated) == ((table["name"], "bob"), False)
    assert (await server.store.leaderboard("breakthrough")).leaders == []
    assert await server.store.recount() == []


async def match_of(client, table):
    return (await state_of(client, table))["match"]


async def test_who_leaves_bots_ends_the_match_for_them(server, client):
    server.join("bob", patient=True)
    table = await opened(client)
    sits_down(server, table)
    match = await server.until(lambda: match_of(client, table))
    await server.until(lambda: status_of(server, match, "running"))
    await client.post(f"/api/play/{table['table']}/leave", headers=bearer(table))
    await server.until(lambda: status_of(server, match, "aborted"))


async def status_of(server, match, wanted):
    return (await server.store.match(match)).status == wanted


async def test_matches_of_people_take_no_room_of_others(server, client):
    server.arena._concurrency = 0
    server.join("bob")
    table = await opened(client)
    sits_down(server, table)
    await server.finished(await server.until(lambda: match_of(client, table)))


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"opponents": [{"bot": "eve"}]}, 409, "eve is not connected"),
        ({"opponents": [{"bot": "guest-x"}]}, 409, "guest-x is not connected"),
        ({"opponents": [{"bot": "goer"}]}, 409, "goer does not play breakthrough"),
        ({"opponents": [{"house": "planner"}]}, 409, "the house has no bot 'planner' for breakthrough"),
        ({"opponents": [{"house": "greedy"}] * 2}, 422, "name 1 opponents, 2 are named"),
        ({"opponents": [{}]}, 422, "exactly one of them"),
        ({"opponents": [{"bot": "bob", "friend": True}]}, 422, "exactly one of them"),
        ({"seat": 2}, 422, "there is no seat 2"),
        ({"state": "nonsense"}, 422, "a position ends in"),
        ({"tc": "soon"}, 422, "'soon' is no time control"),
        ({"name": "a b"}, 422, "is no name for a guest"),
        ({"game": "ludo"}, 404, "ludo"),
        ({"rated": True}, 401, "only who has an account is rated"),
        ({"rated": True, "state": "x"}, 422, "leave `state` out"),
        ({"options": {"rows": 99}}, 422, "rows"),
    ],
)
async def test_what_cannot_be_had_is_refused_with_a_sentence(server, client, body, status, reason):
    server.join("bob")
    server.join("goer", games=["dominoes"])
    answer = await client.post("/api/play", json={**AGAINST, **body})
    assert answer.status_code == status
    assert reason in answer.json()["error"]["reason"]


async def test_a_server_without_guests_has_tables_for_those_with_an_account_only(guarded_server, client_of):
    server = guarded_server
    server.join("bob")
    async with client_of(server) as client:
        assert (await client.get("/api/play")).json() == {"house": [], "limit": 0, "tables": 0, "guests": False}
        answer = await client.post("/api/play", json=AGAINST)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no-guests")
        await server.store.add_bot("ada")
        token = await server.store.issue_token(["play"], "ada")
        table = (
            await client.post("/api/play", json={**AGAINST, "rated": True}, headers=bearer({"token": token}))
        ).json()
        assert (table["name"], table["rated"]) == ("ada", True)
        assert server.lobby.is_unlisted("ada")
        server.join("ada", slots=1)
        record = await server.finished(await server.until(lambda: match_of(client, table)))
        assert record.setup.rated
        refused = await client.post(f"/api/play/{table['table']}/again", json={"state": "x"}, headers=bearer(table))
        assert (refused.status_code, "rated" in refused.text) == (409, True)
        await client.post(f"/api/play/{table['table']}/leave", headers=bearer(table))
        assert not server.lobby.is_unlisted("ada")


async def test_a_guest_is_named_in_no_match_or_event_of_others(server, client):
    server.join("bob")
    table = await opened(client)
    sits_down(server, table)
    answer = await client.post("/api/matches", json={"game": "breakthrough", "bots": [table["name"], "bob"]})
    assert (answer.status_code, "is not connected" in answer.text) == (409, True)
    event = {"name": "cup", "game": "breakthrough", "format": "round_robin", "bots": ["bob", table["name"]]}
    answer = await client.post("/api/tournaments", json=event)
    assert (answer.status_code, "enter no events" in answer.text) == (422, True)


async def test_a_table_is_closed_when_its_guest_never_comes(server, client):
    server.join("bob")
    table = await opened(client)
    server.tables.table(table["table"]).opened_at -= table_module.HELLO_S
    await server.tables._look()
    assert (await state_of(client, table))["closed"] == "an expected player has not come"
    answer = await client.post(f"/api/play/{table['table']}/again", headers=bearer(table))
    assert (answer.status_code, "this table is closed" in answer.text) == (404, True)


async def test_a_friend_has_longer_to_come_and_then_the_guest_has_to(server, client):
    table = await opened(client, opponents=[{"friend": True}])
    kept = server.tables.table(table["table"])
    kept.opened_at -= table_module.HELLO_S
    await server.tables._look()
    assert (await state_of(client, table))["waiting"] == [f"{table['name']} is not here", "a friend"]
    joined = await client.post(f"/api/play/{table['invites'][0]['code']}/join", json={"name": "bob"})
    assert (joined.status_code, joined.json()["seat"]) == (201, 1)
    assert (await state_of(client, table))["closed"] is None
    kept.opened_at -= table_module.HELLO_S
    await server.tables._look()
    assert (await state_of(client, table))["closed"]
    late = await client.post(f"/api/play/{table['invites'][0]['code']}/join")
    assert (late.status_code, "ask for a new one" in late.text) == (404, True)


async def test_a_table_whose_house_bot_cannot_be_started_says_why(server, client, monkeypatch):
    async def start(entrant):
        raise OSError("no memory")

    monkeypatch.setattr(server.tables.house, "_start", start)
    table = await opened(client, opponents=[{"house": "greedy"}])

    async def closed():
        await server.tables._look()
        return (await state_of(client, table))["closed"]

    assert "house-greedy could not be started: no memory" in await server.until(closed)


async def test_a_house_bot_that_is_given_up_forfeits_at_once(server, client):
    table = await opened(client, opponents=[{"house": "greedy"}])
    server.join("house-greedy", slots=1, patient=True)
    sits_down(server, table)
    match = await server.until(lambda: match_of(client, table))

    async def playing():
        return match in server.arena.playing()

    await server.until(playing)
    server.tables.house.on_failure("house-greedy", "it crashed three times")
    record = await server.finished(match)
    assert (record.result.termination, record.result.seat) == ("crashed", 1)
    assert "it crashed three times" in record.result.detail


async def test_only_who_sits_there_leaves_or_plays_again(server, client):
    server.join("bob")
    table = await opened(client)
    for what in ("again", "leave"):
        for headers in ({}, {"Authorization": "Bearer guest_other"}):
            answer = await client.post(f"/api/play/{table['table']}/{what}", headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not-yours")
        assert (await client.post(f"/api/play/nowhere/{what}", headers=bearer(table))).status_code == 404
    assert (await client.get("/api/play/nowhere")).status_code == 404
    left = await client.post(f"/api/play/{table['table']}/leave", headers=bearer(table))
    assert left.json()["closed"] == "left"


async def test_a_race_begins_again_with_its_instance_or_a_new_one(server, client):
    table = await opened(client, game="chexers_solo", opponents=[], options={"pieces": 2})
    kept, headers = server.tables.table(table["table"]), bearer(table)
    boards = [kept.setup.options]
    for body in ({"same": True}, {}, {"same": True}):
        assert (await client.post(f"/api/play/{table['table']}/again", json=body, headers=headers)).status_code == 200
        boards.append(kept.setup.options)
    assert boards[0] == boards[1] != boards[2] == boards[3]
    refused = await client.post(f"/api/play/{table['table']}/again", json={"state": "x"}, headers=headers)
    assert (refused.status_code, "take `same` and play your moves again" in refused.text) == (422, True)


async def test_too_many_tables_at_once_are_refused(server, client):
    server.join("bob")
    for _ in range(BURST):
        await opened(client, opponents=[{"friend": True}])
    answer = await client.post("/api/play", json=AGAINST)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "5")


@pytest.mark.slow
async def test_a_table_waits_for_a_database_that_is_away(server, client, monkeypatch):
    server.join("bob")
    table = await opened(client)
    enqueue_first, failed = server.arena.enqueue_first, []

    async def away_once(*args):
        if not failed:
            failed.append(args)
            raise Unavailable("gone for a while")
        return await enqueue_first(*args)

    monkeypatch.setattr(server.arena, "enqueue_first", away_once)
    sits_down(server, table)
    assert await server.until(lambda: match_of(client, table))
    assert failed


async def test_another_game_has_another_house_bot_if_somebody_else_has_taken_the_first(server, client):
    table = await opened(client, opponents=[{"house": "greedy"}])
    server.join("house-greedy", slots=1)
    sits_down(server, table)
    await server.finished(await server.until(lambda: match_of(client, table)))
    other = await opened(client, opponents=[{"house": "greedy"}])
    assert server.tables.table(other["table"]).house == ["house-greedy"]
    assert (await client.post(f"/api/play/{table['table']}/again", headers=bearer(table))).status_code == 200
    assert server.tables.table(table["table"]).house == ["house-greedy.2"]
    assert (await state_of(client, table))["waiting"] == ["house-greedy.2 starts"]


async def test_a_table_is_kept_for_another_game_but_not_for_ever(server, client):
    server.join("bob")
    table = await opened(client)
    sits_down(server, table)
    await server.finished(await server.until(lambda: match_of(client, table)))
    await server.tables._look()
    kept = server.tables.table(table["table"])
    assert not kept.closed
    kept.over_at -= table_module.HELLO_S
    await server.tables._look()
    assert not kept.closed
    kept.over_at -= table_module.KEPT_S
    await server.tables._look()
    assert kept.closed == "no player has asked for another game"


async def test_the_house_is_listed_with_levels_and_what_is_in_use(server, client):
    await opened(client, opponents=[{"house": "greedy"}])
    info = (await client.get("/api/play")).json()
    assert (info["limit"], info["tables"], info["guests"]) == (4, 1, True)
    assert {"name": "random", "level": 1}.items() <= info["house"][0].items()
    for _ in range(3):
        await opened(client, opponents=[{"house": "greedy"}])
    answer = await client.post("/api/play", json={**AGAINST, "opponents": [{"house": "random"}]})
    assert (answer.status_code, "4 tables are in use against the house's bots" in answer.text) == (429, True)


async def test_a_table_whose_people_have_left_after_the_game_is_not_kept_for_long(server, client):
    server.join("bob")
    table = await opened(client)
    sits_down(server, table)
    await server.finished(await server.until(lambda: match_of(client, table)))
    [session] = server.lobby.connections(table["name"])
    server.lobby.leave(session)
    kept = server.tables.table(table["table"])
    await server.tables._look()
    assert not kept.closed
    kept.over_at -= table_module.HELLO_S
    await server.tables._look()
    assert kept.closed


# --- no help between people -------------------------------------------------------------------------------------------


async def two_at_a_table(server, client):
    """Two people in a match, the first one to move: their tables, the match, and the position."""
    host = await opened(client, opponents=[{"friend": True}])
    answer = await client.post(f"/api/play/{host['invites'][0]['code']}/join")
    friend = answer.json()
    players = [server.join(each["name"], patient=True, slots=1) for each in (host, friend)]
    match = await server.until(lambda: match_of(client, host))

    async def asked():
        return players[0].turns

    turn = (await server.until(asked))[0]
    return host, friend, match, turn.state


async def test_people_may_agree_on_a_draw_and_a_person_and_a_bot_may_not(server, client):
    server.join("bob", games=["chess"])
    for opponent, offers in (({"friend": True}, True), ({"bot": "bob"}, UNSET)):
        table = await opened(client, game="chess", opponents=[opponent])
        found = server.tables.table(table["table"])
        assert found.setup.draw_offers is offers


async def hint_for(client, state, headers=None):
    return await client.post("/api/games/breakthrough/hint", json={"state": state, "depth": 1}, headers=headers)


async def test_nobody_is_given_a_hint_for_a_position_in_which_people_play_each_other(server, client):
    host, friend, match, state = await two_at_a_table(server, client)
    for headers in (None, bearer(host), bearer(friend)):
        answer = await hint_for(client, state, headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "between-people")
        assert answer.json()["error"]["reason"].endswith("ask again after their match")
    server.arena.stop(match, "enough")
    await server.finished(match)
    assert (await hint_for(client, state)).status_code == 200


async def test_positions_of_a_match_between_people_can_be_tried_after_its_end(server, client):
    *_, match, _ = await two_at_a_table(server, client)
    answer = await client.get(f"/api/matches/{match}/positions/0")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "between-people")
    server.arena.stop(match, "enough")
    await server.finished(match)
    assert (await client.get(f"/api/matches/{match}/positions/0")).status_code == 200


async def test_who_plays_bots_alone_is_advised_in_the_same_position(server, client):
    *_, state = await two_at_a_table(server, client)
    server.join("bob")
    alone = await opened(client)
    assert (await hint_for(client, state, bearer(alone))).status_code == 200


async def test_no_bot_is_asked_to_play_on_from_where_people_stand(server, client):
    *_, state = await two_at_a_table(server, client)
    server.join("bob")
    answer = await client.post("/api/play", json={**AGAINST, "state": state})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "between-people")
