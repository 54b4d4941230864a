"""Matches of other servers in the lobby: sent as a whole and as changes, and removed with the server."""

from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.records.record import Setup
from palio_server.live.feed import RemoteMatches
from palio_server.live.match_live import MatchLive

SETUP = Setup("breakthrough", ("ann", "bob"))


def summary(match, *, over=False):
    found = MatchLive(match, SETUP).summary()
    return replace(found, result=Result("rule", "no-moves", [1.0, 0.0])) if over else found


def listed(remote):
    return sorted(each.match for each in remote.playing())


def test_a_match_is_listed_until_it_has_a_result_which_is_told_once():
    remote = RemoteMatches()
    remote.take("r1", [summary("a"), summary("b")], whole=True)
    remote.take("r2", [summary("c")], whole=True)
    assert listed(remote) == ["a", "b", "c"]
    assert len(remote.take_changes()) == 3
    remote.take("r1", [summary("a", over=True)], whole=False)
    assert listed(remote) == ["b", "c"]
    assert [each.match for each in remote.take_changes()] == ["a"]
    assert remote.take_changes() == []


def test_the_whole_takes_the_place_of_all_that_was_known():
    remote = RemoteMatches()
    remote.take("r1", [summary("a")], whole=True)
    remote.take("r1", [summary("b")], whole=True)
    assert listed(remote) == ["b"]
    remote.forget("r1")
    remote.forget("r1")
    assert listed(remote) == []
