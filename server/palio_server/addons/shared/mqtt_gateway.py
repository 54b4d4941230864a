"""The gateway for bots on MQTT: they say hello on the bus, and their presence, or their last will, tells that they
left.

A bot on the broker is tied to the server only by messages, and each may be lost. So a bot that is present without a
session, or had one when the server's own connection to the broker broke, is asked to say hello; one that does not is
treated as gone.

Of several servers on one broker one lets a bot in: the one that has its session, or else the one that its name is
assigned to.
"""

import asyncio
import logging
from collections.abc import Callable

import msgspec
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_bot, encode
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import BotMessage, Error, Hello, Message, Refused, Welcome
from palio_rules.errors import WireError
from palio_server.addons.shared.mqtt import MqttBus
from palio_server.addons.shared.servers_on_broker import ServersOnBroker
from palio_server.app_state import ServerParts
from palio_server.bus import Bus, Envelope, Subscription
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import Access, AccessDenied
from palio_server.lobby.lobby import Lobby, LobbyError, ServerStops
from palio_server.lobby.session import Session
from palio_server.log_lines import about
from palio_server.network.gateway import SERVER

log = logging.getLogger(__name__)

HELLO_S = 10.0  # seconds for the store to check a bot's token
ASK_S = 3.0  # seconds after a bot has become present: its own hello is on the way
# keepalives without a sign of life; the protocol promises 1.5, and the server's own message has to travel
PATIENCE = 1.4
KEEPALIVES_S = 1.0, 3600.0  # that are believed
# seconds between two requests to a bot that is present and says nothing: the first may have been lost
ASK_AGAIN_S = 10.0
ANSWER_S = 30.0  # seconds for a bot that did not come to a match: it may be busy in another one
RETURN_S = 30.0  # seconds for bots to say hello again after the server had lost the broker


class BotPresence(msgspec.Struct, frozen=True):
    """The fields read of a bot's presence; it may have more."""

    online: bool
    transport: str = "mqtt"
    keepalive_s: float = 0.0  # it repeats its presence within that time; 0: only its last will tells that it is gone


class MqttLink:
    """The link to a bot on the broker."""

    def __init__(self, bus: Bus, name: str) -> None:
        self._bus, self._name = bus, name

    def post(self, topic: str, envelope: Envelope) -> None:
        self._bus.publish(topic, envelope.data, envelope.message)

    def read(self, envelope: Envelope) -> BotMessage | None:
        """Return the bot's message; None if it cannot be read, which the bot has been told."""
        try:
            return envelope.read(decode_from_bot)
        except WireError as error:
            self.send(Error(error.code, str(error)))
            return None

    def send(self, message: Message, about: str = topics.LOBBY) -> None:
        """Send a message, to the lobby's side of the bot or about a match."""
        self._bus.publish(topics.bot_in(self._name, about), encode(message), message)

    def close(self, code: int, reason: str) -> None:
        """Do nothing: there is no connection; a bot that has been replaced is the same bot, which has
        said hello again.
        """
        if code != REPLACED:
            self.send(Error("closed", reason))


class MqttGateway:
    """The gateway for as long as `run` runs; it listens on the bus."""

    def __init__(
        self, bus: MqttBus, lobby: Lobby, access: Access, assigned_here: Callable[[str], bool] | None = None
    ) -> None:
        """`assigned_here` returns True if this server lets in a bot of that name without a session; None: always."""
        self._bus, self._lobby, self._access = bus, lobby, access
        self._assigned_here = assigned_here
        self._present: dict[str, float] = {}  # bots that are present on the broker, and their keepalives
        # where others share the work: subscriptions to our bots' messages
        self._listening: dict[str, Subscription] = {}
        self._sessions: dict[str, Session] = {}  # by bot name
        self._entering: set[str] = set()
        self._asked: set[str] = set()  # bots with a session that did not come to a match
        self._missing: dict[str, asyncio.TimerHandle] = {}  # the bot is asked, or treated as gone, when the timer fires
        self._quiet: dict[str, asyncio.TimerHandle] = {}  # a bot with signs of life is gone when the timer fires
        self._tasks = asyncio.TaskGroup()

    async def run(self) -> None:
        """Let bots in until cancelled."""
        heard = {
            topics.bot_out("+", topics.LOBBY): self._hear,
            topics.presence("+"): self._on_presence,
            topics.SERVER: self._on_reconnect,
        }
        subscriptions: list[Subscription] = []
        try:
            async with self._tasks:
                self._bus.on_unclaimed = self._on_stray
                subscriptions = [self._bus.subscribe(topic, sink) for topic, sink in heard.items()]
                subscriptions += [self._bus.listen(topic) for topic in heard if topic != topics.SERVER]
                await asyncio.Event().wait()
        finally:
            for subscription in (*subscriptions, *self._listening.values()):
                subscription.close()
            for timer in (*self._missing.values(), *self._quiet.values()):
                timer.cancel()
            for session in self._sessions.values():
                self._lobby.leave(session)

    # --- messages of bots --------------------------------------------------------------------------------------------

    def _hear(self, topic: str, envelope: Envelope) -> None:
        """Take in a message about no match: usually a hello."""
        link = MqttLink(self._bus, name := _name(topic))
        if not self._is_ours(name):
            return
        self._note_life(name)
        match link.read(envelope):
            case None:
                return
            case Error(code=code, reason=reason):  # never answered: two programs that answer errors would not stop
                log.info("bot %s reports %s: %s", name, code, reason[:500], extra={"bot": name})
            case Hello() as hello if hello.name != name:
                self._lobby.refusals["name-not-yours"] += 1
                link.send(Refused("name-not-yours", f"here you are {name!r}; say hello under this name"))
            case Hello() as hello:
                if name not in self._entering:  # the same hello again: the first one is being answered
                    self._entering.add(name)
                    self._tasks.create_task(self._enter(link, hello))
            case _:
                link.send(Error("unexpected", "only a hello is said here; matches have topics of their own"))

    async def _enter(self, link: MqttLink, hello: Hello) -> None:
        about(bot=hello.name, peer="mqtt")
        try:
            async with asyncio.timeout(HELLO_S):
                token = None if hello.token is UNSET else hello.token
                async with self._access.attempts.of(f"mqtt {hello.name}", token):
                    grant = await self._access.bot(hello)
            session = self._lobby.join(hello, link, "mqtt")
            session.token = None if grant is None else grant.id
        except TooMuch as error:
            self._lobby.refusals[error.code] += 1
            link.send(Refused(error.code, str(error), error.retry_ms))
        except ServerStops as error:
            link.send(error.notice)  # not a refusal: the bot says hello again when the server is back
        except (AccessDenied, LobbyError) as error:
            self._lobby.refusals[error.code] += 1
            link.send(Refused(error.code, str(error)))
        except Exception:  # the store is down, or there is a bug: the bot says hello again, and others are waiting
            log.exception("bot %s could not be let in", hello.name)
        else:
            self._sessions[hello.name] = session
            if hello.name not in self._listening:
                self._listening[hello.name] = self._bus.listen(topics.bot_out(hello.name, "#"))
            self._expect(hello.name, None)
            link.send(Welcome(session.id, SERVER, self._lobby.greeting(session, hello) or UNSET))
        finally:
            self._entering.discard(hello.name)

    def _on_stray(self, topic: str, envelope: Envelope) -> None:
        """Answer a message about a match that is not played here."""
        if not topic.startswith(topics.BOTS) or "/out/" not in topic:
            return
        link = MqttLink(self._bus, name := _name(topic))
        self._note_life(name)
        session = self._sessions.get(name)
        if self._assigned_here is not None and (session is None or topic.rpartition("/")[2] in session.matches):
            return  # another server plays it, and receives the messages
        message, match = link.read(envelope), topic.rpartition("/")[2]
        if not isinstance(message, Error | None):
            turn = getattr(message, "id", UNSET)
            reason = f"you do not play a match {match!r}, or it is over"
            link.send(Error("unknown-match", reason, id=turn, match=match), match)

    # --- presence ----------------------------------------------------------------------------------------------------

    def _on_presence(self, topic: str, envelope: Envelope) -> None:
        """Take in a bot's presence; after the server's own start this is also how it learns which bots are there."""
        name = topic.rpartition("/")[2]
        try:
            seen = msgspec.json.decode(envelope.data, type=BotPresence)
        except msgspec.MsgspecError as error:
            log.info("the presence of bot %s cannot be read: %s", name, error, extra={"bot": name})
            return
        if seen.transport != "mqtt":
            self._correct(topic, name, seen)
        elif not seen.online:
            self._present.pop(name, None)
            self._lose(name)
        else:
            self._present[name] = seen.keepalive_s
            if not self._is_ours(name):
                return
            self._on_heartbeat(name, seen.keepalive_s)
            if name not in self._sessions and name not in self._missing:
                self._expect(name, ASK_S)

    def look_again(self) -> None:
        """Ask bots to say hello that may be assigned to this server now, because another server has come or gone."""
        for name, keepalive_s in list(self._present.items()):
            if self._is_ours(name) and name not in self._sessions and name not in self._missing:
                self._on_heartbeat(name, keepalive_s)
                self._expect(name, 0.0)

    def ask_absent(self, name: str, match: str) -> None:
        """Ask a bot that did not come to `match` if it is alive. Any message is an answer; silence means no.

        A client that ends with a clean DISCONNECT leaves no last will. One that holds another match is not asked. The
        ladder gives a bot no matches while it is asked.
        """
        session = self._sessions.get(name)
        if session is None or name in self._missing or self._lobby.is_rested(name):
            return
        if session.matches.keys() <= {match}:
            self._asked.add(name)
            self._lobby.rest(name)
            self._ask(name, f"you did not come to a match; say hello within {ANSWER_S:g} s, or you are taken for gone")
            self._expect(name, ANSWER_S)

    def _note_life(self, name: str) -> None:
        """Note that a bot has sent a message about no running match, and so is alive."""
        if (session := self._sessions.get(name)) is not None:
            session.asides += 1
        if name in self._asked:
            self._asked.discard(name)
            self._expect(name, None)
            self._lobby.wake(name)

    def _is_ours(self, name: str) -> bool:
        """Return True if this server lets in the bot of that name, or has it already."""
        session = self._sessions.get(name)
        if session is not None and not session.connected:  # it was expelled, or another server has let it in
            self._lose(name)
        if self._assigned_here is None or name in self._sessions:
            return True
        others = [each for each in self._lobby.connections(name) if each.process and each.transport == "mqtt"]
        return not others and self._assigned_here(name)

    def _on_heartbeat(self, name: str, keepalive_s: float) -> None:
        """Note a sign of life. The broker's own check of a silent connection comes up to six seconds late (Mosquitto
        2.0).
        """
        if (timer := self._quiet.pop(name, None)) is not None:
            timer.cancel()
        if keepalive_s > 0:
            shortest, longest = KEEPALIVES_S
            seconds = PATIENCE * min(max(keepalive_s, shortest), longest)
            self._quiet[name] = asyncio.get_running_loop().call_later(seconds, self._fall_silent, name)

    def _fall_silent(self, name: str) -> None:
        del self._quiet[name]
        if name in self._sessions and self._bus.connected:  # or the server itself is cut off
            self._treat_as_gone(name)

    def _treat_as_gone(self, name: str) -> None:
        log.info("bot %s gives no sign of life", name, extra={"bot": name})
        gone = {"online": False, "instances": 0, "games": []}
        self._bus.outbox.put_now(topics.presence(name), msgspec.json.encode(gone))  # in place of its last will
        self._lose(name)

    def _correct(self, topic: str, name: str, seen: BotPresence) -> None:
        """Correct the presence of WebSocket bots that a killed server has left on the broker."""
        if seen.online and self._assigned_here is None and not self._lobby.is_here(name):
            gone = {"online": False, "instances": 0, "games": [], "transport": seen.transport}
            self._bus.publish(topic, msgspec.json.encode(gone), retain=True)

    def _on_reconnect(self, _topic: str, _envelope: Envelope) -> None:
        """Ask all bots again after a reconnection: last wills may have been lost, and bots may not know this server."""
        for name in self._sessions:
            self._ask(name)
            self._expect(name, RETURN_S)

    def _expect(self, name: str, seconds: float | None) -> None:
        """Give the bot so long to say hello; None: it has."""
        if (timer := self._missing.pop(name, None)) is not None:
            timer.cancel()
        if seconds is not None:
            self._missing[name] = asyncio.get_running_loop().call_later(seconds, self._miss, name)

    def _miss(self, name: str) -> None:
        del self._missing[name]
        if name in self._asked and name in self._sessions and self._bus.connected:
            self._treat_as_gone(name)
        elif name in self._sessions:
            self._lose(name)
        elif self._is_ours(name):
            self._ask(name)
            self._expect(name, ASK_AGAIN_S)

    def _ask(self, name: str, why: str = "say hello") -> None:
        MqttLink(self._bus, name).send(Error("no-session", why))

    def _lose(self, name: str) -> None:
        self._expect(name, None)
        self._on_heartbeat(name, 0)
        self._asked.discard(name)
        session = self._sessions.pop(name, None)
        if (listening := self._listening.pop(name, None)) is not None:
            listening.close()
        if session is not None:
            self._lobby.leave(session)


def _name(topic: str) -> str:
    """Return the bot in palio/bot/<name>/..."""
    return topic.split("/", 3)[2]


def gateway_of(parts: ServerParts) -> MqttGateway:
    """Make the gateway of a server whose bus is on a broker."""
    assert isinstance(parts.bus, MqttBus)
    if not isinstance(parts.others, ServersOnBroker):
        gateway = MqttGateway(parts.bus, parts.lobby, parts.access)
    else:
        node = parts.others.node
        gateway = MqttGateway(parts.bus, parts.lobby, parts.access, node.assigned_here)
        node.on_gone.append(lambda _process: gateway.look_again())
        node.on_settled.append(gateway.look_again)
    parts.arena.on_absent.append(gateway.ask_absent)
    return gateway
