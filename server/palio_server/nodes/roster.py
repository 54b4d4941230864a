"""Which processes live. Pure: time is handed in, in seconds of the own monotonic clock.

A process that is not heard of for a while is taken for gone, whether it was killed, stopped or cut off; its last will
says so earlier. One that is heard of again after that comes as if it were new.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from palio_server.nodes.words import Beat

BEAT_S = 1.0  # between two signs of life
LEASE_S = 5.0  # without one
LATE_S = 2.0  # we have not looked for so long: we were stopped, or cut off, and have heard nobody


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
        """Who has been silent for too long, and is here no more; to be called at every beat.

        Nobody is gone because we were stopped, or are `deaf`: the broker is away.
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

    def everybody(self) -> list[Beat]:
        """We and all others, the oldest first: in the same order everywhere."""
        beats = [self.own, *(member.beat for member in self.members.values())]
        return sorted(beats, key=lambda beat: (beat.since, beat.process))

    def leader(self, fit: Callable[[Beat], bool]) -> str | None:
        """The oldest process that is fit for something that only one shall do; None: nobody is."""
        return next((beat.process for beat in self.everybody() if fit(beat) and not beat.stopping), None)

    def of_worker(self, worker: str) -> str | None:
        """The process of that name in the database."""
        return next((beat.process for beat in self.everybody() if beat.worker == worker), None)
