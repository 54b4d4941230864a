"""A knockout plans what can be played, waits for nothing else, and tells who stands where and why."""

import pytest

from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_server.tournament.exports import crosstable_markdown, standings_csv
from palio_server.tournament.format import format_of


def knockout(**settings):
    return format_of("knockout", settings)


def win(events, part, winner, *, ms=()):
    """All games of the open encounter of a part are won by this bot."""
    encounter = next(each for each in events.event().open if each.plan.part == part)
    for match in encounter.matches:
        events.play(match.match, [float(bot == winner) for bot in match.bots], ms)


def draw(events, part, slower):
    encounter = next(each for each in events.event().open if each.plan.part == part)
    for match in encounter.matches:
        events.play(match.match, (0.5, 0.5), [9000 if bot == slower else 2500 for bot in match.bots])


def plans_of(events):
    return [(row.plan.part, row.plan.bots, row.plan.kind) for row in events.rows]


def test_six_begin_with_two_byes_and_two_games(director):
    events = director(knockout(), 6)
    events.plan()
    assert plans_of(events) == [
        ("quarter-final 1", ("b1",), "pairing-bye"),
        ("quarter-final 2", ("b4", "b5"), "played"),
        ("quarter-final 3", ("b2",), "pairing-bye"),
        ("quarter-final 4", ("b3", "b6"), "played"),
    ]
    assert {row.plan.games for row in events.rows} == {0, 2}


def test_a_slow_pairing_holds_up_only_those_that_depend_on_it(director):
    events = director(knockout(), 8)
    events.plan()
    win(events, "quarter-final 3", "b2")
    win(events, "quarter-final 4", "b3")
    events.plan()
    assert plans_of(events)[-1] == ("semi-final 2", ("b2", "b3"), "played")
    assert events.rows[-1].plan.round == 2


def test_each_encounter_of_a_pairing_has_the_next_opening_and_another_first_seat(director):
    events = director(knockout(best_of=3), 2)
    for winner in ("b1", "b2", "b1"):
        events.plan()
        win(events, "final", winner)
    assert [(row.plan.opening, row.plan.bots) for row in events.rows] == [
        (0, ("b1", "b2")),
        (1, ("b2", "b1")),
        (2, ("b1", "b2")),
    ]
    assert knockout(best_of=3).over(events.event())


def test_losers_of_the_semi_finals_meet_beside_the_final(director):
    events = director(knockout(), 4)
    events.plan()
    win(events, "semi-final 1", "b4")
    win(events, "semi-final 2", "b2")
    events.plan()
    assert plans_of(events)[2:] == [("final", ("b2", "b4"), "played"), ("third place", ("b1", "b3"), "played")]
    assert [(row.plan.round, row.plan.board) for row in events.rows[2:]] == [(2, 1), (2, 2)]
    win(events, "final", "b4")
    assert not knockout().over(events.event())
    win(events, "third place", "b3")
    lines = knockout().standings(events.event())
    assert [(line.rank, line.bot, line.points) for line in lines] == [
        (1, "b4", 2.0),
        (2, "b2", 1.0),
        (3, "b3", 1.0),
        (4, "b1", 0.0),
    ]
    assert [line.note for line in lines[:3]] == [
        "won the final",
        "lost the final to b4",
        "lost semi-final 2 to b2, won the match for third place",
    ]


def test_without_a_match_for_third_place_both_losers_share_it(director):
    events = director(knockout(third_place=False), 4, stronger=True)
    assert [line.rank for line in knockout(third_place=False).standings(events.play_out())] == [1, 2, 3, 3]


def test_the_bracket_shows_what_is_known_and_where_the_others_come_from(director):
    events = director(knockout(), 5)
    events.plan()
    win(events, "quarter-final 2", "b5")
    bracket = knockout().details(events.event()).bracket
    assert [round_.title for round_ in bracket.rounds] == ["quarter-finals", "semi-finals", "final"]
    bye, played = bracket.rounds[0].matches[:2]
    assert (bye.bots, bye.winner, bye.decided) == (["b1"], "b1", "bye")
    assert (played.bots, played.seeds, played.scores, played.winner) == (["b4", "b5"], [4, 5], [0.0, 1.0], "b5")
    final = bracket.rounds[-1].matches[0]
    assert (final.bots, final.sources, final.winner) == ([None, None], ["semi-final 1", "semi-final 2"], None)
    assert bracket.third_place.losers
    assert bracket.third_place.sources == ["semi-final 1", "semi-final 2"]


def test_faster_clocks_are_told_with_their_times(director):
    events = director(knockout(extra=0), 2)
    events.plan()
    draw(events, "final", slower="b1")
    bracket = knockout(extra=0).details(events.event()).bracket
    assert bracket.rounds[0].matches[0].decided == "faster clocks"
    meeting, outcome = knockout(extra=0).why(events.event(), events.event().encounter(1))
    assert meeting.startswith("b1 (seed 1) and b2 (seed 2) meet in the final: the best meet the last")
    assert outcome == (
        "b2 won the final, 0.5 to 0.5, by faster clocks: 5 s to 18 s of thinking in all games of the pairing."
    )


@pytest.mark.parametrize(("slower", "rule"), [("b1", "faster clocks"), ("", "better seed")])
def test_the_rule_that_decided_a_level_pairing_is_in_the_notes_of_both(director, slower, rule):
    format_ = knockout(extra=0)
    events = director(format_, 2)
    events.plan()
    draw(events, "final", slower=slower)
    winner, loser = format_.standings(events.event())
    assert winner.note == f"won the final ({rule})"
    assert loser.note == f"lost the final to {winner.bot} ({rule})"
    for text in (standings_csv(events.event(), format_), crosstable_markdown(events.event(), format_)):
        assert winner.note in text
        assert loser.note in text


def test_the_rule_that_decided_the_third_place_is_in_its_notes(director):
    format_ = knockout(extra=0)
    events = director(format_, 4)
    events.plan()
    win(events, "semi-final 1", "b1")
    win(events, "semi-final 2", "b2")
    events.plan()
    draw(events, "third place", slower="b4")
    win(events, "final", "b1")
    notes = [line.note for line in format_.standings(events.event())]
    assert notes == [
        "won the final",
        "lost the final to b1",
        "lost semi-final 2 to b2, won the match for third place (faster clocks)",
        "lost semi-final 1 to b1, lost the match for third place (faster clocks)",
    ]


def test_an_extra_encounter_is_told_as_one(director):
    events = director(knockout(), 2)
    events.plan()
    draw(events, "final", slower="b1")
    events.plan()
    assert "It is extra encounter 1 of at most 2, for they were level." in knockout().why(
        events.event(), events.event().encounter(2)
    )
    win(events, "final", "b1")
    assert knockout().details(events.event()).bracket.rounds[0].matches[0].decided == "extra encounter 1"


def test_who_withdraws_before_the_next_round_gives_a_walkover(director):
    events = director(knockout(), 8)
    events.plan()
    win(events, "quarter-final 1", "b1")
    events.withdraw("b1")
    win(events, "quarter-final 2", "b4")
    events.plan()
    assert ("semi-final 1", ("b4",), "pairing-bye") in plans_of(events)
    match = knockout().details(events.event()).bracket.rounds[1].matches[0]
    assert (match.bots, match.winner, match.decided) == (["b1", "b4"], "b4", "walkover")
    later = next(each for each in events.event().encounters if each.plan.part == "semi-final 1")
    assert knockout().why(events.event(), later)[-1] == (
        "b4 won semi-final 1 by a walkover: the other side had left the event."
    )
    line = next(line for line in knockout().standings(events.event()) if line.bot == "b1")
    assert line.left
    assert line.note == "lost semi-final 1 to b4 (walkover)"


def test_who_withdraws_before_the_first_round_is_not_drawn(director):
    events = director(knockout(), 4)
    events.entries[1] = Entry("b2", 2, 2998.0, left=1)
    events.plan()
    assert plans_of(events) == [("semi-final 1", ("b1",), "pairing-bye"), ("semi-final 2", ("b3", "b4"), "played")]
    last = knockout().standings(events.event())[-1]
    assert (last.rank, last.bot, last.note) == (4, "b2", "withdrew before the first round")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"best_of": 0}, "best_of=0 is out of range; give 1 to 99"),
        ({"extra": -1}, "extra=-1 is out of range; give 0 to 99"),
        ({"rounds": 3}, "leave --rounds out"),
        ({"tie_breaks": "wins"}, "leave --tie-breaks out"),
        ({"games_per_encounter": 3}, "--games-per-encounter 3 is out of range: breakthrough has 2 orders"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(director, settings, sentence):
    with pytest.raises(BadOption, match=sentence):
        knockout(**settings).check(director(knockout(), 4).event())


def test_an_unknown_setting_is_refused_with_the_nearest():
    with pytest.raises(BadOption, match="did you mean 'best_of'"):
        knockout(bestof=3)


def test_late_entries_are_taken_until_the_bracket_is_drawn(director):
    events = director(knockout(), 4)
    assert knockout().admits_late(events.event()) == ""
    events.plan()
    assert "the bracket is drawn" in knockout().admits_late(events.event())
    with pytest.raises(BadOption, match="leave --rounds out"):
        knockout().extended(events.event(), 9)
