"""A server that is restarted in the middle of a slow match, in both ways, again and again."""

import asyncio
import signal
import socket
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any, TypeVar

from command import Palio, Started

from palio_db.store import Store
from palio_db.work import read
from palio_rules.records.record import Record, Setup
from palio_rules.time_control import TimeControl

T = TypeVar("T")

HOW = (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL)

SLOW = """
import time
from palio_clients import Bot

class Slow(Bot):
    games = ("breakthrough",)

    def choose(self, state, clock):
        time.sleep(0.25)
        ahead = 1 if self.seat == 0 else -1
        return min(state.legal_moves(), key=lambda move: ahead * move.dst[0])  # so that it lasts
"""


class Restarted:
    """`palio serve` on one port, a slow match on it, and its bots, which come back by themselves."""

    def __init__(self, palio: Palio) -> None:
        self._palio = palio
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._db = f"sqlite:///{palio.folder}/palio.db"
        self._ways = cycle(HOW)
        self._server = self._start()
        (palio.folder / "slow.py").write_text(SLOW)
        for name in ("ann", "bob"):
            palio.start("join", self.url, "./slow.py", "--name", name, "--quiet")
        self.match = self._asked(self._schedule())
        self.until_plies(2)

    def restart(self) -> None:
        """It ends, in the next way, is away for a moment, and comes back; some plies later this returns."""
        how = next(self._ways)
        assert self._server.end(how) == (0 if how == signal.SIGTERM else -how)
        self._server = self._start()
        self.until_plies(self._plies() + 2)

    def until_plies(self, count: int) -> None:
        deadline = time.monotonic() + 60
        while self._plies() < count and self.record() is None:
            assert time.monotonic() < deadline, self._server.errors
            time.sleep(0.1)

    def record(self) -> Record | None:
        async def found() -> Record | None:
            async with await Store.open(self._db) as store:
                return await store.record(self.match)

        return self._asked(found())

    def finished(self) -> Record:
        deadline = time.monotonic() + 120
        while (record := self.record()) is None:
            assert time.monotonic() < deadline, self._server.errors
            time.sleep(0.5)
        return record

    def _plies(self) -> int:
        """Return how many plies are in the journal."""

        async def read_journal() -> int:
            async with await Store.open(self._db) as store:
                plies, _ = await store._database.query(lambda connection: read(connection, self.match))
                return len(plies)

        return self._asked(read_journal())

    def _start(self) -> Started:
        server = self._palio.start("serve", "--port", str(self.port), "--house-bots", "0", "--back-in", "0.5s")
        server.line_with("serves on")
        return server

    async def _schedule(self) -> str:
        async with await Store.open(self._db) as store:
            return await store.schedule(Setup("breakthrough", ("ann", "bob"), time=TimeControl.parse("600+5")))

    @staticmethod
    def _asked(question: Coroutine[Any, Any, T]) -> T:
        """In a thread: while a browser is driven, this one has an event loop that runs."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, question).result()
