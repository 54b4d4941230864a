"""The total number of rounds is known from the start, in every format with rounds, and equals the number played."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_db.event_values import Entry
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of

DUEL, TABLE, RACE = "breakthrough", "chexers", "tsp"
# Format, rules, game, and sizes that it can play.
KINDS = [
    ("round_robin", {}, DUEL, (2, 12)),
    ("round_robin", {"rounds": 3}, DUEL, (2, 7)),
    ("round_robin", {}, TABLE, (3, 7)),
    ("round_robin", {"rounds": 4}, RACE, (1, 6)),
    ("gauntlet", {"challengers": 2, "rounds": 2}, DUEL, (3, 8)),
    ("gauntlet", {}, TABLE, (3, 6)),
    ("swiss", {}, DUEL, (2, 12)),
    ("swiss", {"rounds": 2}, TABLE, (3, 9)),
    ("knockout", {"extra": 0}, DUEL, (2, 12)),
    ("knockout", {"extra": 0, "third_place": False}, RACE, (2, 9)),
    ("groups", {"extra": 0}, DUEL, (4, 13)),
    ("groups", {"groups": 3, "advance": 1, "within": "swiss", "rounds": 2, "extra": 0}, TABLE, (9, 12)),
]


def entered(game: str, count: int) -> Event:
    return Event(game, [Entry(f"bot{number}", number, 2000.0 - number) for number in range(1, count + 1)])


@settings(max_examples=60)
@given(st.sampled_from(KINDS), st.data())
def test_the_rounds_that_are_foretold_are_those_that_are_played(play_out, kind, data):
    name, rules, game, sizes = kind
    format_, event = format_of(name, rules), entered(game, data.draw(st.integers(*sizes)))
    foretold = format_.rounds_in_all(event)
    seen = set()

    def meddle(played, _step):
        seen.add(format_.rounds_in_all(played.event))

    end = play_out(format_, event, seed=data.draw(st.integers(0, 99)), meddle=meddle, rebuild=False).event
    assert seen == {foretold} == {end.last_round}


@settings(max_examples=30)
@given(st.sampled_from([kind for kind in KINDS if kind[0] in ("round_robin", "gauntlet", "swiss")]), st.data())
def test_who_leaves_or_comes_late_is_counted_in(play_out, kind, data):
    name, rules, game, (_, most) = kind
    format_, event, when = format_of(name, rules), entered(game, most), data.draw(st.integers(0, 6))
    known = []

    def meddle(played, step):
        if step == when and not format_.over(played.event):
            played.enter(replace(played.event.entry("bot2"), left=played.event.last_round + 1))
            if not format_.admits_late(played.event):
                played.enter(Entry("late", most + 1, joined=played.event.last_round + 1))
        if step >= when:
            known.append(format_.rounds_in_all(played.event))

    end = play_out(format_, event, meddle=meddle, rebuild=False).event
    assert not known or known[-1] == end.last_round
    assert all(rounds is None or rounds >= end.last_round for rounds in known)


@pytest.mark.parametrize("play", [False, True])
def test_an_sprt_has_none(play_out, play):
    format_, event = format_of("sprt", {"elo0": 0, "elo1": 60}), entered(DUEL, 2)
    if play:
        event = play_out(format_, event, strengths={"bot1": 1.0}, rebuild=False).event
        assert event.last_round > 1
    assert format_.rounds_in_all(event) is None
