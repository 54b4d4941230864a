"""Who lives, by heartbeats on a clock of the test's own."""

from palio_server.addons.shared.messages import Beat
from palio_server.addons.shared.node import BEAT_S, LEASE_S, Roster


def beat(process, since=1.0, **more):
    return Beat(process, more.pop("worker", process), more.pop("role", "all"), since, 0, **more)


def roster():
    found = Roster(beat("me", since=5.0))
    found.lapse(0.0)
    return found


def ticks(found, begin, end):
    gone = []
    now = begin
    while now <= end:
        gone += found.lapse(now)
        now += BEAT_S
    return gone


def test_who_is_silent_for_a_lease_is_gone_and_comes_again_as_if_new():
    found = roster()
    assert found.hear(beat("a"), 0.0)
    assert not found.hear(beat("a"), 1.0)
    assert ticks(found, 1.0, 1.0 + LEASE_S) == []
    assert ticks(found, 2.0 + LEASE_S, 2.0 + LEASE_S) == ["a"]
    assert found.hear(beat("a"), 9.0)


def test_a_last_will_is_believed_at_once():
    found = roster()
    found.hear(beat("a"), 0.0)
    assert found.bury("a")
    assert not found.bury("a")


def test_nobody_is_gone_because_we_were_stopped_or_deaf():
    found = roster()
    found.hear(beat("a"), 0.0)
    assert found.lapse(100.0) == []  # SIGSTOP, and SIGCONT
    assert ticks(found, 101.0, 104.0) == []
    found.hear(beat("a"), 104.0)
    for now in range(105, 130):
        assert found.lapse(float(now), deaf=True) == []
    assert ticks(found, 130.0, 134.0) == []
    assert ticks(found, 135.0, 136.0) == ["a"]


def test_the_oldest_that_is_fit_and_stays_leads_in_the_eyes_of_all():
    found = roster()
    for other in (beat("a", 3.0), beat("b", 1.0, role="gateway"), beat("c", 2.0, stopping=True)):
        found.hear(other, 0.0)
    assert [each.process for each in found.beats()] == ["b", "c", "a", "me"]
    assert found.leader(lambda each: each.referee) == "a"
    assert found.leader(lambda each: each.gateway) == "b"
    found.bury("a")
    assert found.leader(lambda each: each.referee) == "me"
    assert found.leader(lambda _each: False) is None


def test_a_process_is_found_by_its_name_in_the_database():
    found = roster()
    found.hear(beat("a-123", worker="a"), 0.0)
    assert found.of_worker("a") == "a-123"
    assert found.of_worker("b") is None
