"""The one database of a world: a real SQLite file, of which a disk with faults answers to each simulated process.

Statements run on the real library, in this thread, each at one moment of virtual time. What is simulated is everything
around them: how long they take, who has to wait for whom, and the failures that a driver reports.
"""

import asyncio
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Literal, Protocol

UNIX_1970 = 2440587.5  # as a Julian day
BUSY_S = 10.0  # how long a writer waits for another one
SYNCHRONOUS = "PRAGMA synchronous = FULL"  # how the product asks to wait for the disk
CALL_MS = 5  # how long most calls of the store take, about
OBSERVER = "observer"  # no fault befalls this client
Target = Literal["commit", "result", "release"]  # any commit, or one by which a match ends, or is given back
AtCommit = Literal["lost", "unanswered", "crash-before", "crash-after", "pause-before"]


class Client(Protocol):
    """A process that uses the database."""

    label: str
    dead: bool

    def kill(self) -> None: ...
    def suffer(self, fate: str, seconds: float) -> None:
        """Set its fate at its next commit: it is killed for so long, or stands still."""


class Killed(BaseException):
    """The process that asked is dead; nothing of it goes on."""


class Disk:
    """The parts that all processes share: the file, its one writer, its clock and its faults."""

    def __init__(self, file: Path, wall: Callable[[], float], chance: Random) -> None:
        self.file, self._wall, self._chance = file, wall, chance
        self.away = False  # nothing can be read or written
        self.full = False  # nothing can be written
        self.slow = 0.0  # seconds more, at most, for each transaction
        # What befalls the next commits of a server, of each kind; with how long it lasts.
        self.at_commit: dict[tuple[str, Target], deque[tuple[AtCommit, float]]] = {}
        self.restarts: dict[str, deque[float]] = {}  # by method of the store: how long it is away from the next call on
        self.restart: Callable[[float, float], None] = lambda _after, _seconds: None
        self.failed = 0  # commits
        self.bad_times: list[tuple[float, float]] = []  # from when until when it was away, full or slow
        self.happened: Callable[[str], None] = lambda _what: None
        self._writer: object = None
        self._waiting: deque[tuple[object, asyncio.Future[None]]] = deque()
        self._open: dict[str, list[sqlite3.Connection]] = {}
        self._idle: dict[str, list[sqlite3.Connection]] = {}

    def connect(self, client: Client) -> sqlite3.Connection:
        """A connection of the driver's own, that tells the simulated time, and who it is."""
        self.check(client)
        connection = open_file(self.file)
        connection.create_function("julianday", -1, lambda *_: self._wall() / 86400 + UNIX_1970)
        connection.create_function("unixepoch", -1, lambda *_: int(self._wall()))
        connection.create_function("written_by", 0, lambda: client.label)
        self._open.setdefault(client.label, []).append(connection)
        return connection

    def lend(self, client: Client) -> tuple[sqlite3.Connection, bool]:
        """A connection that this client has given back, or a new one, and which it is.

        A new one has to read what tables there are, which takes longer than most of what is asked then.
        """
        self.check(client)
        idle = self._idle.get(client.label)
        return (idle.pop(), False) if idle else (self.connect(client), True)

    def give_back(self, client: Client, connection: sqlite3.Connection) -> None:
        """The client has no use for it now."""
        if client.dead:
            return  # it has been closed
        if connection.in_transaction:
            connection.rollback()
        self._idle.setdefault(client.label, []).append(connection)

    @property
    def suffered(self) -> bool:
        """Return True if a fault of its own has happened by now."""
        return bool(self.bad_times or self.failed)

    def check(self, client: Client) -> None:
        """Raise what the driver would while the database is away."""
        if self.away and client.label != OBSERVER:
            raise sqlite3.OperationalError("unable to open database file")

    def called(self, client: Client, method: str) -> None:
        """A process calls `method` of its store: the database may restart before, within or just after that."""
        if waiting := self.restarts.get(method):
            after = self._chance.randrange(0, CALL_MS) / 1000
            self.happened(f"{client.label} calls {method}, the database restarts in {after:g} s")
            self.restart(after, waiting.popleft())

    def check_room(self, client: Client) -> None:
        self.check(client)
        if self.full and client.label != OBSERVER:
            raise sqlite3.OperationalError("database or disk is full")

    def delay(self) -> float:
        """Return how long the next step takes: whole milliseconds, usually one."""
        if not self.slow:
            return 0.001
        return 0.001 * self._chance.randrange(1, max(2, int(self.slow * 1000)))

    def befall(self, server: str, fate: AtCommit, seconds: float, target: Target) -> None:
        """Let this befall the next commit of the server that is a target."""
        self.at_commit.setdefault((server, target), deque()).append((fate, seconds))

    def pause_before(self, client: Client, target: Target) -> bool:
        """A process is about to write: whether it stands still first."""
        return bool(self.at_commit) and None is not self._fate(client, ("pause-before",), target)

    def _fate(self, client: Client, kinds: Sequence[AtCommit], target: Target) -> AtCommit | None:
        """Return the fate of the commit that `client` makes, if that is one of `kinds`."""
        name = client.label.partition("#")[0]
        for each in dict.fromkeys((target, "commit")):
            waiting = self.at_commit.get((name, each))  # type: ignore[arg-type]
            if waiting and waiting[0][0] in kinds:
                fate, seconds = waiting.popleft()
                self.happened(f"{client.label} {fate} the {each}")
                client.suffer(fate, seconds)
                return fate
        return None

    def commit(
        self, client: Client, commit: Callable[[], object], undo: Callable[[], object], target: Target = "commit"
    ) -> None:
        """Commit, or fail as a database may. Raises the driver's error, or Killed."""
        fate = self._fate(client, ("lost", "unanswered", "crash-before", "crash-after"), target)
        if fate == "crash-before":
            client.kill()
            raise Killed
        self.failed += fate in ("lost", "unanswered")
        if fate == "lost":
            undo()
            raise sqlite3.OperationalError("disk I/O error")
        self.check_room(client)
        commit()
        self.happened(f"{client.label} commits")
        if fate == "crash-after":
            client.kill()
            raise Killed
        if fate == "unanswered":
            raise sqlite3.OperationalError("disk I/O error")

    # --- one writer at a time -----------------------------------------------------------------------------------------

    async def acquire(self, who: object) -> None:
        """Wait, as SQLite does, until no other process writes."""
        if self._writer is None and not self._waiting:
            self._writer = who
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((who, turn))
        try:
            async with asyncio.timeout(BUSY_S):
                await turn
        except BaseException as error:
            self.release(who)
            if isinstance(error, TimeoutError):
                raise sqlite3.OperationalError("database is locked") from None
            raise

    def release(self, who: object) -> None:
        """Let the next writer write. Harmless for one that does not."""
        if self._writer is not who:
            self._waiting = deque(each for each in self._waiting if each[0] is not who)
            return
        self._writer = None
        while self._waiting and self._writer is None:
            self._writer, turn = self._waiting.popleft()
            if turn.done():
                self._writer = None
            else:
                turn.set_result(None)

    def drop(self, client: Client) -> None:
        """The process is gone: what it has not committed is undone, and its lock is free."""
        self._idle.pop(client.label, None)
        for connection in self._open.pop(client.label, ()):
            connection.close()
        for who in [self._writer, *(who for who, _ in self._waiting)]:
            if getattr(who, "client", None) is client:
                self.release(who)

    def close(self) -> None:
        for connections in self._open.values():
            for connection in connections:
                connection.close()
        self._open.clear()


def open_file(file: Path) -> sqlite3.Connection:
    """Only this process opens it, so that locks and the index of the WAL need not leave its memory."""
    name = f"{file.as_uri()}?vfs=unix-excl" if os.name == "posix" else file.as_uri()
    connection = sqlite3.connect(name, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = OFF")  # no power is ever cut
    return connection
