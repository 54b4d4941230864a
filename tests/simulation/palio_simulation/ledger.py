"""The view of a world from outside: every message, when it was sent and when it came, and all records.

Some of it can be judged at once: a result that is announced has been recorded by then, and a seat has one holder. The
rest waits for the end (`invariants.py`).
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from palio_db.columns import unpack
from palio_rules.contract import topics
from palio_rules.contract.messages import GameMessage, Move, Over, Ready, Result, Turn
from palio_rules.records.record import Record
from palio_server.match.turns import TURNS_IN_EPOCH
from palio_simulation.database import SimulatedDatabase
from palio_simulation.disk import open_file
from palio_simulation.loop import OWNER

if TYPE_CHECKING:
    from palio_simulation.network import Link
    from palio_simulation.process import Incarnation
    from palio_simulation.world import World


NO_RESULT = ("aborted", "nobody-ready")  # what bots are told of a match that has none


@dataclass(slots=True)
class Arrival:
    """A bot's move at a server's machine; `read_at`: when the server read it, if it did."""

    at: float
    move: Any
    read_at: float | None = None
    heard: bool = False  # it was read on the connection that was in the seat
    alone: bool = True  # nothing else came just before it, which the server could have taken for the same moment


@dataclass(slots=True)
class Posted:
    """A turn as a server posted it first."""

    incarnation: "Incarnation"
    bot: str
    at: float
    turn: Turn
    arrivals: list[Arrival] = field(default_factory=list)
    last_message_at: float = 0.0


class Ledger:
    """Sees everything, and complains to the world. It reads and writes the database itself, without any fault."""

    label, name, dead, frozen = "observer", "observer", False, False

    def __init__(self, world: "World") -> None:
        self.world = world
        self.database = SimulatedDatabase(world.disk, self)
        self._connection = open_file(world.disk.file)
        self.turns: dict[tuple[str, int], Posted] = {}  # by match and id
        self.turns_of: dict[str, list[Posted]] = defaultdict(list)  # by match
        # By incarnation, match and bot: the connection in the seat; the former for one claim of the match.
        self._holders: dict[tuple[str, str, int, str], Link] = {}
        self.introduced: dict[tuple[str, str, str], Link] = {}
        self.introduced_at: dict[tuple[str, str, str], float] = {}  # when it was first told of the match
        self.ready_at: dict[tuple[str, str, str], float] = {}  # when it said there that it is ready
        self.overs: dict[tuple[str, str, str], float] = {}  # incarnation, match, bot -> when it was told the result
        self.heard: list[tuple[str, str, Result]] = []  # by whom, match
        self._last_read: dict[str, tuple[float, bool]] = {}  # by incarnation, and whether nothing came just before

    def kill(self) -> None:
        raise AssertionError("nobody kills the observer")

    def suffer(self, fate: str, seconds: float) -> None:
        raise AssertionError("nothing befalls the observer")

    def query(self, sql: str, *parameters: Any) -> list[Any]:
        """As committed."""
        return self._connection.execute(sql, parameters).fetchall()

    def close(self) -> None:
        self._connection.close()

    async def owned(self, work: Any) -> Any:
        """Return the result of `work`, a coroutine that uses the observer's store."""
        OWNER.set(self)
        return await work

    def unfinished(self) -> list[str]:
        """Return the matches that are still to be played."""
        found = [match for (match,) in self.query("SELECT id FROM matches WHERE status IN ('scheduled', 'running')")]
        return found + [
            f"tournament {number} ({stage})"
            for number, stage in self.query("SELECT id, stage FROM tournaments WHERE stage <> 'finished'")
        ]

    # --- what servers say ---------------------------------------------------------------------------------------------

    def posted(self, incarnation: "Incarnation", topic: str, message: Any) -> None:
        """A server says something to a bot, whether or not that is connected."""
        world, (bot, match) = self.world, _of(topic)
        if type(message) is Turn:
            key = (message.match, message.id)
            world.note(f"{incarnation.label} asks {bot} for ply {message.ply} of {match[-4:]}, turn {message.id}")
            former = self.turns.get(key)
            if former is None:
                posted = self.turns[key] = Posted(incarnation, bot, world.loop.time(), message)
                self.turns_of[match].append(posted)
            elif former.incarnation is not incarnation or former.bot != bot or former.turn.ply != message.ply:
                world.complain(f"turn {message.id} of match {match} is two turns")
        elif type(message) is Over:
            world.note(f"{incarnation.label} tells {bot} that {match[-4:]} is over: {message.outcome.reason}")
            self._must_be_recorded(match, message.outcome, f"{incarnation.label} tells {bot}")

    def viewed(self, incarnation: "Incarnation", delta: Any) -> None:
        """A server shows the end of a match to its viewers."""
        if delta.result.reason not in NO_RESULT:
            self._must_be_recorded(delta.match, delta.result, f"{incarnation.label} shows")

    def _must_be_recorded(self, match: str, result: Result, who: str) -> None:
        rows = self.query("SELECT status, record FROM matches WHERE id = ?", match)
        if not rows:
            self.world.complain(f"{who} the end of match {match}, which does not exist")
            return
        [(status, data)] = rows
        if result.reason in NO_RESULT:
            if status != "aborted":
                self.world.complain(f"{who} that match {match} is aborted, but it is {status}")
        elif data is None:
            self.world.complain(f"{who} {result.reason} of match {match} before it is recorded: it is {status}")
        elif unpack(f"the record of match {match}", data, Record).result != result:
            self.world.complain(f"{who} {result.reason} of match {match}, but something else is recorded")

    def sent(self, link: "Link", messages: list[Any]) -> None:
        """A server writes to a connection."""
        for message in messages:
            kind = type(message)
            if kind is Turn or kind is GameMessage:
                key = (link.incarnation.label, message.match, link.instance.name)
                self.introduced[key] = link
                self.introduced_at.setdefault(key, self.world.loop.time())
                if kind is Turn:
                    self._hold(link, message)
            elif kind is Over:
                self.overs[link.incarnation.label, message.match, link.instance.name] = self.world.loop.time()
                self._must_be_recorded(message.match, message.outcome, f"{link.incarnation.label} writes")

    def _hold(self, link: "Link", turn: Turn) -> None:
        key = (link.incarnation.label, turn.match, turn.id // TURNS_IN_EPOCH, link.instance.name)
        former = self._holders.get(key)
        if former is not None and former is not link and former.speaks:
            self.world.complain(
                f"{link.incarnation.label} has {link.instance.name} in match {turn.match} on two connections at once"
            )
        self._holders[key] = link

    # --- what bots say ------------------------------------------------------------------------------------------------

    def arriving(self, message: Any, at: float) -> Arrival | None:
        """A bot's message will reach a server's machine at that time."""
        if type(message) is not Move:
            return None
        arrival = Arrival(at, message.move)
        if (posted := self.turns.get((message.match, message.id))) is not None:
            posted.arrivals.append(arrival)
        return arrival

    def arrived(
        self, incarnation: "Incarnation", bot: str, message: Any, arrival: Arrival | None, link: "Link | None" = None
    ) -> None:
        """It is read there now, from this connection; None: from the broker."""
        now = self.world.loop.time()
        self.world.note(f"{incarnation.label} reads {type(message).__name__} of {bot}")
        alone = self.looks(incarnation)
        if type(message) is Ready and self.introduced.get(key := (incarnation.label, message.match, bot)) is link:
            self.ready_at.setdefault(key, now)
        if arrival is not None:
            arrival.read_at, arrival.alone = now, alone
            posted = self.turns.get((message.match, message.id))
            ours = posted is not None and posted.incarnation is incarnation
            seat = self.introduced.get((incarnation.label, message.match, bot))
            arrival.heard = ours and (link is None or link is seat)

    def looks(self, incarnation: "Incarnation") -> bool:
        """A server reads something now; whether it has read nothing else just before."""
        now = self.world.loop.time()
        last, alone = self._last_read.get(incarnation.label, (0.0, True))
        if now != last:
            alone = now - last > 0.0025
        self._last_read[incarnation.label] = (now, alone)
        return alone

    def heard_over(self, label: str, match: str, result: Result) -> None:
        """A bot knows how a match has ended."""
        self.heard.append((label, match, result))


def _of(topic: str) -> tuple[str, str]:
    """The bot and the match in palio/bot/<name>/in/<match>."""
    _, _, bot, _, match = topic.split("/", 4)
    return bot, match


def observed(bus: Any, incarnation: "Incarnation") -> Any:
    """Return the same bus, with the messages to bots observed on their way."""
    publish = bus.publish

    def seen(topic: str, data: bytes, message: Any = None, *, retain: bool = False, at: float = 0.0) -> Any:
        if message is not None and topic.startswith(topics.BOTS) and "/in/" in topic:
            incarnation.world.ledger.posted(incarnation, topic, message)
        return publish(topic, data, message, retain=retain, at=at)

    bus.publish = seen
    return bus
