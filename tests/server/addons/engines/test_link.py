"""A bot within the server's process is a session of the lobby like any other."""

from types import SimpleNamespace

from palio_rules.contract.messages import Error, Hello, Move, Ready, Refused, ServerStopping, Turn, Welcome
from palio_server.addons.engines.link import EngineLink
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby
from palio_server.network.bot_listener import ExpectedAnswers


class Client:
    """The client's end: the messages that it was sent, and why it was closed."""

    def __init__(self):
        self.got, self.closed = [], []

    def post(self, message):
        self.got.append(message)

    def close(self, reason):
        self.closed.append(reason)


class Listener:
    """A match that the lobby tells about its bots."""

    def present(self, name, present): ...
    def expelled(self, name, why): ...


def linked(own=None):
    bus = LocalBus()
    lobby = Lobby(bus, now=lambda: 0.0)
    client = Client()
    return EngineLink(SimpleNamespace(lobby=lobby, bus=bus), own, client), client, lobby, bus


async def test_it_is_welcomed_and_its_messages_reach_its_match_decoded():
    told = []
    own = SimpleNamespace(confined="bubblewrap", url="ws+unix:///one", awaited=ExpectedAnswers())
    own.awaited.tell(told.append)
    link, client, lobby, bus = linked(own)
    link.hear(Hello("mine", ["chess"]))
    [session] = lobby.sessions()
    assert isinstance(client.got[0], Welcome)
    assert (session.transport, session.confined, session.own_address) == ("engine", "bubblewrap", "ws+unix:///one")
    heard = []
    bus.subscribe("palio/bot/mine/out/m", lambda _topic, envelope: heard.append(envelope))
    lobby.reserve("m", "chess", ["mine"], Listener())
    turn = Turn("m", 1, 0, "", None, [None, None], None)
    bus.publish("palio/bot/mine/in/m", b"", turn)
    move = Move("m", 1, "e2e4")
    link.hear(move)
    assert client.got[1] is turn
    assert heard[0].message is move
    assert heard[0].at > 0
    assert told == [True, False, True, False]  # until it joined, and while it had the turn


async def test_a_message_about_no_match_of_its_own_is_answered():
    link, client, _, _ = linked()
    link.hear(Hello("mine", ["chess"]))
    link.hear(Ready("other"))
    assert isinstance(client.got[1], Error)
    assert (client.got[1].code, client.got[1].match) == ("unknown-match", "other")


async def test_a_hello_that_the_lobby_refuses_is_told_why():
    link, client, lobby, _ = linked()
    link.hear(Hello("mine", ["ches"]))
    assert client.got == [Refused("unknown-game", "unknown game 'ches'; did you mean 'chess'?")]
    lobby.stopping = ServerStopping("the server stops")
    link.hear(Hello("mine", ["chess"]))
    assert [type(message) for message in client.got[1:]] == [ServerStopping, Refused]
    assert lobby.sessions() == []


async def test_closing_takes_it_out_of_the_lobby_once():
    link, client, lobby, _ = linked()
    link.hear(Hello("mine", ["chess"]))
    link.close(1000, "enough")
    link.close(1000, "again")
    assert not lobby.is_here("mine")
    assert client.closed == ["enough"]
    link.hear(Ready("m"))
    assert len(client.got) == 1
