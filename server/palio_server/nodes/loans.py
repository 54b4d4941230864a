"""Slots of our bots, lent to other processes for matches that they play.

The process that has a bot's connection is the only one that says who may use its slots: two others never get the same
one. A loan belongs to one match under one epoch. A higher epoch takes it over, because the database has given the match
to somebody else; the slot of a match whose process is dead is kept for a while, so that whoever takes the match up
finds its bots.
"""

from collections.abc import Callable, Iterable

from palio_rules.contract import topics
from palio_server.bus import Bus, Envelope
from palio_server.lobby.loan import Loan
from palio_server.lobby.lobby import Lobby

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
        if loan is not None:  # on another connection of the same bot; whoever asks wants this one
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
            if _slot(loan) == slot:
                self._end(loan)

    def keep_only(self, process: str, slots: Iterable[Slot]) -> list[Slot]:
        """All that a process has borrowed, as it says; whatever else is lent to it is free. What is not lent to it?"""
        wanted = set(slots)
        for loan in self._of(process):
            if _slot(loan) in wanted:
                loan.orphaned_at = None
                wanted.discard(_slot(loan))
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
        """Whether that process may speak to the bot about `match`."""
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


def _slot(loan: Loan) -> Slot:
    return loan.session.key, loan.match, loan.epoch
