"""Viewers over real WebSockets: a snapshot, then every message, independent of other viewers."""

import asyncio
import socket as sockets
from types import SimpleNamespace

import httpx
import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palio_db.errors import Unavailable
from palio_rules.contract.endpoints import LATER, POLICY, UNKNOWN
from palio_rules.records.record import Analysis
from palio_server import live
from palio_server.api.app import create_app
from palio_server.api.live import MatchFeed, _NotHereYet
from palio_server.edge.places import SocketRoom
from palio_server.live import live_hub
from palio_server.live.live_hub import CHATTER
from palio_server.network.entrance import Entrance
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, url_of

_decode = msgspec.json.Decoder(live.LiveMessage).decode


def watch(url, path, **options):
    return connect(url.replace("http", "ws") + path, **options)


async def next_of(connection):
    async with asyncio.timeout(20):
        message = await connection.recv()
    assert isinstance(message, str), "JSON travels as text"
    return _decode(message)


async def all_until_finished(connection):
    messages = [await next_of(connection)]
    while not isinstance(messages[-1], live.Finished):
        messages.append(await next_of(connection))
    return messages


async def schedule(server, setup_of):
    return await server.arena.schedule(setup_of())


@pytest.fixture
def setup_of(breakthrough):
    from palio_rules.records.record import Setup

    return lambda **more: Setup(bots=("ann", "bob"), **breakthrough, **more)


@pytest.fixture
async def waiting(server, setup_of):
    """A match whose bots are there, and whose first mover takes its time."""
    server.ann, server.bob = server.join("ann", patient=True), server.join("bob")
    match = await server.arena.schedule(setup_of())

    async def asked():
        return server.ann.turns

    await server.until(asked)
    return match


async def play_on(server):
    """Let the patient bot move whenever it is asked."""
    server.ann.patient = False
    server.ann.play(server.ann.turns[-1])


async def test_viewers_of_a_finished_match_are_told_of_each_analysis_that_is_kept(server, url, client, waiting):
    await play_on(server)
    await server.finished(waiting)
    analysis = msgspec.json.encode(Analysis(waiting, 0.5, (), complete=True))
    async with watch(url, f"/ws/live/{waiting}") as one, watch(url, f"/ws/live/{waiting}") as other:
        for viewer in (one, other):
            assert (await next_of(viewer)).summary.result is not None
        for _ in range(2):
            answer = await client.put(f"/api/matches/{waiting}/analysis", content=analysis)
            assert answer.status_code == 200
            for viewer in (one, other):
                assert await next_of(viewer) == live.Analysed(waiting)
        refused = await client.put(f"/api/matches/{waiting}/analysis", content=b"[")
        assert refused.status_code == 400
        await client.put(f"/api/matches/{waiting}/analysis", content=analysis)
        assert await next_of(one) == live.Analysed(waiting)  # and nothing was said of the one that was refused


async def test_a_viewer_gets_a_snapshot_and_then_every_delta_up_to_the_result(server, url, waiting):
    async with watch(url, f"/ws/live/{waiting}") as connection:
        snapshot = await next_of(connection)
        assert isinstance(snapshot, live.MatchSnapshot)
        assert snapshot.seq == 1, "it has begun"
        await play_on(server)
        deltas = await all_until_finished(connection)
        assert [delta.seq for delta in deltas] == list(range(2, 2 + len(deltas)))
        record = await server.finished(waiting)
        assert [delta.line.move for delta in deltas if isinstance(delta, live.Played)]
        assert len([delta for delta in deltas if isinstance(delta, live.Played)]) == len(record.plies)
        assert deltas[-1].result == record.result
        await (await connection.ping())
        await connection.close()
        assert [message async for message in connection] == [], "after the result it is quiet"


async def test_a_match_may_be_watched_before_its_bots_are_there(server, url, setup_of):
    match = await server.arena.schedule(setup_of())
    async with watch(url, f"/ws/live/{match}") as connection:
        snapshot = await next_of(connection)
        assert (snapshot.seq, snapshot.summary.view.ply) == (0, 0)
        server.join("ann")
        server.join("bob")
        deltas = await all_until_finished(connection)
        assert isinstance(deltas[0], live.Started)
        assert [delta.seq for delta in deltas] == list(range(1, 1 + len(deltas)))


async def test_a_finished_match_gives_its_snapshot_with_the_result_and_stays_quiet(server, url, waiting):
    await play_on(server)
    record = await server.finished(waiting)
    server.feed._matches.clear()  # as after a minute
    async with watch(url, f"/ws/live/{waiting}") as connection:
        snapshot = await next_of(connection)
        assert snapshot.summary.result == record.result
        assert len(snapshot.lines) == len(record.plies)
        await (await connection.ping())


@pytest.mark.parametrize(("match", "shown"), [("nope", "'nope'"), ("%F0%9F%90%8E" * 100, "'\N{HORSE}\N{HORSE}")])
async def test_an_unknown_match_is_closed_with_the_reason(url, match, shown):
    async with watch(url, f"/ws/live/{match}") as connection:
        with pytest.raises(ConnectionClosed) as closed:
            await next_of(connection)
    assert closed.value.rcvd.code == UNKNOWN
    assert f"no match {shown}" in closed.value.rcvd.reason


async def test_when_the_database_is_away_a_viewer_is_told_to_come_back(server, url, monkeypatch):
    async def away(_):
        raise Unavailable("cannot use it: the disk is full")

    monkeypatch.setattr(server.store, "outline", away)
    async with watch(url, "/ws/live/nope") as connection:
        with pytest.raises(ConnectionClosed) as closed:
            await next_of(connection)
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (
        LATER,
        "the database does not answer now; try again in a while",
    )


async def test_a_match_that_cannot_be_is_not_looked_up(server, url, monkeypatch):
    monkeypatch.setattr(server.store, "outline", None)
    async with watch(url, "/ws/live/%00") as connection:
        with pytest.raises(ConnectionClosed) as closed:
            await next_of(connection)
    assert closed.value.rcvd.code == UNKNOWN


@pytest.mark.slow
async def test_the_lobby_shows_matches_from_their_beginning_to_their_end(server, url, setup_of):
    async with watch(url, "/ws/live") as connection:
        assert (await next_of(connection)).matches == []
        server.ann, server.bob = server.join("ann", patient=True), server.join("bob")
        match = await server.arena.schedule(setup_of())
        update = await next_of(connection)
        assert [summary.match for summary in update.matches] == [match]
        await server.until(lambda: asyncio.sleep(0, server.ann.turns))
        await play_on(server)
        leaderboards = []
        result = None
        while result is None or not leaderboards:
            update = await next_of(connection)
            leaderboards += update.leaderboards
            result = result or next((summary.result for summary in update.matches if summary.match == match), None)
        assert leaderboards == ["breakthrough:rows=5,cols=3"]
        assert result == (await server.finished(match)).result
    async with watch(url, "/ws/live") as connection:
        assert (await next_of(connection)).matches == [], "it is over"


async def test_the_lobby_shows_as_many_boards_as_were_asked_for(server, url, waiting, setup_of):
    server.join("cat", patient=True), server.join("dan")
    later = await server.arena.schedule(msgspec.structs.replace(setup_of(), bots=("cat", "dan")))
    await server.until(lambda: asyncio.sleep(0, server.feed.running() == 2))
    async with watch(url, "/ws/live?boards=1") as one, watch(url, "/ws/live?boards=0") as none:
        snapshot, numbers = await next_of(one), await next_of(none)
        assert [summary.match for summary in snapshot.matches] == [later]
        assert (snapshot.playing, snapshot.here) == (2, len(server.lobby.connected()))
        assert (numbers.matches, numbers.playing) == ([], 2)


@pytest.mark.parametrize("boards", ["all", "-1", "101", "1e1", ""])
async def test_a_number_of_boards_that_cannot_be_is_refused_with_its_range(url, boards):
    async with watch(url, f"/ws/live?boards={boards}") as connection:
        with pytest.raises(ConnectionClosed) as closed:
            await next_of(connection)
    assert closed.value.rcvd.code == POLICY
    assert closed.value.rcvd.reason.startswith("boards is a number from 0 to 100, not ")


async def test_an_unknown_parameter_of_the_lobby_is_refused_with_the_known_one(url):
    async with watch(url, "/ws/live?board=16") as connection:
        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()
    assert closed.value.rcvd.reason == "unknown parameter 'board'; did you mean 'boards'?"


async def test_a_viewer_that_does_not_read_is_cut_off_and_the_others_miss_nothing(server, url, waiting, monkeypatch):
    monkeypatch.setattr(live_hub, "PATIENCE_S", 0.3)
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    raw.setblocking(False)
    port = int(url.rsplit(":", 1)[1])
    await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", port))
    async with watch(url, f"/ws/live/{waiting}") as reader:
        stalled = await watch(url, f"/ws/live/{waiting}", sock=raw, max_queue=1)
        await next_of(reader)
        before = reader_seq = server.feed.find(waiting).seq
        noise = "x" * 20_000

        async def fill():
            nonlocal reader_seq
            from palio_rules.records.record import RejectedMove
            from palio_server.match import events

            server.feed.note(waiting, events.Rejected(RejectedMove(0, 0, "m", "noise", noise), 3, [None, None]))
            reader_seq = (await next_of(reader)).seq
            return cut()

        def cut():
            return len(viewers_of(server, waiting)) == 1

        await server.until(fill)
        assert reader_seq == server.feed.find(waiting).seq > before
        stalled.transport.abort()


def viewers_of(server, match):
    """Return the viewers: the one subscription that the hub has on the bus refers to its hub."""
    (subscription,) = server.bus._exact[f"palio/match/{match}/event"]
    return subscription.sink.__self__._matches[match][0].viewers


async def test_a_viewer_who_talks_is_disconnected(server, url, waiting):
    async with watch(url, f"/ws/live/{waiting}") as connection:
        for _ in range(CHATTER + 1):
            await connection.send("hello?")
        await connection.wait_closed()
    assert connection.close_code == POLICY


async def test_pages_of_other_sites_cannot_watch_an_open_server(url):
    with pytest.raises(InvalidStatus, match="403"):
        await watch(url, "/ws/live", origin="https://evil.example")
    async with watch(url, "/ws/live", origin=url) as connection:
        assert isinstance(await next_of(connection), live.LobbySnapshot)


async def test_viewers_leave_nothing_behind(server, url, waiting):
    for _ in range(3):
        async with watch(url, f"/ws/live/{waiting}") as connection:
            await next_of(connection)

    async def unwatched():
        return not server.bus.wanted(f"palio/match/{waiting}/event")

    await server.until(unwatched)


async def claimed(server, setup_of):
    """A match that is being played, as the store has it, and has not begun here."""
    match = await schedule(server, setup_of)
    claims = await server.store.claim_these("of yesterday", 60, [match])
    assert [claim.match for claim in claims] == [match]
    return match


async def test_who_comes_between_the_claim_of_a_match_and_its_beginning_gets_it_as_soon_as_it_begins(
    server, url, setup_of
):
    match, others = await claimed(server, setup_of), [await claimed(server, setup_of) for _ in range(2)]
    async with watch(url, f"/ws/live/{match}") as connection:

        async def awaited():
            return server.feed._awaited.get(match)

        await server.until(awaited)
        for other in (others[0], match):
            server.feed.open(other, setup_of())
        snapshot = await next_of(connection)
        assert isinstance(snapshot, live.MatchSnapshot)
        assert snapshot.summary.match == match
    assert server.feed._awaited == {}


async def test_a_viewer_that_leaves_before_the_match_begins_leaves_nothing_behind(server, url, setup_of, monkeypatch):
    monkeypatch.setattr("palio_server.api.live.TAKEN_UP_S", 600.0)
    match = await claimed(server, setup_of)

    async def count():
        return len(server.feed._awaited.get(match, ()))

    async with watch(url, f"/ws/live/{match}"):
        await server.until(count)

    async def gone():
        return await count() == 0

    await server.until(gone)


async def test_who_comes_long_before_a_match_is_taken_up_again_is_told_to_come_back(server, url, setup_of, monkeypatch):
    monkeypatch.setattr("palio_server.api.live.TAKEN_UP_S", 0.05)
    match = await claimed(server, setup_of)
    async with watch(url, f"/ws/live/{match}") as connection:
        with pytest.raises(ConnectionClosed) as closed:
            await next_of(connection)
    assert (closed.value.rcvd.code, "taken up again" in closed.value.rcvd.reason) == (LATER, True)


async def test_a_match_of_another_server_is_not_unknown_because_the_database_did_not_say_how_it_stands():
    class Store:
        async def outline(self, match):
            return None

        async def match(self, match):
            return SimpleNamespace(id=match, status="running")

    class Hub:
        async def mirror(self, match, renew):
            return None  # the database has gone away in the meantime

    feed = MatchFeed(Hub(), SimpleNamespace(store=Store(), others=SimpleNamespace(sharing=True)))
    with pytest.raises(_NotHereYet):
        await feed._remembered("m1")


async def test_a_viewer_that_was_away_gets_a_snapshot_that_equals_the_database(server, url, waiting):
    async with watch(url, f"/ws/live/{waiting}") as connection:
        seen = await next_of(connection)
    await play_on(server)  # without viewers
    record = await server.finished(waiting)
    async with watch(url, f"/ws/live/{waiting}") as connection:
        found = await next_of(connection)
    assert found.seq > seen.seq
    assert found.summary.result == record.result
    assert [line.ms for line in found.lines] == [ply.ms for ply in record.plies]
    server.feed._matches.clear()  # as after a minute, when it is told from the store
    async with watch(url, f"/ws/live/{waiting}") as connection:
        stored = await next_of(connection)
    assert (stored.lines, stored.summary.view, stored.summary.result) == (
        found.lines,
        found.summary.view,
        found.summary.result,
    )


async def test_there_is_a_place_for_so_many_viewers_of_one_address(server):
    listener = bind("127.0.0.1", 0)
    app = create_app(server)
    app.state.entrance = entrance = Entrance(SocketRoom(9, 9, 2, 2))  # one, as `running` has it
    async with serving(app, listener, entrance=entrance):
        url = url_of(listener)
        async with watch(url, "/ws/live"), watch(url, "/ws/live"):
            with pytest.raises(InvalidStatus) as refused:
                async with watch(url, "/ws/live"):
                    pass
            assert refused.value.response.status_code == 503
            assert "too-many-viewers" in refused.value.response.body.decode()
            assert int(refused.value.response.headers["Retry-After"]) > 1
            async with httpx.AsyncClient(base_url=url) as client:
                told = (await client.get("/api/live")).json()
            assert told == {
                "open": False,
                "reason": "this server has as many viewers as it has room for; try again in 30 s",
                "retry_s": 30,
            }
            async with httpx.AsyncClient(base_url=url) as client:  # who plays needs no viewer's place
                told = (await client.get("/api/live", params={"player": "true"})).json()
            assert told["open"] is True
        async with watch(url, "/ws/live"):
            pass
