"""A limit of crashes counts the games of an event, from the earlier ones on."""

from datetime import UTC, datetime, timedelta

from palio_rules.contract.messages import Result
from palio_rules.records.record import Record, Setup
from palio_server.processes.lost_matches import NO_LIMIT, CrashLimit, crashed

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


def over(termination, loser="ada"):
    bots = ("ada", "bob")
    scores = [float(bot != loser) for bot in bots]
    result = Result(termination, "because", scores, bots.index(loser))
    return Record("m", Setup("breakthrough", bots), (), result, BEGAN, BEGAN + timedelta(seconds=1))


def test_the_bot_whose_crash_has_ended_a_match_is_counted():
    assert crashed(over("crashed")) == ["ada"]
    assert crashed(over("crashed", "bob")) == ["bob"]
    assert crashed(over("timeout")) == []


def test_the_limit_is_reached_with_its_last_game():
    limit = CrashLimit(3)
    assert [limit.note(over("crashed", loser)) for loser in ("ada", "bob", "ada", "ada")] == [[], [], [], ["ada"]]
    assert limit.reached() == ["ada"]
    assert limit.sentence("ada") == "crashed in 3 games, the limit of --max-crashes"


def test_games_from_before_an_interruption_count():
    limit = CrashLimit(3, {"ada": 2})
    assert limit.reached() == []
    assert limit.note(over("crashed")) == ["ada"]
    assert CrashLimit(1, {"ada": 2}).reached() == ["ada"]  # with a lower limit than before


def test_without_a_limit_none_is_reached():
    limit = CrashLimit(NO_LIMIT, {"ada": 50})
    assert limit.note(over("crashed")) == limit.reached() == []
