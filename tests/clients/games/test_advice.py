"""What a digit is answered with: the course's own figures for dominoes, and a search that ends when nobody waits."""

import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import at, somewhere, start

from palio_clients.games import companion_of
from palio_clients.games.advice import SearchStopped, Unsolvable
from palio_clients.handouts.dominoes.adversarial_search import DominoesGame
from palio_clients.sdk.clock import Clock
from palio_rules.games.dominoes import VERTICAL, Move
from palio_rules.registry import game

dominoes = st.builds(
    lambda seed, plies: somewhere("dominoes:rows=4,cols=5", seed, plies), st.integers(0, 1000), st.integers(0, 14)
)


def ask(spec, state, limit=1, clock=None):
    rules = game(spec.partition(":")[0])
    return companion_of(rules.name).adviser(rules).advise(state, limit, (clock or Clock()).expired)


@pytest.mark.parametrize(
    ("played", "limit", "move", "text"),
    [
        ([], 1, (0, 1), "limit 1: value 2, 6 leaves"),
        ([], 2, (0, 1), "limit 2: value 3, 10 leaves"),
        ([(0, 1)], 1, (2, 0), "limit 1: value -3, 2 leaves"),
        ([(0, 1)], 2, (2, 0), "limit 2: value -2, 5 leaves"),
    ],
)
def test_dominoes_has_the_figures_of_the_handout(played, limit, move, text):
    state = start("dominoes:rows=3,cols=3")
    for each in played:
        state = state.play(Move(*each))
    assert ask("dominoes", state, limit)[:2] == (Move(*move), text)


@given(dominoes, st.integers(1, 4))
def test_dominoes_has_move_value_and_leaves_of_the_course_s_own_search(found, limit):
    """`get_best_move` of its file, from the same board for the same player."""
    _, state = found
    board = [[cell != "." for cell in row] for row in state.rows()]
    move, value, leaves = DominoesGame(board).get_best_move(state.turn == VERTICAL, limit)
    noun = "leaf" if leaves == 1 else "leaves"
    assert ask("dominoes", state, limit)[:2] == (Move(*move), f"limit {limit}: value {value}, {leaves} {noun}")


def test_a_search_that_nobody_waits_for_ends_at_once():
    clock = Clock()
    clock.cancel()
    for spec in ("dominoes", "rush_hour:board=.b../.b../aac./..c."):
        with pytest.raises(SearchStopped):
            ask(spec, start(spec), 9, clock)


@pytest.mark.parametrize("spec", ["dominoes:rows=16,cols=16", "breakthrough", "end_of_the_track"])
def test_a_search_without_end_can_be_stopped_from_another_thread(spec):
    clock, ended = Clock(), []

    def search():
        with suppress(SearchStopped):
            ask(spec, start(spec), 9, clock)
        ended.append(spec)

    thread = threading.Thread(target=search)
    thread.start()
    clock.cancel()
    thread.join(60)
    assert ended == [spec]


def test_the_other_duels_are_searched_for_a_win():
    state = at("breakthrough", "B../.../.B./..W black")
    advice = ask("breakthrough", state)
    assert game("breakthrough").notation(state, advice.move) in ("b2-b1", "b2-a1", "b2xc1")
    assert advice.text.startswith("limit 1: value ")


def test_following_the_solver_solves_a_puzzle_in_as_many_moves_as_it_said():
    state = start("rush_hour:moves=5")
    for left in range(5, 0, -1):
        advice = ask("rush_hour", state)
        assert advice.text == f"{left} {'move' if left == 1 else 'moves'} to go by a shortest solution"
        state = state.play(advice.move)
    assert game("rush_hour").cost(state) == 5


def test_a_puzzle_without_solution_is_called_so():
    with pytest.raises(Unsolvable, match="no solution"):
        ask("rush_hour", start("rush_hour:board=...b/...b/aa.b/...b"))


def test_a_tour_is_made_shorter_and_stays_one():
    state = start("tsp:size=60")
    first = ask("tsp", state, 1)
    state.check(first.move)
    state = state.play(tuple(range(60)))
    better = ask("tsp", state, 9)
    length = state.play(better.move).length
    assert better.text == f"a tour of {length}, {state.length - length} shorter"
    assert length <= state.play(first.move).length
    after = ask("tsp", state.play(better.move), 1)
    assert after.text.startswith("a tour of ")
    assert state.play(better.move).play(after.move).length <= length


def test_a_tour_that_nobody_has_time_for_is_the_best_so_far():
    clock = Clock()
    clock.cancel()
    state = start("tsp:size=60")
    state.check(ask("tsp", state, 9, clock).move)


def test_more_cities_than_can_be_searched_are_refused():
    with pytest.raises(Unsolvable, match="1,000 cities are too many for a hint; it takes 800 at most"):
        ask("tsp", start("tsp:size=1000"))


def test_a_hex_puzzle_is_solved_and_one_without_a_way_out_is_reported():
    advice = ask("chexers_solo", start("chexers_solo:board=..../...../....../....r../....../...../...."))
    assert advice.text == "3 actions to go by a shortest solution"
    with pytest.raises(Unsolvable):
        ask("chexers_solo", start("chexers_solo:board=####/#####/######/###r.##/######/#####/####"))


def test_at_a_table_of_three_everybody_plays_for_itself():
    advice = ask("chexers", start("chexers"))
    start("chexers").check(advice.move)
    assert advice.text.startswith("limit 1: value ")
