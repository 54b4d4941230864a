"""A match followed by its journal looks to viewers as if it were played here."""

import asyncio
from datetime import UTC, datetime

import msgspec
import pytest

from palio_db.values import MatchRow
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.live.feed import Feed
from palio_server.live.followed import FollowedMatch
from palio_server.live.replay import ended

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SETUP = Setup("breakthrough", ("ann", "bob"), {"rows": 4, "cols": 3}, time=TimeControl(10_000, 100))
MOVES = ([[1, 0], [2, 1]], [[3, 0], [2, 1]], [[1, 2], [2, 1]], [[2, 0], [1, 0]], [[2, 1], [3, 0]])
PLIES = tuple(Ply(number % 2, move, 100 + number) for number, move in enumerate(MOVES))
REJECTED = (RejectedMove(3, 1, "[[7,0],[6,0]]", "off-board", "row 7 is off the board"),)
RECORD = Record("m1", SETUP, PLIES, Result("rule", "reached-far-row", [1.0, 0.0]), NOW, NOW, REJECTED, "cup")


class Listener:
    def __init__(self):
        self.heard = []

    def wanted(self, topic):
        return True

    def publish(self, topic, data, message=None, *, retain=False):
        self.heard.append(msgspec.json.decode(data, type=live.LiveMessage))


def row(setup=SETUP, epoch=1):
    values = {"status": "running", "bots": setup.bots, "scores": None, "setup": setup, "event": "cup", "tournament": 3}
    values |= {"round": 1, "created_at": NOW, "started_at": NOW, "finished_at": None, "worker": "run-1"}
    return MatchRow("m1", setup.game, **values, epoch=epoch, termination=None, reason=None, plies=None)


async def test_each_ply_and_rejected_move_of_the_journal_is_told_once_in_order():
    bus = Listener()
    feed = Feed(bus)
    followed = FollowedMatch(feed, row(), PLIES[:1], ())
    followed.hear(PLIES[:1], ())
    followed.hear(PLIES[:4], REJECTED)
    followed.hear(PLIES[:4], REJECTED)
    followed.end(RECORD)
    kinds = [type(message).__name__ for message in bus.heard]
    assert kinds == ["Started", "Played", "Played", "Rejected", "Played", "Played", "Finished"]
    assert [message.seq for message in bus.heard] == list(range(1, 8))
    shown, whole = feed.snapshot("m1"), ended(RECORD, 3).snapshot()
    assert shown.lines == whole.lines
    assert [(each.ply, each.move, each.strikes_left) for each in shown.refusals] == [(3, REJECTED[0].move, 2)]
    assert shown.summary.result == RECORD.result
    assert shown.summary.view.clocks_ms == whole.summary.view.clocks_ms


async def test_a_viewer_who_comes_in_the_middle_sees_all_plies_so_far():
    feed = Feed(Listener())
    followed = FollowedMatch(feed, row(), PLIES[:2], ())
    followed.hear(PLIES[:3], ())
    assert [line.ply for line in feed.snapshot("m1").lines] == [1, 2, 3]
    assert feed.snapshot("m1").summary.tournament == 3


async def test_a_match_that_is_taken_up_again_gives_its_viewers_a_new_snapshot():
    bus = Listener()
    feed = Feed(bus)
    FollowedMatch(feed, row(), PLIES[:3], ()).drop("it was interrupted")
    assert bus.heard[-1].result.detail == "it was interrupted"
    await asyncio.sleep(0)
    FollowedMatch(feed, row(epoch=2), PLIES[:2], ())
    [snapshot] = [message for message in bus.heard if isinstance(message, live.MatchSnapshot)]
    assert snapshot.seq > bus.heard[0].seq
    assert (len(snapshot.lines), snapshot.summary.result) == (2, None)


async def test_a_journal_that_the_rules_forbid_is_refused():
    followed = FollowedMatch(Feed(Listener()), row(), PLIES[:1], ())
    with pytest.raises(ValueError, match=r"\S"):
        followed.hear((PLIES[0], PLIES[0]), ())
