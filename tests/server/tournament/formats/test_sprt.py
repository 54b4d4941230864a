"""SPRT as a format: pairs until the test has decided, with results in any order."""

from itertools import count

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch
from palio_rules.errors import BadOption
from palio_server.ratings.sample import Sample
from palio_server.ratings.sprt import SequentialTest
from palio_server.tournament.crosstable import crosstable_of
from palio_server.tournament.event import Event
from palio_server.tournament.exports import standings_csv
from palio_server.tournament.format import format_of
from palio_server.tournament.formats.sprt import POINTS, Sprt, SprtRules

IDS = count()


def event_of(game="breakthrough", bots=("ann", "bob")):
    return Event(game, [Entry(bot, number) for number, bot in enumerate(bots, 1)])


def plan(event, format_, most):
    made = format_.next(event, most)
    for each in made:
        event.add(EncounterRow(len(event.encounters) + 1, each))
    return made


def finish(event, number, game, points, *, fought=True):
    """Finish a game with `points` for ann, in either seat."""
    bots = event.encounter(number).bots
    bots = bots if game == 0 else bots[::-1]
    scores = (points, 1 - points) if bots[0] == "ann" else (1 - points, points)
    event.note(EventMatch(f"m{next(IDS)}", number, game, bots, "finished", scores, fought=fought))


def play(event, format_, results, most=4):
    """Pairs with these points of ann, until the format has enough; how many there were."""
    wanted = iter(results)
    while not format_.over(event):
        plan(event, format_, most)
        if not event.open:
            break
        for encounter in event.open:
            for game in range(encounter.plan.games):
                finish(event, encounter.number, game, next(wanted))
    return len(event.encounters)


def test_a_pair_is_one_opening_from_both_sides():
    event, format_ = event_of(), format_of("sprt")
    made = plan(event, format_, 3)
    assert [(each.round, each.board, each.bots, each.games, each.opening) for each in made] == [
        (1, 1, ("ann", "bob"), 2, 0),
        (2, 1, ("ann", "bob"), 2, 1),
        (3, 1, ("ann", "bob"), 2, 2),
    ]
    assert format_.next(event, 3) == []
    finish(event, 2, 0, 1.0)
    finish(event, 2, 1, 0.5)
    assert [each.opening for each in format_.next(event, 3)] == [3]


def test_it_ends_by_itself_when_the_ratio_crosses_a_bound():
    event, format_ = event_of(), format_of("sprt", {"elo0": "0", "elo1": "50"})
    assert play(event, format_, ([1.0, 0.5] * 1000)) < 200
    state = format_.details(event).sprt
    assert (state.state, state.first, state.second) == ("H1", "ann", "bob")
    assert state.llr >= state.upper
    assert state.pairs == [0, 0, 0, len(event.encounters), 0]
    assert state.llr == SequentialTest(0, 50).llr(Sample(tuple(state.pairs)))
    assert format_.next(event, 4) == []
    assert format_.total(event) == 2 * len(event.encounters)
    assert format_.standings(event)[0].note == "H1 accepted"


def test_the_other_way_round_h0_is_accepted():
    event, format_ = event_of(), format_of("sprt", {"elo0": "0", "elo1": "50"})
    play(event, format_, ([0.0, 0.5] * 1000))
    assert format_.details(event).sprt.state == "H0"
    assert [(row.rank, row.bot) for row in format_.standings(event)] == [(1, "bob"), (2, "ann")]


def test_without_a_decision_it_ends_with_the_last_pair():
    event, format_ = event_of(), format_of("sprt", {"max_pairs": "10"})
    assert play(event, format_, [1.0, 0.0] * 100) == 10
    state = format_.details(event).sprt
    assert (state.state, state.pairs) == ("continue", [0, 0, 10, 0, 0])
    assert (state.wins, state.draws, state.losses) == (10, 0, 10)
    assert [(row.rank, row.points) for row in format_.standings(event)] == [(1, 10.0), (1, 10.0)]
    longer = format_.extended(event, 12)
    assert len(longer.next(event, 100)) == 2
    with pytest.raises(BadOption, match=r"--rounds \d+ cannot be: 10 pairs are planned already; give 10 or more"):
        format_.extended(event, 9)


def test_rounds_limit_the_pairs_as_they_do_in_fastchess():
    event = event_of()
    assert len(format_of("sprt", {"rounds": "3"}).next(event, 100)) == 3


results = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), max_size=30)


@given(results, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_results_and_how_often_one_looks_change_nothing(pairs, pentanomial, random):
    rules = SprtRules(elo0=0, elo1=200, pentanomial=pentanomial)
    late, early = Sprt(rules), Sprt(rules)
    one, other = event_of(), event_of()
    games = [(number, game) for number in range(1, len(pairs) + 1) for game in (0, 1)]
    for event in (one, other):
        for plan_ in Sprt(SprtRules(elo0=-1999, elo1=2000)).next(event_of(), len(pairs)):
            event.add(EncounterRow(len(event.encounters) + 1, plan_))
    for number, game in games:
        finish(one, number, game, pairs[number - 1][game])
    random.shuffle(games)
    for number, game in games:
        finish(other, number, game, pairs[number - 1][game])
        early.over(other)
        early.details(other)
    seen, theirs = late.details(one).sprt, early.details(other).sprt
    assert (seen.llr, seen.pairs, seen.wins, seen.draws, seen.losses) == (
        theirs.llr,
        theirs.pairs,
        theirs.wins,
        theirs.draws,
        theirs.losses,
    )
    assert late.over(one) == early.over(other)
    assert late.standings(one) == early.standings(other)


def test_two_events_of_one_format_are_kept_apart():
    format_, first, second = format_of("sprt"), event_of(), event_of()
    plan(first, format_, 1)
    finish(first, 1, 0, 1.0)
    finish(first, 1, 1, 1.0)
    assert format_.details(first).sprt.pairs == [0, 0, 0, 0, 1]
    assert format_.details(second).sprt.pairs == [0, 0, 0, 0, 0]


def test_a_pair_counts_if_both_games_have_a_result_though_one_was_lost_by_absence():
    event, format_ = event_of(), format_of("sprt")
    plan(event, format_, 3)
    finish(event, 1, 0, 1.0)
    finish(event, 1, 1, 1.0, fought=False)
    finish(event, 2, 0, 1.0)
    event.forfeit(2, "bob")
    assert event.encounter(2).over
    state = format_.details(event).sprt
    assert state.pairs == [0, 0, 0, 0, 1]  # of the second pair one game is missing
    first, second = format_.standings(event)
    assert (first.points, first.wins, first.played, first.forfeits) == (4.0, 4, 4, 1)  # but its points are ann's
    assert (second.points, second.losses, second.played) == (0.0, 4, 4)
    assert first.note == "the test counts whole pairs: 2 of 3 games"


def test_a_stopped_test_counts_the_same_games_in_standings_cross_table_and_figures():
    event, format_ = event_of(), format_of("sprt")
    plan(event, format_, 3)
    for number, game, points in ((1, 0, 1.0), (1, 1, 0.5), (2, 0, 1.0), (3, 1, 0.0)):
        finish(event, number, game, points)
    first, second = format_.standings(event)
    total = crosstable_of(event).total("ann")
    assert (first.bot, first.points, first.played) == ("ann", total.points, total.games) == ("ann", 2.5, 4)
    assert (first.wins, first.draws, first.losses) == (total.wins, total.draws, total.losses) == (2, 1, 1)
    assert (second.points, second.played) == (1.5, 4)
    state = format_.details(event).sprt
    assert (state.wins, state.draws, state.losses) == (2, 1, 1)
    assert state.pairs == [0, 0, 0, 1, 0]
    assert first.note == second.note == "the test counts whole pairs: 2 of 4 games"
    finish(event, 2, 1, 0.5)
    finish(event, 3, 0, 0.5)
    assert format_.standings(event)[0].note == "", "all pairs are whole"
    line = standings_csv(event, format_).splitlines()[1]
    assert line.startswith("1,ann,3.5,6,2,3,1,")


def test_encounters_that_are_scored_as_a_whole_are_counted_as_such():
    event, format_ = event_of(), format_of("sprt", {"scoring": "encounters"})
    plan(event, format_, 3)
    for number, game, points in ((1, 0, 1.0), (1, 1, 0.5), (2, 0, 0.5), (2, 1, 0.5), (3, 0, 1.0)):
        finish(event, number, game, points)
    first, second = format_.standings(event)
    assert (first.points, first.played, first.wins, first.draws, first.losses) == (1.5, 2, 1, 1, 0)
    assert (second.points, second.played, second.losses) == (0.5, 2, 1)


def test_games_counted_one_by_one_decide_in_the_middle_of_a_pair():
    event, format_ = event_of(), format_of("sprt", {"pentanomial": "false"})
    plan(event, format_, 2)
    finish(event, 1, 0, 1.0)
    state = format_.details(event).sprt
    assert state.pairs is None
    assert state.llr == SequentialTest(0, 5).llr(Sample.of_games(1, 0, 0))


def test_single_games_change_colours_and_keep_the_opening_for_both():
    event, format_ = event_of(), format_of("sprt", {"pentanomial": "false", "games_per_encounter": "1"})
    made = plan(event, format_, 4)
    assert [(each.bots, each.games, each.opening) for each in made] == [
        (("ann", "bob"), 1, 0),
        (("bob", "ann"), 1, 0),
        (("ann", "bob"), 1, 1),
        (("bob", "ann"), 1, 1),
    ]


def test_a_race_is_a_heat_of_both_and_counts_by_itself():
    event, format_ = event_of("tsp"), format_of("sprt", {"elo0": "0", "elo1": "300"})
    format_.check(event)
    assert [(each.games, each.opening) for each in plan(event, format_, 2)] == [(1, 0), (1, 1)]
    play(event, format_, [1.0, 1.0, 0.5, 1.0] * 100)
    state = format_.details(event).sprt
    assert (state.pairs, state.state) == (None, "H1")


def test_the_graph_has_a_few_hundred_points_and_ends_where_the_test_is():
    event, format_ = event_of(), format_of("sprt", {"elo0": "-1", "elo1": "1", "max_pairs": "1000"})
    play(event, format_, [1.0, 0.0, 0.5, 0.5, 0.5, 0.0, 1.0, 0.5] * 1000, most=900)
    assert len(event.encounters) >= 900
    state = format_.details(event).sprt
    assert 100 < len(state.points) <= POINTS
    assert state.points[-1].games == 2 * len(event.encounters)
    assert state.points[-1].llr == state.llr
    assert [point.games for point in state.points] == sorted(point.games for point in state.points)


def test_without_a_graph_the_state_is_the_same():
    event, format_ = event_of(), format_of("sprt", {"max_pairs": "2"})
    play(event, format_, [1.0, 0.0, 0.5, 0.5])
    assert format_.state(event, graph=False) == msgspec.structs.replace(format_.state(event), points=[])


def test_it_is_over_when_one_of_both_has_gone():
    event, format_ = event_of(), format_of("sprt")
    event.enter(Entry("bob", 2, left=1))
    assert format_.over(event)
    assert format_.standings(event)[1].left


def test_why_these_meet_is_said_in_words():
    event, format_ = event_of(), format_of("sprt")
    plan(event, format_, 2)
    assert "ann meets bob in pair 2, on opening 2" in format_.why(event, event.encounter(2))[0]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"elo0": "5", "elo1": "0"}, "elo0 must be less than elo1"),
        ({"alpha": "0.6", "beta": "0.4"}, "together must be less than 1"),
        ({"elo2": "7"}, "did you mean 'elo"),
        ({"model": "elo"}, "sprt: "),
        ({"tie_breaks": "buchholz"}, "has no tie-breaks"),
        ({"max_pairs": "0"}, "at least one pair"),
        ({"games_per_encounter": "4"}, "not 4 at a time"),
    ],
)
def test_bad_rules_are_refused(settings, sentence):
    with pytest.raises(BadOption, match=sentence):
        format_of("sprt", settings)


@pytest.mark.parametrize(
    ("event", "settings", "sentence"),
    [
        (event_of(bots=("ann", "bob", "cid")), {}, "one bot against one other, got 3"),
        (event_of("chexers"), {}, "a game for two, and chexers has 3 seats"),
        (event_of(), {"games_per_encounter": "1"}, "pairs have two games"),
        (event_of(), {"model": "bayesian"}, "knows no pairs"),
    ],
)
def test_entrants_and_games_that_cannot_be_tested_are_refused(event, settings, sentence):
    with pytest.raises(BadOption, match=sentence):
        format_of("sprt", settings).check(event)
