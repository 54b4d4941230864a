"""Slots of bots that other processes have, borrowed for the matches that we play.

A slot is asked for before a match begins, and whenever a bot comes back for which a match waits here. The answer may be
lost, or come late: then it is asked again, and what is not needed is given back.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from palio_rules.contract import topics
from palio_server.addons.shared.messages import Ask, GiveBack, Message
from palio_server.bus import Bus, Envelope
from palio_server.lobby.lobby import Lobby, NotAvailable
from palio_server.lobby.session import Loan, Session

ANSWER_S = 2.0  # for another process to answer


@dataclass(eq=False, slots=True)
class Borrowed:
    """A slot that we have asked for; `lent` when the answer was yes."""

    session: Session
    match: str
    epoch: int
    asked_at: float
    answer: asyncio.Future[str] | None = None  # awaited before a match begins: "", or why not
    lent: bool = False


class Seating:
    """All that we have borrowed. `send` tells another process."""

    def __init__(self, lobby: Lobby, send: Callable[[str, Message], None], now: Callable[[], float]) -> None:
        self._lobby, self._send, self._now = lobby, send, now
        self._slots: dict[str, dict[str, Borrowed]] = {}  # by match and bot name

    async def seat(self, match: str, epoch: int, game: str, names: Sequence[str], *, absent_ok: bool) -> None:
        """Borrow what is needed to begin `match`. Raises NotAvailable, with nothing borrowed, unless `absent_ok`.

        Returns at once if all its bots are ours.
        """
        asked = []
        for name in names:
            session = self._candidate(match, name, game)
            if session is not None and session.process:
                asked.append(self._ask(session, match, epoch, asyncio.get_running_loop().create_future()))
        if not asked:
            return
        answers = [slot.answer for slot in asked if slot.answer is not None]
        try:
            await asyncio.wait(answers, timeout=ANSWER_S)
        except asyncio.CancelledError:
            self.release(match)
            raise
        why = []
        for slot in asked:
            if not slot.lent:
                said = slot.answer.result() if slot.answer is not None and slot.answer.done() else ""
                why.append(said or f"the server that has {slot.session.name} does not answer")
                self._give_back(slot)
        if why and not absent_ok:
            self.release(match)
            raise NotAvailable("; ".join(why))

    def release(self, match: str) -> None:
        """The match is over, or does not begin: what was borrowed for it is given back. Harmless twice."""
        for slot in list(self._slots.get(match, {}).values()):
            self._give_back(slot)

    def answered(self, process: str, key: int, match: str, epoch: int, why: str) -> None:
        """Another process has lent a slot ("") or says why not."""
        slot = self._find(process, key, match, epoch)
        if slot is None:
            if not why:  # it comes too late
                self._send(process, GiveBack(key, match, epoch))
            return
        slot.lent = not why
        if slot.answer is not None:
            if not slot.answer.done():
                slot.answer.set_result(why)
            return
        if why:
            self._forget(slot)
        elif slot.match not in slot.session.matches and not self._lobby.seat(slot.session, match):
            self._give_back(slot)

    def recalled(self, process: str, key: int, match: str, epoch: int) -> None:
        """Another process says that it has lent us no such slot, or no more."""
        slot = self._find(process, key, match, epoch)
        if slot is not None and slot.lent:
            self._forget(slot)
            self._lobby.unseat(slot.session, match)

    def borrowed_of(self, process: str) -> list[tuple[int, str, int]]:
        """All that we have borrowed from a process, or asked for."""
        return [_slot(slot) for slot in self._all() if slot.session.process == process]

    def seat_again(self, process: str | None = None) -> None:
        """Tell and ask the bots of `process`, or of all, everything again: messages may have been lost."""
        for slot in self._all():
            if slot.lent and process in (None, slot.session.process) and slot.match in slot.session.matches:
                self._lobby.unseat(slot.session, slot.match)
                self._lobby.seat(slot.session, slot.match)

    def lost(self, session: Session) -> None:
        """Another process's connection is gone, and its slots with it."""
        for slot in [slot for slot in self._all() if slot.session is session]:
            if slot.answer is not None and not slot.answer.done():
                slot.answer.set_result(f"{session.name} is gone")
            self._forget(slot)

    def ask_again(self) -> None:
        """Give up what was not answered or is not used, and ask again for bots that matches wait for; to be called now
        and then.
        """
        for slot in self._all():
            holder = self._lobby.holder(slot.match, slot.session.name)
            unanswered = slot.answer is None and not slot.lent and self._now() - slot.asked_at > ANSWER_S
            # Another connection of the bot has taken the seat meanwhile.
            unused = slot.lent and holder is not None and holder is not slot.session
            if unanswered or unused:
                self._give_back(slot)
        self._lobby.look_for_waiting()

    def _candidate(self, match: str, name: str, game: str) -> Session | None:
        """Return the connection of the bot that shall play: first the one that has a slot for this match already."""
        for session in self._lobby.connections(name):
            if match in (session.remote_matches if session.process else session.matches):
                return session
        return self._lobby.free_session(name, game)

    def ask_for_slot(self, session: Session, match: str, epoch: int) -> None:
        """Ask for a slot of another process's connection, for whose bot `match` waits here."""
        if session.name not in self._slots.get(match, ()):
            self._ask(session, match, epoch, None)

    def _ask(self, session: Session, match: str, epoch: int, answer: asyncio.Future[str] | None) -> Borrowed:
        slot = Borrowed(session, match, epoch, self._now(), answer)
        self._slots.setdefault(match, {})[session.name] = slot
        session.promised.add(match)
        self._send(session.process, Ask(session.key, session.name, match, epoch))
        self._lobby.update_remote(session)
        return slot

    def _give_back(self, slot: Borrowed) -> None:
        if self._forget(slot):
            self._send(slot.session.process, GiveBack(*_slot(slot)))

    def _forget(self, slot: Borrowed) -> bool:
        slots = self._slots.get(slot.match, {})
        if slots.get(slot.session.name) is not slot:
            return False
        del slots[slot.session.name]
        if not slots:
            del self._slots[slot.match]
        slot.session.promised.discard(slot.match)
        self._lobby.update_remote(slot.session)
        return True

    def _find(self, process: str, key: int, match: str, epoch: int) -> Borrowed | None:
        for slot in self._slots.get(match, {}).values():
            if slot.session.process == process and _slot(slot) == (key, match, epoch):
                return slot
        return None

    def _all(self) -> list[Borrowed]:
        return [slot for slots in self._slots.values() for slot in slots.values()]


def _slot(slot: Borrowed) -> tuple[int, str, int]:
    return slot.session.key, slot.match, slot.epoch


# Slots of our bots, lent to other processes for matches that they play.
#
# The process that has a bot's connection is the only one that says who may use its slots: two others never get the same
# one. A loan belongs to one match under one epoch. A higher epoch takes it over, because the database has given the
# match to another process; the slot of a match whose process is dead is kept for a while, so that the process that
# takes the match up finds its bots.

Slot = tuple[int, str, int]  # the connection's key, the match, its epoch
ToMatch = Callable[[str, str, str, bytes], None]  # process, name, match, what the bot says


class Loans:
    """All that are out. No waiting, and no clock of its own."""

    def __init__(self, bus: Bus, lobby: Lobby, to_match: ToMatch, hold_s: float) -> None:
        """`hold_s`: how long a dead process's slots are kept."""
        self._bus, self._lobby, self._to_match, self._hold_s = bus, lobby, to_match, hold_s
        self._loans: dict[tuple[str, str], Loan] = {}  # by bot name and match

    def __len__(self) -> int:
        return len(self._loans)

    def lend(self, process: str, slot: Slot, name: str) -> str:
        """Lend a slot to a process; "", or why not."""
        key, match, epoch = slot
        session = next((each for each in self._lobby.connections(name) if not each.process and each.key == key), None)
        if session is None:
            return f"{name} is gone"
        loan = self._loans.get((name, match))
        if loan is not None and loan.epoch > epoch:
            return f"match {match} is played by somebody else by now"
        if loan is not None and loan.session is session:
            loan.process, loan.epoch, loan.orphaned_at = process, epoch, None
            return ""
        if loan is not None:  # on another connection of the same bot; the request is for this one
            self._end(loan, played=False)
        if match in session.matches:
            return f"match {match} is played here"
        if self._lobby.stopping is not None or session.free_slots <= 0:
            return f"{name} has no free slot"
        loan = Loan(session, match, process, epoch, self._ended)
        if session.transport != "mqtt":  # the broker carries its messages, else we do
            loan.told = self._bus.subscribe(topics.bot_in(name, match), session.link.post)
            loan.said = self._bus.subscribe(topics.bot_out(name, match), self._forward(loan))
        self._loans[name, match] = loan
        self._lobby.lend(session, loan)
        return ""

    def give_back(self, process: str, slot: Slot) -> None:
        """A process needs a slot no more; harmless if it has none."""
        for loan in self._of(process):
            if _lent_slot(loan) == slot:
                self._end(loan)

    def keep_only(self, process: str, slots: Iterable[Slot]) -> list[Slot]:
        """Free all that is lent to a process but `slots`, which it says it has; return those that it has not."""
        wanted = set(slots)
        for loan in self._of(process):
            if _lent_slot(loan) in wanted:
                loan.orphaned_at = None
                wanted.discard(_lent_slot(loan))
            else:
                self._end(loan)
        return sorted(wanted)

    def orphan(self, process: str, now: float) -> None:
        """A process is dead. Its matches may be taken up by another one."""
        for loan in self._of(process):
            loan.orphaned_at = now

    def sweep(self, now: float) -> None:
        """Free what has been kept for long enough."""
        for loan in list(self._loans.values()):
            if loan.orphaned_at is not None and now - loan.orphaned_at > self._hold_s:
                self._end(loan, played=False)

    def lent_to(self, process: str, name: str, match: str) -> bool:
        """Return whether that process may speak to the bot about `match`."""
        loan = self._loans.get((name, match))
        return loan is not None and loan.process == process

    def _forward(self, loan: Loan) -> Callable[[str, Envelope], None]:
        def forward(_topic: str, envelope: Envelope) -> None:
            self._to_match(loan.process, loan.session.name, loan.match, envelope.data)

        return forward

    def _of(self, process: str) -> list[Loan]:
        return [loan for loan in self._loans.values() if loan.process == process]

    def _end(self, loan: Loan, *, played: bool = True) -> None:
        loan.close()
        self._lobby.take_back(loan.session, loan.match, played=played)

    def _ended(self, loan: Loan) -> None:
        if self._loans.get((loan.session.name, loan.match)) is loan:
            del self._loans[loan.session.name, loan.match]


def _lent_slot(loan: Loan) -> Slot:
    return loan.session.key, loan.match, loan.epoch
