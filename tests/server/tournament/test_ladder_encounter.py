"""Matches of a ladder group: one opening from every side, another one the next time, and heats that are hard enough."""

from itertools import combinations, cycle, islice
from random import Random

import pytest

from palio_rules.registry import game, games
from palio_rules.time_control import TimeControl
from palio_server.tournament import ladder_pairing
from palio_server.tournament.ladder_pairing import LadderEncounters, book_of
from palio_server.tournament.openings import Book, Opening
from palio_server.tournament.round_robin import heat

TIME = TimeControl.parse("5")
DUELS = [name for name in games() if game(name).kind == "duel"]
RACES = [name for name in games() if game(name).kind == "race"]


@pytest.fixture
def encounters():
    return LadderEncounters(TIME, Random(1))


@pytest.mark.parametrize("name", DUELS)
def test_a_pair_plays_one_opening_from_each_side(encounters, name):
    here, there = encounters.setups(name, ("ann", "bob"))
    assert here.opening
    assert (here.opening, here.bots, there.bots) == (there.opening, ("ann", "bob"), ("bob", "ann"))
    assert here.time == TIME


def test_at_a_table_each_sits_once_in_each_seat(encounters):
    setups = encounters.setups("chexers", ("ann", "bob", "cat"))
    assert [setup.bots for setup in setups] == [("ann", "bob", "cat"), ("bob", "cat", "ann"), ("cat", "ann", "bob")]
    assert len({str(setup.opening) for setup in setups}) == 1


@pytest.mark.parametrize("name", DUELS)
def test_a_pair_has_another_opening_each_time_until_the_book_is_through(encounters, name):
    size = book_of(name, 0).size
    met = [encounters.setups(name, names)[0].start() for names in islice(cycle([("ann", "bob"), ("bob", "ann")]), size)]
    assert size >= 50
    assert len(set(met)) == size


@pytest.mark.parametrize("name", [*DUELS, "chexers"])
def test_when_the_book_is_through_its_openings_go_on_with_a_random_move_of_each_seat(encounters, name):
    size, bots = book_of(name, 0).size, ("ann", "bob", "cat")[: len(game(name).seats)]
    first, second, third = ([encounters.setups(name, bots) for _ in range(size)] for _ in range(3))
    for before, *after in zip(first, second, third, strict=True):
        book = before[0].opening
        for setups in after:
            assert setups[0].opening[: len(book)] == book
            assert len(setups[0].opening) == len(book) + len(bots)
            assert len({str(setup.opening) for setup in setups}) == 1  # the same from every side
            assert setups[0].start().outcome() is None
    starts = [setups[0].start() for each in (first, second, third) for setups in each]
    assert len(set(starts)) > 0.95 * len(starts)


def played(setup):
    """The line of a match between deterministic programs: each plays its first move, by name."""
    rules, state, line = setup.rules(), setup.start(), []
    while state.to_move is not None:
        moves = list(state.legal_moves())
        line.append(moves[0] if setup.bots[state.to_move] < "cid" else moves[-1])
        state = state.play(line[-1])
    return (*setup.opening, *map(rules.move_to_wire, line)), state.outcome().scores


def test_programs_that_leave_nothing_to_chance_do_not_play_their_games_again(encounters):
    size = book_of("breakthrough", 0).size
    games = [
        str(played(setup)[0]) for _ in range(2 * size) for setup in encounters.setups("breakthrough", ("ann", "dan"))
    ]
    assert len(set(games)) > 0.97 * len(games)


def test_identical_programs_play_one_game_twice_and_share_the_points(encounters):
    for _ in range(20):
        (line, here), (again, there) = map(played, encounters.setups("breakthrough", ("ann", "bob")))
        assert line == again
        assert [here[0] + there[1], here[1] + there[0]] == [1, 1]


@pytest.mark.usefixtures("small_games")
def test_an_opening_that_cannot_go_on_is_played_as_it_is(encounters, monkeypatch):
    monkeypatch.setattr(ladder_pairing, "book_of", lambda *_: Book([Opening(position="1 0,1 2")]))
    assert [encounters.setups("heap2", ("ann", "bob"))[0].start().stones for _ in range(3)] == [1, 1, 1]


def test_pairs_do_not_all_begin_at_the_same_page(encounters):
    met = [encounters.setups("breakthrough", pair)[0].start() for pair in combinations("abcdefgh", 2)]
    assert len(set(met)) > len(met) / 2


def test_all_seeds_differ(encounters):
    setups = [each for _ in range(20) for each in encounters.setups("dominoes", ("ann", "bob"))]
    assert len({setup.seed for setup in setups}) == len(setups)


@pytest.mark.usefixtures("small_games")
def test_a_game_without_a_book_has_random_openings_as_far_as_there_are_some(encounters):
    starts = {encounters.setups("heap2", ("ann", "bob"))[0].start() for _ in range(20)}
    assert all(state.outcome() is None for state in starts)


@pytest.mark.parametrize("name", RACES)
def test_a_heat_is_harder_than_usual_and_tells_equals_apart_by_their_time(encounters, name):
    setup = encounters.heat(name, ("ann", "bob"))
    assert setup.by_time
    assert setup.options == game(name).hard != {}


@pytest.mark.slow
@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("seed", range(3))
def test_the_instances_of_heats_are_found(name, seed):
    setup = LadderEncounters(TIME, Random(seed)).heat(name, ("ann", "bob"))
    assert heat(setup).start().outcome() is None
