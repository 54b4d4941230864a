"""The feed: every match's events, numbered, on the bus, and snapshots for viewers who come later.

The feed owns the state of the matches played in this process, and keeps a finished one for a while, so that a viewer
who comes just then still sees the end. `live_hub.py` decides which message goes over which socket.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from palio_rules.contract.names import is_guest
from palio_rules.contract.topics import match_event
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server import live
from palio_server.bus import Bus
from palio_server.live.match_live import MatchLive, aborted
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.match import events

# The matches that other servers play, as far as the lobby shows them.


class RemoteMatches:
    """The summaries that other servers have sent, by server."""

    def __init__(self) -> None:
        self._matches: dict[str, dict[str, live.Summary]] = {}
        self._changed: dict[str, live.Summary] = {}
        self._known: set[str] = set()  # servers that have told of all their matches
        self._missed = False  # a match may have gone without its end
        self._begun = False  # a match has begun since the last call of `take_begun`

    def find(self, match: str) -> live.Summary | None:
        """Return a match in progress; None if there is none."""
        return next((matches[match] for matches in self._matches.values() if match in matches), None)

    def playing(self) -> list[live.Summary]:
        """Return all matches in progress."""
        return [summary for matches in self._matches.values() for summary in matches.values()]

    def take(self, server: str, summaries: Sequence[live.Summary], *, whole: bool) -> None:
        """Take in matches that a server plays or has just played; if `whole`, it plays no others."""
        matches = self._matches.setdefault(server, {})
        if whole:
            gone = matches.keys() - {summary.match for summary in summaries}
            self._missed = self._missed or bool(gone) or server not in self._known
            self._known.add(server)
            matches.clear()
        for summary in summaries:
            self._changed[summary.match] = summary
            if summary.result is None and summary.rests is not True:
                self._begun = self._begun or summary.match not in matches
                matches[summary.match] = summary
            else:
                matches.pop(summary.match, None)

    def forget(self, server: str) -> None:
        """Remove a server that is gone; the server that takes up its matches will report them."""
        self._matches.pop(server, None)
        self._known.discard(server)

    def take_changes(self) -> list[live.Summary]:
        """Return the changes since the last call."""
        found, self._changed = list(self._changed.values()), {}
        return found

    def take_begun(self) -> bool:
        """Return whether a match may have begun since the last call."""
        found, self._begun = self._begun, False
        return found

    def take_missed(self) -> bool:
        """Return whether the end of a match may have been missed since the last call: then changes do not tell all."""
        found, self._missed = self._missed, False
        return found


log = logging.getLogger(__name__)

TERM = 1 << 20  # numbers for each server that plays a match: the numbers of the next server are higher
KEEP_S = 60.0  # seconds that a finished match is kept here; later the store has it
KEEP = 50  # and how many of them at most
REST_S = 300.0  # seconds without a move, after which the lobby and the hall do without a guest's match
LEFT_S = 15.0  # seconds for which a guest may be away before they do; a page that is loaded again is back in less


class MatchTags(NamedTuple):
    """The properties by which a viewer of the lobby may choose matches."""

    game: str
    bots: Sequence[str]
    tournament: int | None


class LobbyChanges(NamedTuple):
    """The changes of the lobby between two updates. Summaries of matches played here are made by `Feed.summary`."""

    own: Mapping[str, live.Summary | None]  # matches played here; a summary where the match is no longer kept
    others: Sequence[live.Summary]  # matches of other servers
    leaderboards: list[str]
    bots: bool  # bots have come, gone or become free
    begun: bool  # a match has begun
    ended: int  # matches that have ended


def tags_of(summary: live.Summary) -> MatchTags:
    """Return what a match may be chosen by."""
    return MatchTags(summary.game, [seat.bot for seat in summary.seats], summary.tournament)


class _KeptMatch:
    """The events of one match, and its state, which is made only when a viewer needs it."""

    __slots__ = ("_live", "_make", "_waiting", "left_at", "match", "moved_at", "over", "rests", "seq", "tags", "topic")

    def __init__(self, match: str, seq: int, tags: MatchTags, make: Callable[[], MatchLive]) -> None:
        """`make` makes the state at `seq`."""
        self.match, self.topic, self.seq, self.over, self.tags = match, match_event(match), seq, False, tags
        self.moved_at = 0.0  # of a guest's match
        self.left_at: dict[int, float | None] = {}  # when each guest went away, by seat; None: is here
        self.rests = False  # its guest has left, or has not moved for a long time: it is left out of lists
        self._make = make
        self._live: MatchLive | None = None
        self._waiting: list[events.RefereeEvent] = []  # not in the state yet

    def note(self, event: events.RefereeEvent) -> None:
        self.seq += 1
        self._waiting.append(event)
        self.over = self.over or type(event) is events.Finished

    def resting(self, now: float) -> bool:
        """Return True for a guest's match without a move for a long time, or whose guest has been away for a while."""
        away = any(left is not None and now - left >= LEFT_S for left in self.left_at.values())
        return away or now - self.moved_at >= REST_S

    def live(self) -> MatchLive:
        """Return the present state. Raises ValueError if the match cannot be played."""
        found = self._live
        if found is None:
            found = self._live = self._make()
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            try:
                found.note(event)
            except Exception:  # a third-party game: what can be shown of the match is shown
                log.exception("match %s: an event cannot be shown", self.match, extra={"match": self.match})
        return found


def first_of(epoch: int) -> int:
    """Return the first number of the server that claims a match under `epoch`."""
    return (epoch - 1) * TERM


def epoch_of(seq: int) -> int:
    """Return the epoch under which a match had that number."""
    return seq // TERM + 1


class Feed:
    """The matches in progress, for all viewers."""

    def __init__(self, bus: Bus, others: OtherServers = ALONE) -> None:
        self._bus, self._others = bus, others
        self._matches: dict[str, _KeptMatch] = {}
        self._of_guests: dict[str, _KeptMatch] = {}  # those in progress
        self._finished: deque[tuple[float, _KeptMatch]] = deque()
        self._awaited: dict[str, set[asyncio.Future[None]]] = {}  # by viewers who have come before it was opened
        self._lobby_watched = False
        self._changed: dict[str, live.Summary | None] = {}  # since the last update; a summary where the match is gone
        self._others_watch = False
        self._begun, self._ended = False, 0  # the same: whether a match has begun, and how many have ended
        self._changed_for_others: dict[str, live.Summary | None] = {}  # as `_changed`, for other servers
        self.on_lost: list[Callable[[str], None]] = []  # called with a match that another server goes on with
        self.remote = RemoteMatches()
        self._leaderboards: set[str] = set()
        self._updates = 0

    def open(
        self,
        match: str,
        setup: Setup,
        event_name: str = "",
        journal: Sequence[Ply] = (),
        refusals: Sequence[RejectedMove] = (),
        *,
        tournament: int | None = None,
        epoch: int = 1,
    ) -> None:
        """Open a match that is about to begin, or to go on after its journaled plies.

        The match must be playable. If it is known already (its worker had lost it), its viewers get a new snapshot in
        place of a delta; the `epoch` of its claim marks it as newer than all earlier events.
        """
        old = self._matches.get(match)
        seq = max(first_of(epoch), 0 if old is None else old.seq + 1)
        tags = MatchTags(setup.game, setup.bots, tournament)
        self._matches[match] = found = _KeptMatch(
            match,
            seq,
            tags,
            lambda: MatchLive(match, setup, event_name, journal, refusals, seq=seq, tournament=tournament),
        )
        found.left_at = {seat: None for seat, bot in enumerate(setup.bots) if is_guest(bot)}
        if found.left_at:
            self._of_guests[match], found.moved_at = found, asyncio.get_running_loop().time()
        self._begun = True
        self._mark(match)
        for waiting in self._awaited.pop(match, ()):
            if not waiting.done():
                waiting.set_result(None)
        if (old is not None or epoch > 1) and self._bus.wanted(found.topic):
            self._bus.publish(found.topic, found.live().snapshot_json(), found.live().snapshot())

    async def opened(self, match: str, seconds: float) -> None:
        """Return when the match has been opened here, or after `seconds`."""
        if match in self._matches:
            return
        waiting = asyncio.get_running_loop().create_future()
        self._awaited.setdefault(match, set()).add(waiting)
        try:
            async with asyncio.timeout(seconds):
                await waiting
        except TimeoutError:
            pass
        finally:
            if match in self._awaited:
                self._awaited[match].discard(waiting)
                if not self._awaited[match]:
                    del self._awaited[match]

    def note(self, match: str, event: events.RefereeEvent) -> None:
        """Take in an event, and publish it. Raises KeyError for a match that was never opened."""
        found = self._matches[match]
        found.note(event)
        if match in self._of_guests:
            self._note_of_guest(found, event)
        if not found.rests:
            self._mark(match)
        if self._bus.wanted(found.topic):  # without viewers nothing is drawn: a later snapshot is still complete
            delta = found.live().delta(event)
            self._bus.publish(found.topic, msgspec.json.encode(delta), delta)
        if type(event) is events.Finished:
            self._ended += 1
            self._finished.append((asyncio.get_running_loop().time() + KEEP_S, found))
            self._sweep()

    def drop(self, match: str, reason: str, *, lost: bool = False) -> None:
        """Remove a match that is not played to its end, for `reason`; it has no result that counts. May be called
        twice.

        If it is `lost` to another server, and servers share the work, it goes on there: viewers are not told that it is
        over.
        """
        found = self._matches.get(match)
        if found is None or found.over:
            return
        if lost and self._others.sharing:
            del self._matches[match]
            self._of_guests.pop(match, None)
            for changed in (self._changed, self._changed_for_others):
                changed.pop(match, None)
            for listener in self.on_lost:
                listener(match)
            return
        live_match = found.live()
        self.note(match, events.Finished(aborted(live_match.setup, reason), None, live_match.clocks))

    def snapshot(self, match: str) -> live.MatchSnapshot | None:
        """Return the present state of the match, or its end a little while ago; None if it is not known here."""
        found = self.find(match)
        return None if found is None else found.snapshot()

    def find(self, match: str) -> MatchLive | None:
        """Return the state behind `snapshot`, whose encoding callers may share."""
        self._sweep()
        found = self._matches.get(match)
        return None if found is None else found.live()

    def running(self) -> int:
        """Return the number of matches in progress."""
        return sum(not found.over for found in self._matches.values())

    def lobby(self) -> live.LobbySnapshot:
        """Return the matches in progress. Updates from `seq` + 1 on continue it; they may repeat parts of it."""
        self._sweep()
        others = [each for each in self.remote.playing() if each.match not in self._matches]
        return live.LobbySnapshot(self._updates, [*self.playing(), *others])

    def playing(self) -> list[live.Summary]:
        """Return the matches in progress in this process, without those that rest."""
        self._look_for_rest()
        return [found.live().summary() for found in self._matches.values() if not (found.over or found.rests)]

    def in_progress(self) -> int:
        """Return the number of matches in `lobby`."""
        others = sum(summary.match not in self._matches for summary in self.remote.playing())
        return others + sum(not (found.over or found.rests) for found in self._matches.values())

    def newest_first(self) -> Iterator[str]:
        """Yield the matches in `lobby`: first those played here, the newest first, then those of other servers."""
        yield from (match for match, found in reversed(self._matches.items()) if not (found.over or found.rests))
        yield from (each.match for each in reversed(self.remote.playing()) if each.match not in self._matches)

    def summary(self, match: str) -> live.Summary | None:
        """Return a match of the lobby as it is now; None if it is not in progress."""
        found = self._matches.get(match)
        if found is None:
            return self.remote.find(match)
        return None if found.over or found.rests else found.live().summary()

    def tags(self, match: str) -> MatchTags | None:
        """Return the tags of a match of the lobby, or of one that has just ended here; None if it is unknown."""
        if (found := self._matches.get(match)) is not None:
            return found.tags
        summary = self.remote.find(match)
        return None if summary is None else tags_of(summary)

    def is_in_progress(self, match: str) -> bool:
        """Return True if the match is in `lobby`."""
        found = self._matches.get(match)
        return self.remote.find(match) is not None if found is None else not (found.over or found.rests)

    @property
    def lobby_watched(self) -> bool:
        """True if the lobby has viewers."""
        return self._lobby_watched

    def watch_lobby(self, *, watched: bool) -> None:
        """Set if `lobby_changes` is called from now on; otherwise nothing is kept for it."""
        self._lobby_watched = watched
        self._begun, self._ended = False, 0
        self._changed.clear()
        self._leaderboards.clear()

    def lobby_changes(self, *, bots: bool = False) -> LobbyChanges | None:
        """Return the changes since the last call, for its one caller, who passes if the bots have changed; None for no
        change.
        """
        self._look_for_rest()
        others, begun = self.remote.take_changes(), self.remote.take_begun() or self._begun
        ended = self._ended + sum(summary.result is not None for summary in others)
        changed, self._changed, self._begun, self._ended = self._changed, {}, False, 0
        leaderboards, self._leaderboards = sorted(self._leaderboards), set()
        if not changed and not others and not leaderboards and not bots:
            return None
        self._updates += 1
        return LobbyChanges(changed, others, leaderboards, bots, begun, ended)

    def whole_update(self, changes: LobbyChanges) -> live.LobbyUpdate:
        """Return the newest `changes` for a viewer of all matches."""
        summaries = [*self._summaries(changes.own), *changes.others]
        return live.LobbyUpdate(self._updates, summaries, changes.leaderboards, changes.bots)

    def lobby_update(self, *, bots: bool = False) -> live.LobbyUpdate | None:
        """Return `whole_update` of `lobby_changes`; None for no change."""
        changes = self.lobby_changes(bots=bots)
        return None if changes is None else self.whole_update(changes)

    def tell_others(self, *, wanted: bool) -> None:
        """Set if other servers want our matches: then `changes_for_others` has the changes."""
        self._others_watch = wanted
        self._changed_for_others.clear()

    def changes_for_others(self) -> list[live.Summary]:
        """Return our matches that have changed since the last call."""
        self._look_for_rest()
        found = self._summaries(self._changed_for_others)
        self._changed_for_others.clear()
        return found

    def leaderboard_changed(self, game: str) -> None:
        """Tell the lobby's viewers to request the leaderboard again."""
        if self._lobby_watched:
            self._leaderboards.add(game)

    def changed_summary(self, match: str, changes: LobbyChanges) -> live.Summary | None:
        """Return a match played here if it is among the `changes`, with its result if it has ended; else None."""
        if match not in changes.own:
            return None
        return changes.own[match] or self._summary(self._matches[match])

    def _summaries(self, changed: Mapping[str, live.Summary | None]) -> list[live.Summary]:
        return [gone or self._summary(self._matches[match]) for match, gone in changed.items()]

    def _summary(self, found: _KeptMatch) -> live.Summary:
        summary = found.live().summary()
        return msgspec.structs.replace(summary, rests=True) if found.rests else summary

    def _note_of_guest(self, found: _KeptMatch, event: events.RefereeEvent) -> None:
        """Note when a guest's match was played on last, and who is away; a guest who only comes back has not moved."""
        now = asyncio.get_running_loop().time()
        match event:
            case events.Absent(seat) | events.Back(seat):
                if seat in found.left_at:
                    found.left_at[seat] = now if isinstance(event, events.Absent) else None
            case events.Finished():
                self._of_guests.pop(found.match, None)
                found.moved_at, found.left_at = now, {}
            case _:
                found.moved_at = now
        found.rests = found.rests and found.resting(now)

    def _look_for_rest(self) -> None:
        """Mark the guests' matches that have had no move for a long time, or whose guests have left."""
        now = asyncio.get_running_loop().time()
        for found in self._of_guests.values():
            if not found.rests and found.resting(now):
                found.rests = True
                self._mark(found.match)

    def _mark(self, match: str) -> None:
        if self._lobby_watched:
            self._changed[match] = None
        if self._others_watch:
            self._changed_for_others[match] = None

    def _sweep(self) -> None:
        now = asyncio.get_running_loop().time()
        while self._finished and (len(self._finished) > KEEP or self._finished[0][0] <= now):
            _, found = self._finished.popleft()
            if self._matches.get(found.match) is not found:
                continue  # it was opened again
            del self._matches[found.match]
            for changed in (self._changed, self._changed_for_others):
                if found.match in changed:
                    changed[found.match] = found.live().summary()
