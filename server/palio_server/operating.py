"""The figures of a server, and draining it, for operators.

Every server has one `Operating`. The others of a group ask for its figures over the broker, so one page shows them all.
"""

import asyncio
import logging
import signal
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, NamedTuple, Self

import msgspec

from palio_rules.errors import BadOption
from palio_rules.version import BUILD
from palio_server.app_state import ServerParts
from palio_server.edge.budgets import Budgets
from palio_server.health import HealthWatch, Status, worst

log = logging.getLogger(__name__)

LOOK_S = 1.0  # seconds between two looks at a server that drains
SAMPLE_S = 5.0  # seconds between two samples of the counts,
SAMPLES = 13  # of which so many are kept: speeds are those of the last minute
LISTED = 50  # matches in play that are named, of one server
LONGEST = 300  # characters of the last error

State = Literal["plays", "draining", "drained", "stopping", "silent"]


class Draining(msgspec.Struct, frozen=True):
    """The manner of draining. `matches`: those in play end there, or other servers go on with them at once."""

    matches: Literal["end", "hand_over"] = "end"
    then: Literal["wait", "stop"] = "wait"  # when none is left: wait to be resumed, or end as by SIGTERM


class LoggedError(msgspec.Struct, frozen=True):
    """A line of the log, at level error."""

    at: str  # RFC 3339
    text: str


class LimitMet(msgspec.Struct, frozen=True):
    """A client that was refused: an address ("" is this machine), a bot's name or a token, and how often."""

    who: str
    times: int
    ago_s: float  # since the last refusal


class LimitFigures(msgspec.Struct, frozen=True):
    """A rate limit in effect: `rate` units a second, `burst` at once, for each client."""

    name: str
    rate: float
    burst: float
    met: list[LimitMet]  # who was refused, the last first


class QueueFigures(msgspec.Struct, frozen=True):
    """The queues of one server."""

    claims: int = 0  # matches that are claimed and not begun
    journal_plies: int = 0  # plies that are not in the database yet,
    journal_s: float = 0.0  # and how old the oldest is
    writes: int = 0  # of the database
    broker: int = 0  # messages to the broker


class ServerFigures(msgspec.Struct, frozen=True):
    """One server. Of a `silent` one only its name, role and release are known; `reason` says why it is silent.

    Counts are since its start, speeds those of the last minute.
    """

    worker: str
    role: Literal["all", "gateway", "referee"]
    release: str
    state: State
    health: Status = "ok"
    reason: str = ""  # of a health that is not ok
    up_s: float = 0.0
    bots: int = 0  # connected here
    playing: int = 0
    matches: list[str] = []  # in play, the first to begin first; at most 50
    concurrency: int = 0
    plies_a_second: float = 0.0
    matches_a_minute: float = 0.0
    finished: int = 0
    aborted: int = 0  # ended without a result
    crashed: int = 0  # lost by a bot whose program ended
    taken_away: int = 0  # other servers went on with them
    database_errors: int = 0
    errors: int = 0  # lines of the log at level error
    last_error: LoggedError | None = None
    queues: QueueFigures = QueueFigures()
    limits: list[LimitFigures] = []


class _Sample(NamedTuple):
    at: float
    plies: int
    finished: int


class LastError(logging.Handler):
    """A handler that keeps the last line at level error, and counts them.

    Without another handler Python writes warnings to stderr, as `palio run` relies on; this one keeps that up.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count, self.last = 0, ""
        self.at = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            self.count += 1
            self.last, self.at = record.getMessage(), record.created
        if logging.lastResort is not None and self._is_last_resort(logging.getLogger(record.name)):
            logging.lastResort.handle(record)

    def _is_last_resort(self, logger: logging.Logger | None) -> bool:
        """Return whether what `logger` says reaches handlers of this kind alone, this one first: a process may have
        several servers.
        """
        reached: list[logging.Handler] = []
        while logger is not None:
            reached += logger.handlers
            logger = logger.parent if logger.propagate else None
        return reached[0] is self and all(isinstance(handler, LastError) for handler in reached)


class Operating:
    """The figures of one server, and its draining. As a context it listens to the log."""

    def __init__(self, parts: ServerParts, health: HealthWatch, stop: Callable[[], None] | None = None) -> None:
        """`stop` ends the process; by default it is sent a SIGTERM, as by its supervisor."""
        self._parts, self._health = parts, health
        self._stop = stop or (lambda: signal.raise_signal(signal.SIGTERM))
        self._errors = LastError()
        self._began = time.monotonic()
        self._samples: deque[_Sample] = deque([self._sample()], maxlen=SAMPLES)
        self._how: Draining | None = None
        self._drained = False
        self._changed = asyncio.Event()
        self.limits: dict[str, Budgets] = {
            "wrong tokens of an address": parts.access.attempts.of_address,
            "hellos of a bot": parts.lobby.connection_counts.budgets,
        }

    def __enter__(self) -> Self:
        logging.getLogger("palio_server").addHandler(self._errors)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("palio_server").removeHandler(self._errors)

    # --- draining -----------------------------------------------------------------------------------------------------

    def drain(self, how: Draining | None) -> None:
        """Begin no further match, or with None play again. Raises BadOption if no server can take the matches over."""
        parts = self._parts
        if how is not None and not parts.settings.plays:
            raise BadOption(f"{parts.settings.worker} is a gateway and plays no matches; drain a server that plays")
        if how is not None and how.matches == "hand_over" and not parts.others.can_take_over():
            remedy = "let the matches end (matches: end), or start another server"
            raise BadOption(f"no other server can go on with the matches of {parts.settings.worker}; {remedy}")
        self._how, self._drained = how, False
        if how is None:
            parts.arena.undrain()
        else:
            parts.arena.drain()
        log.warning("this server drains: %s" if how else "this server plays again%s", how.matches if how else "")
        parts.others.tell_draining(draining=how is not None)
        self._changed.set()

    async def run(self) -> None:
        """Finish drains, and sample the counts, until cancelled."""
        while True:
            await self._look()
            self._changed.clear()
            try:
                async with asyncio.timeout(LOOK_S if self._how and not self._drained else SAMPLE_S):
                    await self._changed.wait()
            except TimeoutError:
                pass  # the next look is due

    async def _look(self) -> None:
        if time.monotonic() - self._samples[-1].at >= SAMPLE_S:
            self._samples.append(self._sample())
        how = self._how
        if how is None or self._drained:
            return
        if how.matches == "hand_over":  # again at each look: one may have been about to begin
            await self._parts.arena.drain_to_others()
        if not self._parts.arena.playing():
            self._drained = True
            log.warning("this server is drained; it %s", "stops" if how.then == "stop" else "waits")
            if how.then == "stop":
                self._stop()

    # --- figures ------------------------------------------------------------------------------------------------------

    def figures(self) -> ServerFigures:
        """Return the figures of this moment."""
        parts, arena, counts = self._parts, self._parts.arena, self._parts.arena.counts
        playing, health, settings = arena.playing(), self._health.look(), self._parts.settings
        now, first = self._sample(), self._samples[0]
        span_s = max(now.at - first.at, 1.0)
        return ServerFigures(
            worker=settings.worker,
            role=settings.role,
            release=BUILD,
            state=self._state(),
            health=worst(health),
            reason="; ".join(f"{each.name}: {each.reason}" for each in health if each.status != "ok"),
            up_s=round(now.at - self._began, 1),
            bots=len(parts.lobby.connected()),
            playing=len(playing),
            matches=playing[:LISTED],
            concurrency=settings.concurrency if settings.plays else 0,
            plies_a_second=round((now.plies - first.plies) / span_s, 1),
            matches_a_minute=round((now.finished - first.finished) / span_s * 60, 1),
            finished=now.finished,
            aborted=counts.aborted,
            crashed=counts.finished.get("crashed", 0),
            taken_away=counts.lost,
            database_errors=parts.store.errors,
            errors=self._errors.count,
            last_error=self._last_error(),
            queues=self._queues(),
            limits=[_limit(name, budgets) for name, budgets in self.limits.items()],
        )

    def _state(self) -> State:
        if self._parts.lobby.stopping is not None:
            return "stopping"
        return "plays" if self._how is None else "drained" if self._drained else "draining"

    def _last_error(self) -> LoggedError | None:
        if not self._errors.count:
            return None
        at = datetime.fromtimestamp(self._errors.at, UTC).isoformat(timespec="seconds")
        return LoggedError(at.replace("+00:00", "Z"), self._errors.last[:LONGEST])

    def _queues(self) -> QueueFigures:
        parts, journal = self._parts, self._parts.arena.journal
        return QueueFigures(
            claims=len(parts.arena.leases.claimed()),
            journal_plies=journal.waiting,
            journal_s=round(journal.behind_s, 1),
            writes=parts.store.writes_waiting,
            broker=parts.bus.waiting if parts.settings.mqtt is not None else 0,
        )

    def _sample(self) -> _Sample:
        counts = self._parts.arena.counts
        return _Sample(time.monotonic(), counts.plies, sum(counts.finished.values()))


def _limit(name: str, budgets: Budgets) -> LimitFigures:
    met = [LimitMet(key, times, round(ago_s, 1)) for key, times, ago_s in budgets.met()]
    return LimitFigures(name, budgets.rate, budgets.burst, met)
