"""The sources of time and chance while a world is simulated: only its loop and its seed.

The product asks `time`, `datetime`, `secrets`, `random` and `os.urandom` in some twenty places, all of them through
their modules or as `datetime.now`. They are replaced there for as long as the world goes on, and so is all code
that may use them later: a test cannot forget one. Each simulated process has a wall clock of its own, which may be
wrong; the loop's clock, which counts the time that passes, is right.
"""

import asyncio
import os
import random
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from typing import Any

PACKAGES = ("palio_rules", "palio_db", "palio_server", "palio_clients")
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class _Instance(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime)


class SimulatedDatetime(datetime, metaclass=_Instance):
    """`datetime` whose `now` tells the simulated wall clock. All that it makes are plain ones."""

    wall: Callable[[], float] = time.time

    def __new__(cls, *args: Any, **named: Any) -> Any:
        return datetime(*args, **named)  # noqa: DTZ001  # as asked for

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        return datetime.fromtimestamp(cls.wall(), UTC).astimezone(tz)

    @classmethod
    def fromisoformat(cls, text: str) -> Any:
        return datetime.fromisoformat(text)

    @classmethod
    def fromtimestamp(cls, at: float, tz: tzinfo | None = None) -> Any:
        return datetime.fromtimestamp(at, tz)


class OrderedSet(dict[Any, None]):
    """The set of a task group's tasks, which are cancelled in the order in which they began: not by address."""

    def add(self, item: Any) -> None:
        self[item] = None

    def discard(self, item: Any) -> None:
        self.pop(item, None)


def _begin_group(group: asyncio.TaskGroup) -> None:
    _usual_begin(group)
    group._tasks = OrderedSet()  # type: ignore[attr-defined]


_usual_begin = asyncio.TaskGroup.__init__


@contextmanager
def seeded(chance: random.Random, monotonic: Callable[[], float], wall: Callable[[], float]) -> Iterator[None]:
    """Replace all sources of time and chance by these until the context ends."""
    SimulatedDatetime.wall = staticmethod(wall)  # type: ignore[assignment]
    former = random.getstate()
    random.seed(chance.getrandbits(64))
    replaced: dict[Any, dict[str, Any]] = {
        time: {
            "time": wall,
            "time_ns": lambda: round(wall() * 1000) * 1_000_000,
            "monotonic": monotonic,
            "monotonic_ns": lambda: round(monotonic() * 1e9),
        },
        secrets: {
            "token_bytes": lambda nbytes=32: chance.randbytes(nbytes),
            "token_hex": lambda nbytes=32: chance.randbytes(nbytes).hex(),
            "token_urlsafe": lambda nbytes=32: "".join(chance.choices(BASE64, k=nbytes * 4 // 3)),
            "randbits": chance.getrandbits,
            "choice": chance.choice,
        },
        os: {"urandom": chance.randbytes},
        random.Random: {"__init__": _seeded_by(chance)},
        asyncio.TaskGroup: {"__init__": _begin_group},
    }
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGES) and vars(module).get("datetime") is datetime:
            replaced[module] = {"datetime": SimulatedDatetime}
    usual = [(where, name, vars(where)[name]) for where, what in replaced.items() for name in what]
    for where, what in replaced.items():
        for name, new in what.items():
            setattr(where, name, new)
    try:
        yield
    finally:
        for where, name, old in usual:
            setattr(where, name, old)
        random.setstate(former)


def _seeded_by(chance: random.Random) -> Callable[..., None]:
    """A generator that was given no seed is seeded by the simulation."""

    def init(generator: random.Random, seed: Any = None) -> None:
        generator.seed(chance.getrandbits(32) if seed is None else seed)
        generator.gauss_next = None

    return init
