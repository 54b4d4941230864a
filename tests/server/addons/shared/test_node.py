"""Servers that meet on a wire: what each sees of the others, and what becomes of matches when one of them dies."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from wire import Server, Wire

from palio_rules.contract import topics
from palio_server.addons.shared import messages
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import NotAvailable
from palio_server.lobby.session import Expulsion

pytestmark = pytest.mark.virtual_clock


@asynccontextmanager
async def servers(*names, wire=None):
    wire = wire or Wire()
    found = [Server(wire, name, "gateway" if name.startswith("g") else "referee") for name in names]
    await asyncio.sleep(2.0)
    yield found
    for server in found:
        server.task.cancel()
    await asyncio.wait([server.task for server in found])


async def test_everybody_sees_every_bot_and_sees_it_go():
    async with servers("g1", "g2", "r1") as (g1, g2, r1):
        ann, _ = g1.join("ann", slots=3)
        g2.join("bob")
        await asyncio.sleep(0.1)
        for server in (g1, g2, r1):
            assert [(bot.name, bot.slots) for bot in server.lobby.connected()] == [("ann", 3), ("bob", 1)]
        assert [session.name for session in r1.lobby.sessions()] == []  # its own ones
        g1.lobby.leave(ann)
        await asyncio.sleep(0.1)
        assert [bot.name for bot in r1.lobby.connected()] == ["bob"]


async def test_a_match_speaks_with_bots_of_two_gateways():
    async with servers("g1", "g2", "r1") as (g1, g2, r1):
        _, ann = g1.join("ann")
        _, bob = g2.join("bob")
        await asyncio.sleep(0.1)
        heard = []
        r1.bus.subscribe(topics.bot_out("ann", "m"), lambda _topic, envelope: heard.append(envelope.data))
        match = await r1.begin("m", ("ann", "bob"))
        assert not r1.lobby.is_free("ann", "chess")
        for name in ("ann", "bob"):
            r1.bus.publish(topics.bot_in(name, "m"), name.encode())
        g1.bus.publish(topics.bot_out("ann", "m"), b"move")
        await asyncio.sleep(0.1)
        assert (ann.posts, bob.posts, heard) == ([("m", b"ann")], [("m", b"bob")], [b"move"])
        assert not g2.lobby.is_free("ann", "chess")
        match.end()
        await asyncio.sleep(0.1)
        assert all(server.lobby.is_free("ann", "chess") for server in (g1, g2, r1))


async def test_of_two_referees_one_gets_a_bot():
    async with servers("g1", "r1", "r2") as (g1, r1, r2):
        g1.join("ann")
        g1.join("bob")
        await asyncio.sleep(0.1)
        begun = await asyncio.gather(
            r1.begin("m", ("ann", "bob")), r2.begin("n", ("bob", "ann")), return_exceptions=True
        )
        assert sum(isinstance(each, NotAvailable) for each in begun) >= 1
        await asyncio.sleep(0.1)
        assert len(g1.node.loans) in (0, 2)


async def test_a_dead_referees_bots_are_kept_for_whoever_takes_its_match_up():
    async with servers("g1", "r1", "r2") as (g1, r1, r2):
        _, ann = g1.join("ann")
        g1.join("bob")
        await asyncio.sleep(0.1)
        await r1.begin("m", ("ann", "bob"))
        await r1.die()
        await asyncio.sleep(0.2)
        with pytest.raises(NotAvailable, match="no free slot"):
            await r2.begin("other", ("ann", "bob"))
        await r2.begin("m", ("ann", "bob"), epoch=2)
        r2.bus.publish(topics.bot_in("ann", "m"), b"turn")
        await asyncio.sleep(0.1)
        assert ann.posts == [("m", b"turn")]


async def test_nobody_takes_it_up_and_they_are_free_after_a_while():
    async with servers("g1", "r1", "r2") as (g1, r1, r2):
        g1.join("ann")
        g1.join("bob")
        await asyncio.sleep(0.1)
        await r1.begin("m", ("ann", "bob"))
        await r1.die()
        await asyncio.sleep(14.0)
        await r2.begin("other", ("ann", "bob"))


async def test_a_bot_of_a_dead_gateway_is_absent_and_has_its_match_back_at_another_one():
    async with servers("g1", "g2", "r1") as (g1, g2, r1):
        session, _ = g1.join("ann")
        g2.join("bob")
        await asyncio.sleep(0.1)
        match = await r1.begin("m", ("ann", "bob"))
        await g1.die()
        await asyncio.sleep(0.2)
        assert match.news == [("ann", False)]
        again, link = g2.join("ann", resume=session.id)
        assert again.id == session.id
        await asyncio.sleep(0.2)
        assert match.news == [("ann", False), ("ann", True)]
        r1.bus.publish(topics.bot_in("ann", "m"), b"turn")
        await asyncio.sleep(0.1)
        assert link.posts == [("m", b"turn")]


async def test_a_session_that_is_resumed_elsewhere_closes_the_former_connection():
    async with servers("g1", "g2") as (g1, g2):
        session, link = g1.join("ann")
        await asyncio.sleep(0.1)
        g2.join("ann", resume=session.id)
        await asyncio.sleep(0.2)
        assert link.closed == [4000]
        for server in (g1, g2):
            [seen] = server.lobby.connections("ann")
            assert (seen.process or server.node.process) == g2.node.process


async def test_who_is_shown_the_door_forfeits_where_it_plays():
    async with servers("g1", "r1") as (g1, r1):
        session, link = g1.join("ann")
        g1.join("bob")
        await asyncio.sleep(0.1)
        match = await r1.begin("m", ("ann", "bob"))
        g1.lobby.expel(session, Expulsion("revoked", "token-revoked", "its token has been revoked"))
        await asyncio.sleep(0.1)
        assert match.expelled_ == ["ann"]
        assert link.closed


async def test_a_gateway_that_stops_lends_nothing_more():
    async with servers("g1", "r1") as (g1, r1):
        g1.join("ann")
        g1.join("bob")
        await asyncio.sleep(0.1)
        g1.node.stop()
        await asyncio.sleep(0.1)
        assert not r1.lobby.is_free("ann", "chess")
        with pytest.raises(NotAvailable):
            await r1.begin("m", ("ann", "bob"))


async def test_an_old_match_does_not_speak_to_a_bot_whose_slot_has_another_one():
    async with servers("g1", "r1", "r2") as (g1, r1, r2):
        _, ann = g1.join("ann")
        g1.join("bob")
        await asyncio.sleep(0.1)
        await r1.begin("m", ("ann", "bob"), epoch=1)
        await r2.begin("m", ("ann", "bob"), epoch=2)
        r1.bus.publish(topics.bot_in("ann", "m"), b"old")
        r2.bus.publish(topics.bot_in("ann", "m"), b"new")
        await asyncio.sleep(0.1)
        assert ann.posts == [("m", b"new")]
        r1.matches["m"].end()
        with pytest.raises(NotAvailable, match="played by somebody else"):
            await r1.begin("m", ("ann", "bob"), epoch=1)


async def test_a_version_that_is_not_understood_is_told_once(caplog):
    async with servers("g1") as (g1,):
        for _ in range(3):
            g1.bus.publish_here("palio/cluster/v9/beat/new", b"?")
            g1.bus.publish_here("palio/cluster/v1/beat/odd", b"?")
        assert sum("speaks version 'v9'" in line for line in caplog.messages) == 1
        assert sum("cannot be understood" in line for line in caplog.messages) == 1


async def test_two_of_one_name_are_told_of(caplog):
    async with servers("r1", "r1"):
        assert any("give each a --worker of its own" in line for line in caplog.messages)


async def test_what_a_newer_release_says_besides_is_ignored():
    said = messages.write({"process": "p", "worker": "w", "role": "all", "since": 1.0, "seq": 0, "mood": "good"})
    assert messages.read_beat(Envelope(said).data).worker == "w"


async def test_one_leads_and_another_one_when_it_is_dead():
    async with servers("g1", "r1", "r2") as (g1, r1, r2):
        assert [server.node.leads() for server in (g1, r1, r2)] == [False, True, False]
        await r1.die()
        await asyncio.sleep(0.2)
        assert [server.node.leads() for server in (g1, r2)] == [False, True]


async def test_a_bot_on_the_broker_falls_to_one_gateway():
    async with servers("g1", "g2", "r1") as (g1, g2, r1):
        names = [f"bot{number}" for number in range(50)]
        mine = [name for name in names if g1.node.assigned_here(name)]
        assert 5 < len(mine) < 45
        assert [name for name in names if not g2.node.assigned_here(name)] == mine
        assert not any(r1.node.assigned_here(name) for name in names)
        await g2.die()
        await asyncio.sleep(0.2)
        assert all(g1.node.assigned_here(name) for name in names)


async def test_who_has_the_broker_back_has_its_bots_told_again():
    async with servers("g1", "g2", "r1") as (g1, g2, r1):
        g1.join("ann")
        g2.join("bob")
        await asyncio.sleep(0.1)
        match = await r1.begin("m", ("ann", "bob"))
        LocalBus.publish(g1.bus, topics.SERVER, b"{}")  # as the bus says when it is connected again
        await asyncio.sleep(0.1)
        assert match.news == [("ann", False), ("ann", True)]
        LocalBus.publish(r1.bus, topics.SERVER, b"{}")
        await asyncio.sleep(0.1)
        assert match.news[2:] == [("ann", False), ("ann", True), ("bob", False), ("bob", True)]
        assert len(g1.node.loans) == len(g2.node.loans) == 1
