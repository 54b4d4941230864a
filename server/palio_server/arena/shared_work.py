"""The arena of one server among others: what it tells them, what it asks them, and what it does for them."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from palio_rules.records.record import Record
from palio_server import live
from palio_server.arena.arena import Arena
from palio_server.arena.leaderboards import Leaderboards
from palio_server.live.feed import Feed
from palio_server.nodes.node import Node
from palio_server.nodes.requests import SNAPSHOT, Declined, NoAnswer

log = logging.getLogger(__name__)

STOP, CALL_OFF = "stop", "call-off"  # what one server asks another for
SCHEDULED, BEGUN, OVER, STALE, RATED = "scheduled", "begun", "over", "stale", "rated"  # what it tells all


class Ended(msgspec.Struct, frozen=True):
    """A match is over, with a result, or nobody was ready for it. `absent` names the bots that did not come."""

    match: str
    game: str
    rated: bool
    absent: tuple[str, ...] = ()


class SharedWork:
    """Connects an arena with those of other servers. There is nothing to run: it works when something happens."""

    def __init__(self, node: Node, arena: Arena, feed: Feed, leaderboards: Leaderboards) -> None:
        self._node, self._arena, self._feed, self._leaderboards = node, arena, feed, leaderboards
        feed.on_lost = lambda _match: None  # until somebody has viewers
        arena.tell_scheduled = lambda: node.tell_all(SCHEDULED)
        arena.call_off_elsewhere = self.call_off
        arena.on_start.append(lambda match: node.tell_all(BEGUN, match))
        arena.on_result.append(self._tell_result)
        arena.on_unplayed.append(self._tell_result)
        leaderboards.tell_stale = lambda game: node.tell_all(STALE, game)
        leaderboards.tell_rated = lambda game: node.tell_all(RATED, game)
        leaderboards.leads = node.leads
        node.on_settled.append(leaderboards.count_all_if_leading)
        node.on_gone.append(lambda _process: leaderboards.count_all_if_leading())
        node.hear_of(SCHEDULED, lambda _process, _about: arena.nudge())
        node.hear_of(BEGUN, lambda _process, match: self._hear(str(match), over=False))
        node.hear_of(OVER, self._hear_result)
        node.hear_of(STALE, lambda _process, game: leaderboards.recount(str(game), told=True))
        node.hear_of(RATED, lambda _process, game: leaderboards.heard(str(game)))
        node.requests.serve(SNAPSHOT, self._snapshot)
        node.requests.serve(STOP, self._stop)
        node.requests.serve(CALL_OFF, self._call_off)

    async def stop(self, worker: str | None, match: str, reason: str) -> bool:
        """End a match that the server of that name plays as a draw; False if it does not. Raises NoAnswer."""
        return await self._ask(worker, STOP, [match, reason])

    async def call_off(self, match: str, reason: str) -> bool:
        """End a match without a result, whoever plays it; False if nobody says that it does."""
        for process in list(self._node.roster.members):
            try:
                if await self._node.requests.ask(process, CALL_OFF, [match, reason]):
                    return True
            except (NoAnswer, Declined) as error:
                log.info("match %s is not called off there: %s", match, error)
        return False

    async def _ask(self, worker: str | None, verb: str, about: Any) -> bool:
        process = self._node.process_of(worker)
        if process is None:
            return False
        try:
            return bool(await self._node.requests.ask(process, verb, about))
        except Declined as error:
            log.info("%s is declined: %s", verb, error)
            return False

    def _tell_result(self, record: Record) -> None:
        absent = tuple(record.setup.bots[seat] for seat in record.absent or ())
        self._node.tell_all(OVER, Ended(record.match, record.setup.game, record.rated, absent))

    def _hear(self, match: str, *, over: bool) -> None:
        for listener in list(self._arena.on_news):
            listener(match, over)

    def _hear_result(self, _process: str, about: Any) -> None:
        ended = msgspec.convert(about, Ended)
        self._hear(ended.match, over=True)
        for bot in ended.absent:
            self._arena.absent(bot, ended.match)
        if ended.rated:
            self._leaderboards.recount(ended.game, told=True)

    async def _snapshot(self, match: Any) -> live.MatchSnapshot | None:
        return self._feed.snapshot(str(match))

    async def _stop(self, about: Any) -> bool:
        match, reason = about
        return self._arena.stop(str(match), str(reason))

    async def _call_off(self, about: Any) -> bool:
        match, reason = about
        return self._arena.call_off(str(match), str(reason))


# What is played here, told to servers where somebody watches the lobby; what they tell, for those who watch here.

TICK_S = 0.25  # as often as viewers of the lobby are told of changes
PART = 10  # matches in one message: each has a board, and brokers take 64 KB
SUBJECT = "lobby"


class Played(msgspec.Struct, frozen=True):
    """Matches as the lobby shows them; if `whole`, the server plays no others."""

    matches: list[live.Summary]
    whole: bool = False


class LobbyTeller:
    """Works for as long as `run` runs."""

    def __init__(self, feed: Feed, node: Node) -> None:
        self._feed, self._node = feed, node
        self._watching: set[str] = set()  # servers that have heard of all
        node.hear_of(SUBJECT, self._hear)
        node.on_gone.append(feed.elsewhere.forget)

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            watching = {process for process, member in self._node.roster.members.items() if member.beat.watched}
            if watching - self._watching:
                self._feed.tell_elsewhere(wanted=True)
                self._tell(self._feed.playing(), whole=True)
            elif watching:
                if changes := self._feed.changes_for_others():
                    self._tell(changes, whole=False)
            elif self._watching:
                self._feed.tell_elsewhere(wanted=False)
            self._watching = watching
            await asyncio.sleep(TICK_S)

    def _tell(self, summaries: Sequence[live.Summary], *, whole: bool) -> None:
        for begin in range(0, max(1, len(summaries)), PART):
            self._node.tell_all(SUBJECT, Played([*summaries[begin : begin + PART]], whole and begin == 0))

    def _hear(self, process: str, about: Any) -> None:
        try:
            told = msgspec.convert(about, Played)
        except msgspec.ValidationError as error:
            log.info("what %s plays cannot be read: %s", process, error)
            return
        self._feed.elsewhere.take(process, told.matches, whole=told.whole)
