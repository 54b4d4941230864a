"""The lobby as its viewers see it: all matches, or only as many boards as a viewer shows.

A crowd of bots plays a thousand matches at once, of which a page shows sixteen. All viewers who ask for the same number
of boards see the same matches, so that each message is made once. A match is shown until it ends; then the one that
has begun last takes its place. A viewer may ask for the matches of an event, a bot or a game.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from palio_server import live
from palio_server.live.feed import Feed, LobbyChanges, MatchTags, tags_of

MOST_BOARDS = 100  # a viewer that shows more gets all matches


@dataclass(frozen=True, slots=True)
class LobbyWish:
    """The part of the lobby that a viewer asks for. `boards`: so many matches at most; None: all that fit."""

    boards: int | None = None
    event: int | None = None  # the number of a tournament
    bot: str = ""
    game: str = ""

    @property
    def is_choosy(self) -> bool:
        """Return whether only some matches fit, however many are shown."""
        return self.event is not None or bool(self.bot or self.game)

    def fits(self, tags: MatchTags | None) -> bool:
        """Return whether a match with these tags is asked for; one without is unknown."""
        if tags is None:
            return False
        return (
            self.event in (None, tags.tournament)
            and (not self.bot or self.bot in tags.bots)
            and self.game in ("", tags.game)
        )


ALL = LobbyWish()


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
    """At most so many of the matches that fit as are asked for, with the numbers of all; with 0 only the numbers."""

    def __init__(self, feed: Feed, wish: LobbyWish, here: int) -> None:
        self._feed, self._wish = feed, wish
        self._shown: list[str] = []
        self._seq = -1
        self._playing = self._here = 0  # as the viewers know them
        self.renew(here)

    def snapshot(self) -> live.LobbySnapshot:
        return live.LobbySnapshot(self._seq, self._summaries(self._shown), self._playing, self._here)

    def renew(self, here: int) -> live.LobbySnapshot:
        self._shown = [match for match in self._shown if self._feed.is_in_progress(match)]
        self._fill()
        self._seq, self._playing, self._here = self._seq + 1, self._count(), here
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
        playing = self._playing
        if not self._wish.is_choosy or len(kept) < len(self._shown) or self._others_changed(changes):
            self._shown = kept
            told += self._summaries(self._fill())
            playing = self._count()
        bots = changes.bots or changes.begun or changes.ended > 0
        if not told and not changes.leaderboards and not bots and (playing, here) == (self._playing, self._here):
            return None
        self._seq, self._playing, self._here = self._seq + 1, playing, here
        return live.LobbyUpdate(self._seq, told, changes.leaderboards, bots, playing, here, changes.ended)

    def _others_changed(self, changes: LobbyChanges) -> bool:
        """Return whether a match has changed that fits and is not shown: it may have begun, or ended."""
        shown = set(self._shown)
        return any(self._wish.fits(self._feed.tags(match)) for match in changes.own if match not in shown) or any(
            self._wish.fits(tags_of(summary)) for summary in changes.others if summary.match not in shown
        )

    def _fitting(self) -> Iterator[str]:
        """Yield the matches in progress that are asked for, the newest first."""
        found = self._feed.newest_first()
        if not self._wish.is_choosy:
            return found
        return (match for match in found if self._wish.fits(self._feed.tags(match)))

    def _count(self) -> int:
        return sum(1 for _ in self._fitting()) if self._wish.is_choosy else self._feed.in_progress()

    def _fill(self) -> list[str]:
        """Show further matches in the free places, those that have begun last; return them, the newest last."""
        shown = set(self._shown)
        further = (match for match in self._fitting() if match not in shown)
        room = None if self._wish.boards is None else self._wish.boards - len(shown)
        found = [*islice(further, room)][::-1]
        self._shown += found
        return found

    def _summaries(self, matches: Iterable[str]) -> list[live.Summary]:
        return [summary for match in matches if (summary := self._feed.summary(match)) is not None]
