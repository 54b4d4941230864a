"""Each part is as it is since a certain moment, and only our own parts keep newcomers away."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from palio_server.health import BEHIND, OWN, HealthWatch, worst
from palio_server.metrics import LoopLag

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.now = NOON

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def parts():
    """A server all of whose parts are well."""
    watch = SimpleNamespace(no_room="", warning="", trouble="")
    journal = SimpleNamespace(cut=0, waiting=0, behind_s=0.0)
    leases = SimpleNamespace(renewed_at=float("inf"), lease_s=30.0)
    return SimpleNamespace(
        lobby=SimpleNamespace(stopping=None),
        store=SimpleNamespace(write_error="", url="sqlite:///secret.db"),
        bus=SimpleNamespace(connected=True),
        settings=SimpleNamespace(mqtt="mqtt://broker", plays=True),
        arena=SimpleNamespace(watch=watch, journal=journal, leases=leases, taken_up=True, playing=lambda: ["m"]),
    )


def stop(parts, _lag):
    parts.lobby.stopping = SimpleNamespace(reason="the server stops")


def fill_disk(parts, _lag):
    parts.arena.watch.no_room = "no space left"


def warn_of_disk(parts, _lag):
    parts.arena.watch.warning = "nearly full"


def fail_writes(parts, _lag):
    parts.store.write_error = "cannot use sqlite:///secret.db: it is locked"


def fall_behind(parts, _lag):
    parts.arena.journal.waiting = BEHIND + 1


def cut_journal(parts, _lag):
    parts.arena.journal.cut = 2


def be_new(parts, _lag):
    parts.arena.taken_up = False


def lose_leases(parts, _lag):
    parts.arena.leases.renewed_at = -float("inf")


def lose_broker(parts, _lag):
    parts.bus.connected = False


def be_late(_parts, lag):
    lag._recent.append(0.5)


def hang(_parts, lag):
    lag._recent.append(3.0)


@pytest.mark.parametrize(
    ("harm", "part", "status"),
    [
        (stop, "server", "failing"),
        (fill_disk, "disk", "failing"),
        (warn_of_disk, "disk", "degraded"),
        (fail_writes, "writes", "failing"),
        (fall_behind, "journal", "degraded"),
        (cut_journal, "journal", "failing"),
        (be_new, "arena", "degraded"),
        (lose_leases, "leases", "failing"),
        (lose_broker, "broker", "failing"),
        (be_late, "loop", "degraded"),
        (hang, "loop", "failing"),
    ],
)
def test_what_goes_wrong_shows_at_its_part_and_only_there(parts, harm, part, status):
    watch = HealthWatch(parts, lag := LoopLag())
    assert worst(watch.look()) == "ok"
    assert not watch.ready()
    harm(parts, lag)
    found = {each.name: each for each in watch.look()}
    assert {name: each.status for name, each in found.items() if each.status != "ok"} == {part: status}
    assert found[part].reason
    assert "secret.db" not in found[part].reason
    assert worst(list(found.values())) == status
    assert [each.name for each in watch.ready()] == ([part] if part in OWN and status == "failing" else [])


def test_since_is_when_the_status_changed_not_when_its_reason_did(parts):
    clock = Clock()
    watch = HealthWatch(parts, now=clock)

    def disk():
        return next(each for each in watch.look() if each.name == "disk")

    first = disk()
    assert disk().since == first.since
    parts.arena.watch.warning = "90 MiB are left"
    low = disk()
    assert low.since > first.since
    parts.arena.watch.warning = "80 MiB are left"
    assert (disk().since, disk().reason) == (low.since, "80 MiB are left")
    parts.arena.watch.warning = ""
    assert disk().since > low.since


def test_nobody_minds_old_leases_where_nothing_is_played(parts):
    parts.arena.playing = list
    lose_leases(parts, None)
    assert worst(HealthWatch(parts).look()) == "ok"


def test_a_gateway_has_no_arena_that_could_be_unwell(parts):
    parts.settings.plays = False
    be_new(parts, None)
    lose_leases(parts, None)
    watch = HealthWatch(parts)
    assert worst(watch.look()) == "ok"
    assert not {"arena", "leases"} & {each.name for each in watch.look()}
