"""The effect of each fault on a world, and its end."""

import re
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from palio_simulation.bots import Instance
from palio_simulation.broker import BrokerInstance
from palio_simulation.network import Link
from palio_simulation.schedule import KINDS, Fault

if TYPE_CHECKING:
    from palio_simulation.world import World


TARGETS = ("commit", "result", "release")
AT_COMMIT = [kind for kind in KINDS if re.search("commit|result|release", kind)]


def _crash(world: "World", fault: Fault) -> None:
    server = world.servers[fault.whom]
    if server is not None:
        server.kill()
    world.call_later(fault.ms / 1000, world.start, fault.whom)


def _at_commit(world: "World", fault: Fault) -> None:
    *before, last = fault.kind.split("-")
    if last in TARGETS:
        fate, target = "-".join(before), last
    else:  # commit-lost, result-unanswered
        fate, target = last, before[0]
    world.disk.befall(fault.whom, fate, fault.ms / 1000, target)  # type: ignore[arg-type]


def _stop(world: "World", fault: Fault) -> None:
    server = world.servers[fault.whom]
    if server is None or server.ended_at is not None:
        return
    server.stop()

    def look() -> None:
        if server.ended_at is not None:
            world.call_later(fault.ms / 1000, world.start, fault.whom)
        else:
            world.call_later(0.05, look)

    look()


def _pause(world: "World", fault: Fault) -> None:
    server = world.servers[fault.whom]
    if server is not None:
        server.pause(fault.ms / 1000)


def _gather(world: "World", fault: Fault) -> None:
    world.gather(fault.whom)


def _bad_time(world: "World", fault: Fault) -> None:
    now = world.loop.time()
    world.disk.bad_times.append((now, now + fault.ms / 1000))


def _away(world: "World", fault: Fault) -> None:
    world.lose_database(fault.ms / 1000)


def _restart(world: "World", fault: Fault) -> None:
    world.disk.restarts.setdefault(fault.whom, deque()).append(fault.ms / 1000)


def _full(world: "World", fault: Fault) -> None:
    _bad_time(world, fault)
    world.disk.full = True
    world.call_later(fault.ms / 1000, setattr, world.disk, "full", False)


def _slow(world: "World", fault: Fault) -> None:
    _bad_time(world, fault)
    world.disk.slow = 1.0
    world.call_later(fault.ms / 1000, setattr, world.disk, "slow", 0.0)


def _clock(world: "World", fault: Fault) -> None:
    world.wall_offsets[fault.whom] = world.wall_offsets.get(fault.whom, 0.0) + fault.ms / 1000


def _of(world: "World", fault: Fault) -> list[Instance]:
    return [each for each in world.bots if each.name == fault.whom and not each.gone]


def _cut(world: "World", fault: Fault) -> None:
    for instance in _of(world, fault)[:1]:
        if instance.link is not None:
            instance.link.cut(fault.ms / 1000)


def _stall(world: "World", fault: Fault) -> None:
    for instance in _of(world, fault):
        if isinstance(instance.link, Link):
            instance.link.stalled_until = world.loop.time() + fault.ms / 1000


def _careless(world: "World", fault: Fault) -> None:
    world.careless[fault.whom] = world.loop.time() + fault.ms / 1000


def _bot_crash(world: "World", fault: Fault) -> None:
    for instance in _of(world, fault):
        instance.crash(fault.ms / 1000)


def _second(world: "World", fault: Fault) -> None:
    if any(isinstance(each, BrokerInstance) for each in _of(world, fault)):
        return  # a broker knows one client of a name
    number = sum(each.name == fault.whom for each in world.bots)
    second = Instance(world, fault.whom, number, None)
    world.bots.append(second)
    second.connect()


def _broker_crash(world: "World", fault: Fault) -> None:
    if world.broker is not None:
        world.broker.crash(fault.ms / 1000)


def _broker_careless(world: "World", fault: Fault) -> None:
    if world.broker is not None:
        world.broker.careless_until = world.loop.time() + fault.ms / 1000


FAULTS: dict[str, Callable[["World", Fault], None]] = {
    "crash": _crash,
    **dict.fromkeys(AT_COMMIT, _at_commit),
    "stop": _stop,
    "pause": _pause,
    "db-away": _away,
    "db-restart": _restart,
    "db-slow": _slow,
    "db-full": _full,
    "clock": _clock,
    "cut": _cut,
    "stall": _stall,
    "careless": _careless,
    "bot-crash": _bot_crash,
    "second": _second,
    "gather": _gather,
    "broker-crash": _broker_crash,
    "broker-careless": _broker_careless,
}
