"""One process of those that share the work: it says that it lives, tells of its bots, and hears of others'."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import msgspec

from palio_rules.contract import topics
from palio_server.addons.shared import messages
from palio_server.addons.shared.messages import Beat, Message, Role
from palio_server.addons.shared.requests import Requests
from palio_server.addons.shared.seating import Loans, Seating
from palio_server.addons.shared.sessions import OtherSessions, OwnSessions
from palio_server.bus import Envelope
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.session import Expulsion, Session

if TYPE_CHECKING:
    from palio_server.addons.shared.mqtt import MqttBus  # its library is for those who have a broker


# Which processes live. Pure: time is handed in, in seconds of the own monotonic clock.
#
# A process that is not heard of for a while is taken for gone, whether it was killed, stopped or cut off; its last will
# says so earlier. One that is heard of again after that comes as if it were new.

BEAT_S = 1.0  # between two signs of life
LEASE_S = 5.0  # without one
LATE_S = 2.0  # we have not looked for so long: we were stopped, or cut off, and have heard nothing


@dataclass(slots=True)
class Member:
    """Another process."""

    beat: Beat
    heard_at: float


@dataclass(slots=True)
class Roster:
    """All other processes that live, as far as we have heard."""

    own: Beat
    members: dict[str, Member] = field(default_factory=dict)
    _looked_at: float | None = None

    def hear(self, beat: Beat, now: float) -> bool:
        """A sign of life; whether it is the first."""
        member = self.members.get(beat.process)
        self.members[beat.process] = Member(beat, now)
        return member is None

    def bury(self, process: str) -> bool:
        """It says itself that it is gone, or its last will does; whether it was here."""
        return self.members.pop(process, None) is not None

    def lapse(self, now: float, *, deaf: bool = False) -> list[str]:
        """Remove and return the processes that were silent for too long; to be called at every beat.

        None is taken for gone while we are `deaf` (the broker is away), or were stopped.
        """
        late = now - (now if self._looked_at is None else self._looked_at)
        self._looked_at = now
        if deaf or late > LATE_S:
            for member in self.members.values():
                member.heard_at = now
            return []
        silent = [process for process, member in self.members.items() if now - member.heard_at > LEASE_S]
        for process in silent:
            del self.members[process]
        return silent

    def beats(self) -> list[Beat]:
        """We and all others, the oldest first: in the same order everywhere."""
        beats = [self.own, *(member.beat for member in self.members.values())]
        return sorted(beats, key=lambda beat: (beat.since, beat.process))

    def leader(self, fit: Callable[[Beat], bool]) -> str | None:
        """The oldest process that is fit for something that only one shall do; None: no process is."""
        return next((beat.process for beat in self.beats() if fit(beat) and not beat.stopping), None)

    def of_worker(self, worker: str) -> str | None:
        """The process of that name in the database."""
        return next((beat.process for beat in self.beats() if beat.worker == worker), None)


log = logging.getLogger(__name__)

RECONNECTED = "reconnected"  # what a server tells all others when it has the broker back
SETTLE_S = 1.5  # from the first beat on; then all others have answered it
ALONE_S = 8.0  # without a broker: then we do what there is to do


class Node:
    """One process. `run` runs for as long as it serves."""

    def __init__(self, bus: "MqttBus", lobby: Lobby, *, worker: str, role: Role, hold_s: float) -> None:
        """`hold_s`: how long slots are kept for the matches of a process that is dead."""
        self.process = f"{_topic_safe(worker)}-{secrets.token_hex(4)}"
        own = Beat(self.process, worker, role, time.time(), 0, version("palio"))
        self.bus, self.lobby, self.roster = bus, lobby, Roster(own)
        self.requests = Requests(self.send)
        self.loans = Loans(bus, lobby, self._say_to_match, hold_s)
        self.seating = Seating(lobby, self.send, bus.arrivals.now)
        self.settled = asyncio.Event()  # every server that lives has been heard of
        self.on_settled: list[Callable[[], None]] = []
        self.on_gone: list[Callable[[str], None]] = []  # told of processes that are gone
        self.on_reconnected: list[Callable[[], None]] = []  # we, or another process, have the broker back
        self._news: dict[str, Callable[[str, Any], None]] = {}
        self._own = OwnSessions(lobby, self._tell_of, lambda: self.roster.own.stopping)
        self._others = OtherSessions(bus, lobby, self.process, self.send, self.seating.lost)
        self._warned: set[str] = set()
        bus.connection.will = messages.gone(self.process), b"{}", False

    # --- what others ask of it ----------------------------------------------------------------------------------------

    def leads(self) -> bool:
        """Return whether we are the one of all referees that does what only one shall do."""
        return self.settled.is_set() and self.roster.leader(lambda beat: beat.referee) == self.process

    def assigned_here(self, name: str) -> bool:
        """Return whether, of all gateways, we let in the bot of that name on the broker (highest random weight)."""
        gateways = [beat.process for beat in self.roster.beats() if beat.gateway and not beat.stopping]
        weights = {process: sha256(f"{process} {name}".encode()).digest() for process in gateways}
        return self.settled.is_set() and max(weights, key=weights.__getitem__, default="") == self.process

    def process_of(self, worker: str | None) -> str | None:
        """The other process of that name in the database; None: it is gone, or it is this one."""
        found = self.roster.of_worker(worker or "")
        return None if found == self.process else found

    def hear_of(self, subject: str, sink: Callable[[str, Any], None]) -> None:
        """Call `sink` with the process that has told, and what it has told, of `subject`."""
        self._news[subject] = sink

    def tell_all(self, subject: str, about: Any = None) -> None:
        """Tell all others."""
        self.bus.publish(messages.to_all(self.process), messages.write(messages.News(subject, about)))

    def send(self, process: str, word: Message) -> None:
        """Tell another process."""
        self.bus.publish(messages.word(process, self.process), messages.write(word))

    def update(self, **changes: Any) -> None:
        """We are other than before, and say so at once."""
        own = msgspec.structs.replace(self.roster.own, **changes)
        if own != self.roster.own:
            self.roster.own = own
            self._beat()

    def tell_connections(self, name: str) -> None:
        """Tell all others soon that the connections of a bot, or their matches, have changed."""
        self._own.note(name)

    def tell_expelled(self, session: Session, match: str, why: Expulsion) -> None:
        """Tell all others that a bot was expelled that one of their matches has borrowed."""
        word = messages.Expelled(session.name, match, session.id, why.termination, why.reason, why.detail)
        self.bus.publish(messages.to_all(self.process), messages.write(word))

    def stop(self) -> None:
        """Tell all others that this process ends soon: its bots have no free slots."""
        self.update(stopping=True)
        self._own.note_all()
        self._own.tell()

    # --- running ------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Take part until cancelled."""
        heard = {
            messages.ALL_BEATS: self._hear_beat,
            messages.ALL_GONE: self._hear_gone,
            messages.ALL_SESSIONS: self._hear_changes,
            messages.FOR_ALL: self._hear_word,
            messages.mailbox(self.process): self._hear_mail,
        }
        self.hear_of(RECONNECTED, lambda process, _about: self._repair(process))
        open_ = [self.bus.subscribe(topic_filter, sink) for topic_filter, sink in heard.items()]
        listening = [self.bus.listen(topic_filter) for topic_filter in heard]
        open_.append(self.bus.subscribe(topics.SERVER, self._reconnected))
        connected_at: float | None = None
        began = self.bus.arrivals.now()
        try:
            while True:
                now = self.bus.arrivals.now()
                if not self.bus.connected:
                    connected_at = None
                elif connected_at is None:
                    connected_at = now
                for process in self.roster.lapse(now, deaf=connected_at is None or now - connected_at < BEAT_S):
                    self._lose(process, "it gives no sign of life")
                self.loans.sweep(now)
                self._beat()
                for process in list(self.roster.members):
                    self.send(process, messages.Borrowed(self.seating.borrowed_of(process)))
                self._others.look_again()
                self.seating.ask_again()
                here = connected_at is not None and now - connected_at > SETTLE_S
                if not self.settled.is_set() and (here or now - began > ALONE_S):
                    self.settled.set()
                    for listener in self.on_settled:
                        listener()
                await asyncio.sleep(BEAT_S)
        finally:
            for each in (*open_, *listening):
                each.close()
            self._own.close()
            self.requests.close()

    # --- what others say ----------------------------------------------------------------------------------------------

    def _reconnected(self, _topic: str, _envelope: Envelope) -> None:
        """We have the broker (back): what others have said to us meanwhile, and we to them, is lost."""
        self._beat()
        self.tell_all(RECONNECTED)
        self._repair()

    def _repair(self, process: str | None = None) -> None:
        """Make up for messages that are lost, between us and `process`, or all."""
        self.seating.seat_again(process)
        for listener in self.on_reconnected:
            listener()

    def _hear_beat(self, topic: str, envelope: Envelope) -> None:
        spoken, process = topic.split("/")[2], topic.rpartition("/")[2]
        if spoken != messages.VERSION:
            reason = f"a server speaks version {spoken!r} to others, this one {messages.VERSION!r}: they share nothing"
            self._warn(spoken, f"{reason}; upgrade the older one")
            return
        if process == self.process or (beat := self._read(process, envelope, messages.read_beat)) is None:
            return
        if self.roster.hear(beat, self.bus.arrivals.now()):
            log.info("the server %s is there (%s, palio %s)", process, beat.role, beat.release)
            self._others.begin(process)
            self._beat()
            if beat.worker == self.roster.own.worker:
                reason = f"another server is called {beat.worker!r} as well; give each a --worker of its own"
                self._warn(process, reason)
        if self._others.behind(process, beat.seq):
            self.send(process, messages.AskWhole())

    def _hear_gone(self, topic: str, _envelope: Envelope) -> None:
        process = topic.rpartition("/")[2]
        if self.roster.bury(process):
            self._lose(process, "its connection to the broker is gone")

    def _hear_changes(self, topic: str, envelope: Envelope) -> None:
        process = topic.rpartition("/")[2]
        changes = self._read(process, envelope, messages.read_changes)
        if changes is not None and self._others.hear(process, changes):
            self.send(process, messages.AskWhole())

    def _hear_mail(self, topic: str, envelope: Envelope) -> None:
        _, _, _, _, _, kind, process, *rest = topic.split("/")
        if kind == "word":
            self._hear_word(topic, envelope)
            return
        name, match = rest
        if kind == "in" and self.loans.lent_to(process, name, match):
            self.bus.publish_here(topics.bot_in(name, match), envelope.data)
        elif kind == "out":
            holder = self.lobby.holder(match, name)
            if holder is not None and holder.process == process:
                self.bus.publish_here(topics.bot_out(name, match), envelope.data, at=envelope.at)

    def _hear_word(self, topic: str, envelope: Envelope) -> None:  # noqa: C901, PLR0912  # a table of words
        process = topic.rpartition("/")[2]
        match self._read(process, envelope, messages.read_message):
            case messages.Ask(key, name, match, epoch):
                why = self.loans.lend(process, (key, match, epoch), name)
                self.send(process, messages.Lent(key, match, epoch, not why, why))
            case messages.Lent(key, match, epoch, lent, why):
                self.seating.answered(process, key, match, epoch, "" if lent else why or "no")
            case messages.GiveBack(key, match, epoch):
                self.loans.give_back(process, (key, match, epoch))
            case messages.Borrowed(slots):
                for key, match, epoch in self.loans.keep_only(process, slots):
                    self.send(process, messages.Recalled(key, match, epoch))
            case messages.Recalled(key, match, epoch):
                self.seating.recalled(process, key, match, epoch)
            case messages.Expelled(name, match, session, termination, reason, detail):
                self.lobby.expelled(match, name, session, Expulsion(termination, reason, detail))
            case messages.Close(key, code, reason):
                for replaced in [each for each in self.lobby.sessions() if each.key == key]:
                    self.lobby.close_taken_over(replaced, code, reason)
            case messages.AskWhole():
                for part in self._own.whole():
                    self.send(process, part)
            case messages.Whole() as whole:
                self._others.take(process, whole)
            case messages.Request() | messages.Answer() as word:
                self.requests.hear(process, word)
            case messages.News(subject, about) if subject in self._news:
                self._news[subject](process, about)

    def _read(self, process: str, envelope: Envelope, decode: Callable[[bytes], Any]) -> Any:
        """Decode a message; return None if it cannot be read, which is logged once for each process."""
        try:
            return decode(envelope.data)
        except (msgspec.MsgspecError, RecursionError) as error:
            self._warn(f"{process} speaks", f"what the server {process} says cannot be understood: {error}")
            return None

    def _warn(self, about: str, reason: str) -> None:
        """Say it once."""
        if about not in self._warned:
            self._warned.add(about)
            log.error("%s", reason)

    # --- others, and our bots -----------------------------------------------------------------------------------------

    def _lose(self, process: str, why: str) -> None:
        log.warning("the server %s is gone: %s", process, why)
        self.loans.orphan(process, self.bus.arrivals.now())
        lost = self._others.lose(process)
        if self.roster.leader(lambda beat: beat.gateway) == self.process:
            for session in lost:
                if session.transport != "mqtt":  # what it has told the world stands until it is corrected
                    self.lobby.tell_presence(session.name, session.transport)
        self.requests.lost(process)
        for listener in self.on_gone:
            listener(process)

    def _tell_of(self, changes: messages.Changes) -> None:
        self.bus.publish(messages.sessions(self.process), messages.write(changes))
        self.roster.own = msgspec.structs.replace(self.roster.own, seq=self._own.seq)

    def _say_to_match(self, process: str, name: str, match: str, data: bytes) -> None:
        self.bus.publish(messages.to_match(process, self.process, name, match), data)

    def _beat(self) -> None:
        self.bus.publish(messages.beat(self.process), messages.write(self.roster.own))


def _topic_safe(worker: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in worker)[:64]
