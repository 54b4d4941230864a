"""The lobby as its viewers see it: all matches, or only as many boards as a viewer shows.

A crowd of bots plays a thousand matches at once, of which a page shows sixteen. All viewers who ask for the same number
of boards see the same matches, so that each message is made once. A match is shown until it ends; then the one that
has begun last takes its place.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Protocol

from palio_server import live
from palio_server.live.feed import Feed, LobbyChanges

MOST_BOARDS = 100  # a viewer that shows more gets all matches


class LobbyView(Protocol):
    """The messages for all viewers who have asked for the same part of the lobby. `here` counts connected bots."""

    def snapshot(self) -> live.LobbySnapshot:
        """Return the first message for a viewer who comes now. Updates may repeat parts of it."""

    def renew(self, here: int) -> live.LobbySnapshot:
        """Return a snapshot in place of all messages before it: the end of a match may have been missed."""

    def update(self, changes: LobbyChanges, here: int) -> live.LobbySnapshot | live.LobbyUpdate | None:
        """Return the message about `changes`, or None if its viewers need none; a snapshot is like that of `renew`."""


class WholeLobby:
    """All matches."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def snapshot(self) -> live.LobbySnapshot:
        return self._feed.lobby()

    def renew(self, here: int) -> live.LobbySnapshot:
        return self._feed.lobby()

    def update(self, changes: LobbyChanges, here: int) -> live.LobbyUpdate:
        return self._feed.whole_update(changes)


class SomeBoards:
    """At most `boards` matches, with the numbers of all; with 0 only the numbers."""

    def __init__(self, feed: Feed, boards: int, here: int) -> None:
        self._feed, self._boards = feed, boards
        self._shown: list[str] = []
        self._seq = -1
        self._playing = self._here = 0  # as the viewers know them
        self.renew(here)

    def snapshot(self) -> live.LobbySnapshot:
        return live.LobbySnapshot(self._seq, self._summaries(self._shown), self._playing, self._here)

    def renew(self, here: int) -> live.LobbySnapshot:
        self._shown = [match for match in self._shown if self._feed.is_in_progress(match)]
        self._fill()
        self._seq, self._playing, self._here = self._seq + 1, self._feed.in_progress(), here
        return self.snapshot()

    def update(self, changes: LobbyChanges, here: int) -> live.LobbySnapshot | live.LobbyUpdate | None:
        others = {summary.match: summary for summary in changes.others}
        told, kept = [], []
        for match in self._shown:
            summary = self._feed.changed_summary(match, changes) or others.get(match)
            if summary is not None:
                told.append(summary)
            if self._feed.is_in_progress(match):
                kept.append(match)
            elif summary is None:  # its end was missed: only a snapshot takes it away from the viewers
                return self.renew(here)
        self._shown = kept
        told += self._summaries(self._fill())
        bots = changes.bots or changes.begun or changes.ended > 0
        playing = self._feed.in_progress()
        if not told and not changes.leaderboards and not bots and (playing, here) == (self._playing, self._here):
            return None
        self._seq, self._playing, self._here = self._seq + 1, playing, here
        return live.LobbyUpdate(self._seq, told, changes.leaderboards, bots, playing, here, changes.ended)

    def _fill(self) -> list[str]:
        """Show further matches in the free places, those that have begun last; return them, the newest last."""
        shown = set(self._shown)
        further = (match for match in self._feed.newest_first() if match not in shown)
        found = [*islice(further, self._boards - len(shown))][::-1]
        self._shown += found
        return found

    def _summaries(self, matches: Iterable[str]) -> list[live.Summary]:
        return [summary for match in matches if (summary := self._feed.summary(match)) is not None]
