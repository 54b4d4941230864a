"""A client whose token is withdrawn, by any process, is disconnected."""

from datetime import UTC, datetime, timedelta

import pytest
from listening import Listening

from palio_db.errors import Unavailable
from palio_db.store import Store
from palio_rules.contract.codec import decode_from_server
from palio_rules.contract.messages import Hello, Refused
from palio_server.bus.local import LocalBus
from palio_server.lobby.access import Readers
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Expulsion
from palio_server.lobby.token_watch import TokenWatch

HOUR = timedelta(hours=1)


class Link:
    def __init__(self):
        self.heard, self.closed = [], []

    def post(self, topic, envelope):
        self.heard.append(decode_from_server(envelope.data))

    def close(self, code, reason):
        self.closed.append((code, reason))


class World:
    def __init__(self, store):
        self.store, self.moment, self.asked = store, datetime.now(UTC), 0
        self.lobby, self.readers = Lobby(LocalBus(), games=["nim"]), Readers()
        self.watch = TokenWatch(self, self.lobby, self.readers, lambda: self.moment)
        self.expelled = []

    async def withdrawn(self, tokens):
        self.asked += 1
        return await self.store.withdrawn(tokens)

    def join(self, name, token, **more):
        session = self.lobby.join(Hello(name, ["nim"], **more), Link(), "websocket")
        session.token = token
        return session

    def reserve(self, match, *names):
        self.lobby.reserve(match, "nim", names, Listening(match, [], self.expelled))


@pytest.fixture
async def world():
    async with await Store.open("sqlite://") as store:
        for bot in ("anna", "ben"):
            await store.add_bot(bot)
            await store.issue_token(["play"], bot=bot)
        yield World(store)


async def test_a_bot_whose_token_is_revoked_hears_why_and_forfeits(world):
    anna, ben = world.join("anna", 1), world.join("ben", 2)
    world.reserve("m", "anna", "ben")
    await world.watch.look(changed=False)
    await world.store.revoke_token(1)
    await world.watch.look(changed=True)
    sentence = "the token of anna has been revoked"
    assert anna.link.heard == [Refused("token-revoked", sentence)]
    assert anna.link.closed == [(1008, "token-revoked")]
    assert world.expelled == [("m", "anna", Expulsion("revoked", "token-revoked", sentence))]
    assert world.lobby.is_here("ben")
    assert (ben.link.heard, ben.link.closed) == ([], [])
    assert world.join("anna", 1, resume=anna.id).id != anna.id


async def test_all_bots_of_a_revoked_one_go_also_one_that_was_just_lost(world):
    lost, here = world.join("anna", 1), world.join("anna", 1)
    world.reserve("m", "anna")
    world.lobby.leave(lost)
    await world.watch.look(changed=False)
    await world.store.revoke_bot("anna")
    await world.watch.look(changed=True)
    assert world.lobby.sessions() == []
    assert [match for match, *_ in world.expelled] == ["m"]
    assert here.link.closed == [(1008, "token-revoked")]


async def test_a_token_that_was_revoked_while_its_bot_came_in_is_found_at_the_next_look(world):
    await world.store.revoke_token(1)
    await world.watch.look(changed=True)  # it is not here yet
    anna = world.join("anna", 1)
    await world.watch.look(changed=False)
    assert anna.link.closed == [(1008, "token-revoked")]
    again = world.join("anna", 1)
    await world.watch.look(changed=False)
    assert again.link.closed == [(1008, "token-revoked")]


async def test_a_token_expires_during_play_without_any_change(world, monkeypatch):
    token = await world.store.issue_token(["play"], bot="ben", expires_at=datetime.now(UTC) + HOUR)
    assert (await world.store.grant(token)).id == 3
    ben = world.join("ben", 3)
    await world.watch.look(changed=False)
    monkeypatch.setattr("palio_db.tokens.now", lambda: datetime.now(UTC) + 2 * HOUR)
    world.moment += 2 * HOUR
    await world.watch.look(changed=False)
    assert ben.link.heard == [Refused("token-expired", "the token of ben has expired")]


async def test_a_look_without_news_asks_nothing(world):
    world.join("anna", 1)
    world.join("ben", None)
    for _ in range(5):
        await world.watch.look(changed=False)
    assert world.asked == 1


async def test_a_look_that_failed_is_made_up_for(world, monkeypatch):
    anna = world.join("anna", 1)
    await world.watch.look(changed=False)
    await world.store.revoke_token(1)

    async def away(tokens):
        raise Unavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(world, "withdrawn", away)
        with pytest.raises(Unavailable):
            await world.watch.look(changed=True)
    assert anna.link.closed == []
    await world.watch.look(changed=True)
    assert anna.link.closed == [(1008, "token-revoked")]


async def test_sockets_of_readers_are_closed_too(world):
    closed = []
    with world.readers.reading(2, lambda *why: closed.append(why)):
        await world.watch.look(changed=False)
        await world.store.revoke_bot("ben")
        await world.watch.look(changed=True)
    assert closed == [(1008, "token-revoked")]
