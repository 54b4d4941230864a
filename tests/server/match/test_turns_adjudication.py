"""The referee ends a duel by what its bots say of it, also after a restart, and the record of it verifies."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from palio_rules.adjudication import Adjudication, DrawRule, ResignRule
from palio_rules.contract.messages import Info, Move, Ready, Turn
from palio_rules.records.faults import fault
from palio_rules.records.record import Record, Setup
from palio_rules.records.text import record_from_text, record_to_text
from palio_server.match import events
from palio_server.match.channel import Said, Stopped
from palio_server.match.events import History
from palio_server.match.referee import RefereedMatch
from palio_server.match.seats import check_setup

BOTS = ("ann", "bob")
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)


class Telling:
    """A channel whose bots play the first legal move at once, and say what the test has written down."""

    def __init__(self, *scores):
        self.scores, self.heard = list(scores), []

    def post(self, seat, message):
        if isinstance(message, Turn):
            score = self.scores.pop(0) if self.scores else None
            told = {} if score is None else {"info": Info(score=score)}
            self.heard.append(Said(seat, Move(match="m", id=message.id, move=message.moves[0], **told), 0.0))
        elif type(message).__name__ == "GameMessage":
            self.heard.append(Said(seat, Ready(match="m"), 0.0))

    def without(self, seat):
        return ()

    def time(self):
        return 0.0


def agreed(**rules):
    return Setup("breakthrough", BOTS, adjudication=Adjudication(**rules))


def played(setup, *scores, journal=(), most=100):
    """The plies of a match, from its journal on, and its result; after `most` plies it is stopped."""
    channel = Telling(*scores)
    match = RefereedMatch("m", setup, channel, History(1 + bool(journal), journal), resend_s=5.0)
    happened, plies = list(match.begin()), list(journal)
    while not match.over:
        found = match.hear(channel.heard.pop(0) if len(plies) < most else Stopped("enough"))
        plies += [event.ply for event in found if isinstance(event, events.Played)]
        happened += found
    return tuple(plies), happened[-1].result


DRAWN = agreed(draw=DrawRule(2, 2, 10))
RESIGNED = agreed(resign=ResignRule(2, 400))


def test_two_bots_that_call_it_level_share_the_point():
    plies, result = played(DRAWN, *[5.0] * 20)
    assert len(plies) == 4
    assert (result.termination, result.reason, result.scores, result.seat) == (
        "adjudicated",
        "draw-by-score",
        [0.5, 0.5],
        None,
    )


def test_a_bot_without_hope_has_lost():
    plies, result = played(RESIGNED, 500.0, -400.0, 500.0, -450.0)
    assert len(plies) == 4
    assert (result.termination, result.reason, result.scores) == ("adjudicated", "resign-by-score", [1.0, 0.0])


def test_bots_that_say_nothing_play_to_the_end():
    _, result = played(DRAWN)
    assert result.termination == "rule"


def test_after_a_restart_it_goes_on_counting():
    plies, _ = played(DRAWN, 5.0, 5.0, 5.0, most=3)
    whole, result = played(DRAWN, 5.0, journal=plies[:3])
    assert len(whole) == 4
    assert result.reason == "draw-by-score"


def test_a_verdict_that_was_not_announced_before_a_restart_stands():
    plies, first = played(RESIGNED, 500.0, -400.0, 500.0, -450.0)
    again, second = played(RESIGNED, journal=plies)
    assert (again, second) == (plies, first)


@pytest.mark.parametrize("setup", [DRAWN, RESIGNED])
def test_the_record_verifies_and_is_read_back_from_text_and_a_forged_one_does_not(setup):
    plies, result = played(setup, *[-500.0] * 4 if setup is RESIGNED else [0.0] * 4)
    record = Record("m", setup, plies, result, MOMENT, MOMENT)
    assert fault(record) is None
    assert record_from_text(record_to_text(record)) == record
    assert "what the bots said gives" in fault(replace(record, result=replace(result, scores=[1.0, 0.0])))
    assert "what the bots said gives nothing" in fault(replace(record, plies=plies[:-1]))
    assert "no such rule was agreed" in fault(replace(record, setup=replace(setup, adjudication=Adjudication())))


@pytest.mark.parametrize(("game", "bots"), [("chexers", ("ann", "bob", "cat")), ("rush_hour", BOTS)])
def test_only_duels_are_adjudicated_by_scores(game, bots):
    with pytest.raises(ValueError, match="is no duel: it cannot be adjudicated by scores"):
        check_setup(Setup(game, bots, adjudication=Adjudication(draw=DrawRule(1, 1, 1))))
