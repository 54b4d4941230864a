"""Bots that play pairs of games have the figures of fastchess: by pairs, in any format of event."""

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.event import Event
from palio_server.tournament.pair_figures import pair_figures
from palio_server.tournament.score_lines import pair_lines

POINTS = {0: (0.0, 0.0), 1: (0.0, 0.5), 2: (0.5, 0.5), 3: (1.0, 0.5), 4: (1.0, 1.0)}  # of the first, in both games


def event_of(counts, *, names=("new", "old"), swapped=True, game="breakthrough"):
    """An event in which so many pairs gave the first bot 0, 1/2, 1, 1 1/2 and 2 points."""
    event = Event(game, [Entry(name, place) for place, name in enumerate(names, 1)])
    results = [POINTS[kind] for kind, count in enumerate(counts) for _ in range(count)]
    for number, pair in enumerate(results, 1):
        bots = names if number % 3 else names[::-1]  # named first in an encounter
        event.add(EncounterRow(number, Plan(number, 1, bots, 2)))
        for game_number, points in enumerate(pair):
            seats = bots[::-1] if swapped and game_number else bots
            scores = tuple(points if bot == names[0] else 1 - points for bot in seats)
            event.note(EventMatch(f"m{number}{game_number}", number, game_number, seats, "finished", scores, (5, 5)))
    return event


def test_a_match_has_the_lines_of_fastchess():
    """Disservin/fastchess @74deac2 app/tests/elo_test.cpp: LL 34, LD 54, WL 31, DD 32, WD 64, WW 75."""
    [figures] = pair_figures(event_of((34, 54, 63, 64, 75)))
    assert pair_lines(figures).splitlines() == [
        "Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28",
        "LOS: 100.00 %, DrawRatio: 21.72 %, PairsRatio: 1.58",
        "Games: 580, Wins: 214, Losses: 122, Draws: 244, Points: 336.0 (57.93 %)",
        "Ptnml(0-2): [34, 54, 63, 64, 75]",
    ]
    [one_sided] = pair_figures(event_of((0, 0, 0, 0, 2)))
    assert "PairsRatio: inf" in pair_lines(one_sided)


def test_only_finished_pairs_with_changed_seats_count():
    event = event_of((0, 1, 2, 0, 0))
    event.add(EncounterRow(4, Plan(4, 1, ("new", "old"), 2)))
    event.note(EventMatch("half", 4, 0, ("new", "old"), "finished", (1.0, 0.0), (5, 5)))
    [figures] = pair_figures(event)
    assert (figures.pairs, figures.games) == ([0, 1, 2, 0, 0], 6)
    assert pair_figures(event_of((0, 1, 2, 0, 0), swapped=False)) == []


def test_an_encounter_of_four_games_has_two_pairs():
    event = Event("breakthrough", [Entry("new", 1), Entry("old", 2)])
    event.add(EncounterRow(1, Plan(1, 1, ("new", "old"), 4)))
    for game in range(4):
        seats = ("new", "old")[:: 1 - 2 * (game % 2)]
        event.note(EventMatch(f"m{game}", 1, game, seats, "finished", (1.0, 0.0), (5, 5)))
    assert pair_figures(event)[0].pairs == [0, 0, 2, 0, 0]
