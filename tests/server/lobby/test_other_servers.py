"""The interface to other servers is whole on both sides, and alone a server shares nothing."""

import inspect

import pytest

from palio_server.addons.shared.servers_on_broker import ServersOnBroker
from palio_server.lobby.other_servers import ALONE, NoOtherServers, OtherServers

ASKED = [name for name, _ in inspect.getmembers(OtherServers, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("kind", [NoOtherServers, ServersOnBroker])
@pytest.mark.parametrize("name", ASKED)
def test_each_method_is_there_with_the_same_parameters(kind, name):
    wanted, found = (inspect.signature(getattr(each, name)).parameters for each in (OtherServers, kind))
    assert list(found) == list(wanted)
    assert inspect.iscoroutinefunction(getattr(kind, name)) is inspect.iscoroutinefunction(getattr(OtherServers, name))


async def test_a_server_alone_does_everything_itself():
    assert not ALONE.sharing
    assert ALONE.leads()
    assert not ALONE.can_take_over()
    assert await ALONE.create_tournament(None, None) is None
    assert await ALONE.change_tournament(1, "start", ()) == []
    assert not await ALONE.stop_match("other", "m", "why")
    assert not await ALONE.call_off("m", "why")
    assert await ALONE.snapshot("other", "m") is None


def test_the_null_object_keeps_no_callback_of_a_server_that_has_ended():
    ALONE.on_missed.append(lambda: None)
    assert ALONE.on_missed == []
