"""Standings of events: several games to an encounter, tables of three, rounds in play, names of tie-breaks."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.errors import BadOption
from palio_rules.records.boards import shares
from palio_server.tournament.cards import Card, Cell
from palio_server.tournament.crosstable import crosstable_of
from palio_server.tournament.event import Event
from palio_server.tournament.round_robin import orders
from palio_server.tournament.tie_breaks import ranked, standings_of, tie_break


def event_of(size, game="breakthrough"):
    return Event(game, [Entry(f"b{number}", number) for number in range(1, size + 1)])


def plan(event, round_, board, *bots, **fields):
    row = EncounterRow(len(event.encounters) + 1, Plan(round_, board, bots, **fields))
    return event.add(row).number


def play(event, number, *scores):
    """The games of an encounter that are given, each by seat."""
    bots = event.encounter(number).bots
    for game, made in enumerate(scores):
        seated = bots if event.race else orders(bots)[game]
        event.note(EventMatch(f"{number}-{game}", number, game, seated, "finished", made))


@pytest.mark.parametrize("game", ["breakthrough", "chexers", "tsp"])
@given(st.integers(3, 6), st.integers(0, 9999))
def test_the_standings_of_a_round_robin_are_those_of_the_cross_table(game, size, seed):
    random, event = Random(seed), event_of(size, game)
    seats = size if event.race else event.seats
    for round_, bots in enumerate(combinations([entry.bot for entry in event.entries], seats), 1):
        number = plan(event, round_, 1, *bots, games=1 if event.race else 2)
        for _ in range(1 if event.race else 2):
            if event.race:
                made = shares([random.choice([None, 5, 6, 7]) for _ in bots])
            else:
                made = random.choice(
                    [[1.0] + [0.0] * (seats - 1), [1 / seats] * seats, [0.5, 0.5] + [0.0] * (seats - 2)]
                )
                random.shuffle(made)
            play(event, number, *[tuple(made)] * (1 if event.race else 2))
    lines = standings_of(event, "games", ("sonneborn_berger", "wins"), predetermined=True)
    rows = crosstable_of(event).rows()
    assert [(line.rank, line.bot, line.played) for line in lines] == [
        (row.rank, row.bot, row.total.games) for row in rows
    ]
    for line, row in zip(lines, rows, strict=True):
        assert line.points == pytest.approx(row.total.points)
        assert line.tie_breaks[0] == pytest.approx(row.sonneborn_berger)
        assert line.tie_breaks[1] == row.total.wins
        assert (line.wins, line.draws, line.losses) == (row.total.wins, row.total.draws, row.total.losses)


def test_games_of_one_encounter_make_one_opponent():
    event = event_of(4)
    play(event, plan(event, 1, 1, "b1", "b2", games=2), (1.0, 0.0), (0.0, 1.0))
    play(event, plan(event, 1, 2, "b3", "b4", games=2), (1.0, 0.0), (0.5, 0.5))
    found = {line.bot: line for line in standings_of(event, "games", ("buchholz", "sonneborn_berger"))}
    assert (found["b1"].points, found["b1"].played, found["b1"].tie_breaks) == (2.0, 2, (0.0, 0.0))
    assert (found["b4"].points, found["b4"].tie_breaks) == (0.5, (1.5, 0.75))
    assert {line.bot: line.points for line in standings_of(event, "encounters", ())} == {
        "b1": 1.0, "b2": 0.0, "b3": 1.0, "b4": 0.0
    }  # fmt: skip


def test_where_every_game_counts_a_bye_is_worth_as_many_as_others_have():
    event = event_of(3)
    play(event, plan(event, 1, 1, "b1", "b2", games=2), (1.0, 0.0), (0.5, 0.5))
    plan(event, 1, 2, "b3", games=0, kind="pairing-bye")
    assert {line.bot: line.points for line in standings_of(event, "games", ())} == {"b3": 2.0, "b1": 1.5, "b2": 0.5}
    assert {line.bot: line.points for line in standings_of(event, "encounters", ())} == {"b1": 1, "b3": 1, "b2": 0}


def test_at_a_table_of_three_buchholz_takes_the_mean_of_the_opponents():
    event = event_of(3, "chexers")
    play(event, plan(event, 1, 1, "b1", "b2", "b3"), (1.0, 0.0, 0.0))
    play(event, plan(event, 2, 1, "b2", "b3", "b1"), (0.5, 0.5, 0.0))
    figures = {line.bot: line.tie_breaks for line in standings_of(event, "games", ("buchholz", "sonneborn_berger"))}
    assert figures == {"b1": (1.0, 1.0), "b2": (1.5, 1.25), "b3": (1.5, 1.25)}


def test_a_game_that_is_being_played_is_no_absence():
    event = event_of(4)
    for board, pair in enumerate((("b1", "b2"), ("b3", "b4")), 1):
        play(event, plan(event, 1, board, *pair), (1.0, 0.0))
    play(event, plan(event, 2, 1, "b1", "b3"), (1.0, 0.0))
    plan(event, 2, 2, "b2", "b4")
    found = {line.bot: (line.points, *line.tie_breaks) for line in standings_of(event, "games", ("buchholz",))}
    assert found == {"b1": (2.0, 1.0), "b3": (1.0, 2.0), "b2": (0.0, 2.0), "b4": (0.0, 1.0)}


def test_who_has_left_is_absent_and_its_rounds_are_draws_for_its_opponents():
    event = event_of(4)
    for board, pair in enumerate((("b1", "b2"), ("b3", "b4")), 1):
        play(event, plan(event, 1, board, *pair), (1.0, 0.0))
    event.enter(Entry("b4", 4, left=2))
    play(event, plan(event, 2, 1, "b1", "b3"), (0.5, 0.5))
    plan(event, 2, 2, "b2", games=0, kind="pairing-bye")
    found = {line.bot: line for line in standings_of(event, "games", ("buchholz",))}
    assert found["b3"].tie_breaks == (1.5 + 0.5,)  # b4 has nothing, and half a point for the round that it did not play
    assert [found[bot].left for bot in ("b3", "b4")] == [False, True]


def test_what_was_given_up_counts_in_a_swiss_event_and_not_in_a_round_robin():
    event = event_of(2)
    number = plan(event, 1, 1, "b1", "b2", games=2)
    play(event, number, (0.5, 0.5))
    event.forfeit(number, "b2")
    assert [line.points for line in standings_of(event, "games", ())] == [1.5, 0.5]
    assert [line.points for line in standings_of(event, "games", (), forfeits_count=False)] == [0.5, 0.5]
    assert [line.points for line in standings_of(event, "encounters", ())] == [1.0, 0.0]
    assert [line.points for line in standings_of(event, "encounters", (), forfeits_count=False)] == [0.0, 0.0]


def test_a_game_that_nobody_came_to_is_lost_by_both():
    event = event_of(2)
    number = plan(event, 1, 1, "b1", "b2")
    event.forfeit(number, "b1")
    event.forfeit(number, "b2")
    assert [(line.points, line.losses, line.played) for line in standings_of(event, "games", ("buchholz",))] == [
        (0, 1, 1)
    ] * 2


def test_equals_stay_in_the_given_order_and_share_a_rank():
    event = event_of(3)
    order = [event.entry(bot) for bot in ("b2", "b3", "b1")]
    lines = standings_of(event, "games", ("direct_encounter", "rating"), order=order)
    assert [(line.rank, line.bot, line.tie_breaks) for line in lines] == [
        (1, bot, (0, 0)) for bot in ("b2", "b3", "b1")
    ]


def test_points_count_where_they_are_named():
    cards = [
        Card(1, "a", None, (Cell(1, "pairing-bye", 1.0),)),
        Card(2, "b", None, (Cell(1, "played", 0.5, (3,), (0.5,), "black"),)),
        Card(3, "c", None, (Cell(1, "played", 0.5, (2,), (0.5,), "white"),)),
    ]
    assert [each.card.bot for each in ranked(cards, ("games_with_black", "points"), rounds=1)] == ["b", "a", "c"]
    assert [each.card.bot for each in ranked(cards, ("games_with_black",), rounds=1)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("given_", "name"),
    [("BH/C1", "buchholz_cut_1"), ("bh-c1", "buchholz_cut_1"), ("Buchholz", "buchholz"), ("de", "direct_encounter")],
)
def test_fides_letters_name_a_tie_break_too(given_, name):
    assert tie_break(given_).name == name


def test_a_name_that_is_unknown_or_named_twice_is_refused():
    with pytest.raises(BadOption, match=r"unknown tie-break 'progresive'; did you mean 'progressive'\?"):
        ranked([], ("progresive",), rounds=0)
    with pytest.raises(BadOption, match="tie-break 'wins' is named twice; name it once"):
        ranked([], ("wins", "WIN"), rounds=0)


def test_no_cards_have_no_ranks():
    assert ranked([], ("direct_encounter", "koya", "buchholz_median"), rounds=0) == []
