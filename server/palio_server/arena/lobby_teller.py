"""What is played here, told to servers where somebody watches the lobby; what they tell, for those who watch here."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from palio_server import live
from palio_server.live.feed import Feed
from palio_server.nodes.node import Node

log = logging.getLogger(__name__)

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
