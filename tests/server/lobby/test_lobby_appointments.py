"""Unlisted names: guests, house bots, and names taken off the list are free for their match only."""

import pytest
from listening import deaf
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import Hello
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby, LobbyError


class Wire:
    def __init__(self):
        self.closed = []

    def post(self, topic, envelope):
        pass

    def close(self, code, reason):
        self.closed.append(code)


@pytest.fixture
def lobby():
    return Lobby(LocalBus(), games=["go"], now=lambda: 0.0)


def join(lobby, name, slots=UNSET, over="websocket"):
    return lobby.join(Hello(name=name, games=["go"], slots=slots), Wire(), over)


def listed(lobby, name):
    return (name in [bot.name for bot in lobby.connected()], name in lobby.players("go"), name in lobby.free("go"))


@pytest.mark.parametrize("name", ["guest-4fx09a", "house-greedy"])
def test_a_reserved_name_is_listed_nowhere_and_free_for_its_match(lobby, name):
    join(lobby, name)
    assert listed(lobby, name) == (False, False, False)
    assert lobby.games() == []
    assert lobby.is_here(name)
    assert lobby.is_free(name, "go")
    lobby.reserve("m", "go", [name], deaf())
    assert not lobby.is_free(name, "go")
    lobby.release("m")
    assert lobby.is_free(name, "go")


def test_the_world_does_not_hear_of_a_guest():
    bus = LocalBus()
    heard = []
    bus.subscribe(topics.presence("+"), lambda topic, _: heard.append(topic))
    lobby = Lobby(bus, games=["go"], now=lambda: 0.0)
    session = join(lobby, "guest-4fx09a")
    lobby.leave(session)
    assert heard == []
    join(lobby, "bob")
    assert heard == [topics.presence("bob")]


def test_a_guest_has_one_connection_with_one_slot_and_the_newest_counts(lobby):
    with pytest.raises(LobbyError, match="plays one match at a time"):
        join(lobby, "guest-a", slots=2)
    old = join(lobby, "guest-a")
    lobby.reserve("m", "go", ["guest-a"], deaf())
    new = join(lobby, "guest-a")
    assert old.link.closed == [REPLACED]
    assert list(new.matches) == ["m"]


def test_who_is_withheld_is_listed_again_when_restored(lobby):
    join(lobby, "ada")
    assert listed(lobby, "ada") == (True, True, True)
    lobby.unlist("ada")
    assert listed(lobby, "ada") == (False, False, False)
    assert lobby.is_free("ada", "go")
    version = lobby.version
    lobby.relist("ada")
    lobby.relist("ada")
    assert listed(lobby, "ada") == (True, True, True)
    assert lobby.version > version
