"""What was made of an event, kept until the event changes: questions in a row are answered by one look at it."""

from collections.abc import Callable
from typing import Generic, TypeVar

from palio_server.tournament.event import Event

Made = TypeVar("Made")


class Newest(Generic[Made]):
    """Keeps what `make` has made of the event that was asked about last. It must be treated as frozen."""

    def __init__(self, make: Callable[[Event], Made]) -> None:
        self._make = make
        self._kept: tuple[Event, int, Made] | None = None

    def of(self, event: Event) -> Made:
        """Made anew only if this is another event, or it has changed."""
        kept = self._kept  # looked at once: a thread may ask at the same time
        if kept is not None and kept[0] is event and kept[1] == event.revision:
            return kept[2]
        revision = event.revision  # of before: what changes meanwhile makes it old
        made = self._make(event)
        self._kept = event, revision, made
        return made
