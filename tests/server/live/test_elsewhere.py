"""What other servers play, in the lobby: told in wholes and changes, and forgotten with the server."""

from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.records.record import Setup
from palio_server.live.feed import RemoteMatches
from palio_server.live.match_live import MatchLive

SETUP = Setup("breakthrough", ("ann", "bob"))


def summary(match, *, over=False):
    found = MatchLive(match, SETUP).summary()
    return replace(found, result=Result("rule", "no-moves", [1.0, 0.0])) if over else found


def listed(elsewhere):
    return sorted(each.match for each in elsewhere.playing())


def test_a_match_is_listed_until_it_has_a_result_which_is_told_once():
    elsewhere = RemoteMatches()
    elsewhere.take("r1", [summary("a"), summary("b")], whole=True)
    elsewhere.take("r2", [summary("c")], whole=True)
    assert listed(elsewhere) == ["a", "b", "c"]
    assert len(elsewhere.take_changes()) == 3
    elsewhere.take("r1", [summary("a", over=True)], whole=False)
    assert listed(elsewhere) == ["b", "c"]
    assert [each.match for each in elsewhere.take_changes()] == ["a"]
    assert elsewhere.take_changes() == []


def test_the_whole_takes_the_place_of_all_that_was_known():
    elsewhere = RemoteMatches()
    elsewhere.take("r1", [summary("a")], whole=True)
    elsewhere.take("r1", [summary("b")], whole=True)
    assert listed(elsewhere) == ["b"]
    elsewhere.forget("r1")
    elsewhere.forget("r1")
    assert listed(elsewhere) == []
