"""`/api/admin`: an operator reads all servers, pauses them, and drains one; others are refused."""

import asyncio
import logging

import pytest

from palio_db.pausing import is_paused
from palio_db.values import Actor
from palio_rules.errors import BadOption
from palio_rules.records.record import Setup
from palio_server.api.app import create_app
from palio_server.health import HealthWatch
from palio_server.lobby.other_servers import NoAnswer, NoOtherServers
from palio_server.operating import Draining, Operating, ServerFigures

OPERATOR = Actor("ops", None, "127.0.0.1")


def setup(*bots, seed=1):
    return Setup("breakthrough", bots, options={"rows": 5, "cols": 3}, seed=seed)


async def schedule(server, *bots):
    return await server.arena.schedule(setup(*bots))


async def settled():
    """Let all tasks that can go on do so."""
    for _ in range(200):
        await asyncio.sleep(0)


async def test_each_operation_needs_a_token_of_scope_admin(guarded_server, client_of):
    tokens = {scope: await guarded_server.store.issue_token([scope]) for scope in ("matches", "watch", "admin")}
    asked = [("GET", "/api/admin"), ("GET", "/api/admin/audit"), ("POST", "/api/admin/pause")]
    asked += [("POST", "/api/admin/resume"), ("POST", "/api/admin/servers/palio/resume")]
    async with client_of(guarded_server) as client:
        for method, path in asked:
            assert (await client.request(method, path)).status_code == 401, path
            for scope, token in tokens.items():
                answer = await client.request(method, path, headers={"Authorization": f"Bearer {token}"})
                assert answer.status_code == (200 if scope == "admin" else 403), (path, scope, answer.text)


async def test_a_server_tells_its_matches_queues_and_counts(server, client):
    server.join("ann", patient=True)
    server.join("bob", patient=True)
    running = await schedule(server, "ann", "bob")
    await schedule(server, "carol", "dan")
    await server.until(lambda: _playing(server, running))
    found = (await client.get("/api/admin")).json()
    (own,) = found["servers"]
    assert found["here"] == own["worker"] == "palio"
    assert found["scheduled"] == 1
    assert not found["paused"]
    assert (own["state"], own["health"], own["bots"], own["playing"]) == ("plays", "ok", 2, 1)
    assert own["matches"] == [running]
    assert own["queues"]["claims"] == 0


async def _playing(server, match):
    return match in server.arena.playing()


async def test_a_client_that_meets_a_limit_is_named_with_it(server, client):
    for _ in range(3):
        server.lobby.connection_counts.budgets.take("name hasty", 20.0)
    (own,) = (await client.get("/api/admin")).json()["servers"]
    hellos = next(each for each in own["limits"] if each["name"] == "hellos of a bot")
    assert (hellos["rate"], hellos["burst"]) == (0.5, 20.0)
    assert [(each["who"], each["times"]) for each in hellos["met"]] == [("name hasty", 2)]


async def test_the_last_error_of_the_log_is_kept_while_it_listens(server):
    with Operating(server, HealthWatch(server)) as operating:
        assert operating.figures().last_error is None
        logging.getLogger("palio_server.arena").error("match %s is left alone", "m1")
        logging.getLogger("palio_server.arena").warning("this is no error")
        found = operating.figures()
        assert found.errors == 1
        assert found.last_error.text == "match m1 is left alone"
    logging.getLogger("palio_server.arena").error("after the end")
    assert operating.figures().errors == 1


@pytest.mark.parametrize("others", [[], [logging.NullHandler()]])
async def test_while_it_listens_warnings_without_another_handler_reach_stderr(server, monkeypatch, capsys, others):
    monkeypatch.setattr(logging.root, "handlers", others)
    with Operating(server, HealthWatch(server)), Operating(server, HealthWatch(server)):  # two servers in one process
        for write in (logging.getLogger("palio_server.network").warning, logging.getLogger("palio_server").error):
            write("%s wrote nonsense", "ann")
        logging.getLogger("palio_server.network").info("ann is here")
    assert capsys.readouterr().err == ("" if others else "ann wrote nonsense\n" * 2)


async def test_while_paused_no_new_match_begins_and_running_ones_end(server, client):
    server.join("ann", patient=True, slots=1)
    bob = server.join("bob", patient=True, slots=1)
    first = await schedule(server, "ann", "bob")
    await server.until(lambda: _playing(server, first))
    assert (await client.post("/api/admin/pause")).json() == {"paused": True, "changed": True}
    assert (await client.post("/api/admin/pause")).json() == {"paused": True, "changed": False}
    server.join("carol")
    server.join("dan")
    second = await schedule(server, "carol", "dan")
    await settled()
    assert server.arena.playing() == [first]
    assert (await server.store.match(second)).status == "scheduled"
    _play_on(server, bob)
    await server.finished(first)
    assert (await client.post("/api/admin/resume")).json() == {"paused": False, "changed": True}
    await server.finished(second)
    acts = [each["act"] for each in (await client.get("/api/admin/audit?limit=2")).json()]
    assert acts == ["servers resumed", "servers paused"]


def _play_on(server, *players):
    for session in server.lobby.sessions():
        player = session.link
        player.patient = False
        for turn in player.turns:
            player.play(turn)


async def test_the_pause_is_kept_in_the_database_for_servers_that_start_later(server):
    assert await server.store.set_paused(OPERATOR, paused=True)
    assert is_paused(await server.store.changes())
    assert await server.store.set_paused(OPERATOR, paused=False)
    assert not is_paused(await server.store.changes())
    assert not await server.store.set_paused(OPERATOR, paused=False)


async def test_a_drained_server_ends_its_matches_and_begins_no_other(server):
    stopped = []
    operating = Operating(server, HealthWatch(server), stop=lambda: stopped.append(True))
    server.join("ann", patient=True, slots=1)
    bob = server.join("bob", patient=True, slots=1)
    server.join("carol")
    server.join("dan")
    first = await schedule(server, "ann", "bob")
    await server.until(lambda: _playing(server, first))
    task = asyncio.create_task(operating.run())
    operating.drain(Draining(then="stop"))
    second = await schedule(server, "carol", "dan")
    await settled()
    assert operating.figures().state == "draining"
    assert (await server.store.match(second)).status == "scheduled"
    assert not stopped
    _play_on(server, bob)
    await server.finished(first)
    await server.until(lambda: _is(operating, "drained"))
    assert stopped == [True]
    operating.drain(None)
    await server.finished(second)
    assert operating.figures().state == "plays"
    task.cancel()


async def _is(operating, state):
    return operating.figures().state == state


async def test_matches_are_not_handed_over_where_no_server_can_take_them(server, client):
    answer = await client.post("/api/admin/servers/palio/drain", json={"matches": "hand_over"})
    assert answer.status_code == 422
    assert "no other server can go on" in answer.json()["error"]["reason"]
    assert not server.arena.draining


class Two(NoOtherServers):
    """Another server, called `second`."""

    def __init__(self):
        self.drained, self.refusal = [], None

    async def figures(self):
        return [ServerFigures("second", "referee", "1.0", "silent", reason="it does not answer")]

    async def drain(self, worker, how):
        if self.refusal:
            raise self.refusal
        self.drained.append((worker, how))
        return worker == "second"


async def test_another_server_is_drained_through_this_one(server, client):
    server.others = Two()
    names = [each["worker"] for each in (await client.get("/api/admin")).json()["servers"]]
    assert names == ["palio", "second"]
    answer = await client.post("/api/admin/servers/second/drain", json={"then": "stop"})
    assert answer.json() == {"worker": "second", "draining": True}
    assert server.others.drained == [("second", Draining(then="stop"))]
    (line,) = (await client.get("/api/admin/audit?limit=1")).json()
    told = (line["act"], line["what"], line["detail"])
    assert told == ("server drained", "server second", "matches: end, then: stop")
    unknown = await client.post("/api/admin/servers/secnd/resume")
    assert unknown.status_code == 404
    assert "'second'" in unknown.json()["error"]["reason"]


@pytest.mark.parametrize(
    ("refusal", "status"), [(NoAnswer("the server second does not answer"), 409), (BadOption("it is a gateway"), 422)]
)
async def test_a_server_that_refuses_or_is_silent_is_not_noted_as_drained(server, client, refusal, status):
    server.others = Two()
    server.others.refusal = refusal
    answer = await client.post("/api/admin/servers/second/drain", json={})
    assert answer.status_code == status
    assert str(refusal) in answer.json()["error"]["reason"]
    assert not (await client.get("/api/admin/audit")).json()


async def test_a_gateway_is_not_drained_because_it_plays_nothing(server):
    from msgspec.structs import replace

    server.settings = replace(server.settings, role="gateway")
    with pytest.raises(BadOption, match="plays no matches"):
        Operating(server, HealthWatch(server)).drain(Draining())


async def test_the_limits_of_the_application_are_those_of_its_quotas(server):
    limits = {each.name for each in create_app(server).state.operating.figures().limits}
    assert {"work for an address", "matches scheduled by one asker", "wrong tokens of an address"} <= limits
