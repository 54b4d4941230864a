"""Hints: legal in every position of every game, the best so far when the time is up, and a sentence where none is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import somewhere, start

from palio_clients.games import Companion, companion_of
from palio_clients.games.advice import Unsolvable
from palio_clients.games.hints import hint, rank
from palio_clients.search.game_tree import never
from palio_clients.search.minimax import alpha_beta, max_n
from palio_rules.registry import game

SPECS = ("breakthrough:rows=5,cols=4", "chexers", "dominoes:rows=4,cols=5", "end_of_the_track", "go:size=4")


def ask(spec, state, depth=2, stop=never):
    rules = game(spec.partition(":")[0])
    return hint(companion_of(rules.name), rules, state, depth, stop)


def after(calls):
    """A clock that has run out when it has been looked at so often."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


@given(spec=st.sampled_from(SPECS), seed=st.integers(0, 1000), plies=st.integers(0, 20), looks=st.integers(0, 300))
def test_whenever_the_time_is_up_there_is_a_legal_move(spec, seed, plies, looks):
    _, state = somewhere(spec, seed, plies)
    if state.to_move is None:
        return
    found = ask(spec, state, 3, after(looks))
    state.check(found.move)
    assert found.complete is not found.text.endswith("; time was up")


def test_what_was_cut_short_is_the_result_of_the_last_whole_depth():
    state = start("breakthrough")
    whole = ask("breakthrough", state, 2)
    cut = ask("breakthrough", state, 9, after(3000))
    assert whole.complete
    assert not cut.complete
    assert cut.text == f"{ask('breakthrough', state, int(cut.text[0])).text}; time was up"


def test_a_puzzle_says_how_many_moves_remain():
    found = ask("rush_hour", start("rush_hour:moves=5"), 1)
    assert (found.complete, found.text) == (True, "5 moves to go by a shortest solution")


def test_a_puzzle_without_time_has_the_move_after_which_least_seems_to_be_left():
    state = start("rush_hour:moves=5")
    found = ask("rush_hour", state, 1, lambda: True)
    state.check(found.move)
    assert not found.complete
    left = {move: companion_of("rush_hour").evaluate(state.play(move), 0) for move in state.legal_moves()}
    assert left[found.move] == max(left.values())


@pytest.mark.parametrize(
    ("spec", "position", "depth", "text"),
    [
        ("breakthrough", "", 1, "1 ply deep nobody is ahead"),
        ("end_of_the_track", "", 1, "1 ply deep you are about 2.5 rows of the ball ahead of your opponent"),
        ("breakthrough", "B../.../.B./..W black", 3, "you win within 1 ply, whatever is answered"),
        ("dominoes:rows=3,cols=3", "", 1, "1 ply deep you have 2 more moves left than your opponent"),
        ("dominoes:rows=3,cols=3", "", 2, "2 plies deep you have 3 more moves left than your opponent"),
    ],
)
def test_a_search_says_in_words_how_it_stands(spec, position, depth, text):
    state = game("breakthrough").parse_state(position) if position else start(spec)
    assert ask(spec, state, depth).text.partition(";")[0] == text


def test_a_search_tells_the_moves_that_it_expects():
    state = start("breakthrough:rows=5,cols=4")
    rules = game("breakthrough")
    found = ask("breakthrough:rows=5,cols=4", state, 2)
    expected = found.text.partition("; it expects ")[2]
    after = state.play(found.move)
    assert expected in [rules.notation(after, move) for move in after.legal_moves()]


def test_the_only_move_needs_no_thought():
    state = game("chexers").parse_state("..../...../....../...g.../....../...../.... 0,0,0 red 0/256")
    assert ask("chexers", state, 9) == (("PASS", None), "the only move", True)


def test_a_race_that_nobody_has_planned_has_no_hint():
    rules = game("rush_hour")
    with pytest.raises(Unsolvable, match="nothing here searches Rush Hour"):
        hint(Companion(), rules, start("rush_hour:moves=5"), 1, never)


@pytest.mark.parametrize("size", [9, 13, 19])
def test_on_every_usual_board_of_go_a_first_hint_needs_no_time(size):
    state = start(f"go:size={size},handicap=4")
    found = ask("go", state, 2, lambda: True)
    state.check(found.move)
    assert found.text.endswith("; time was up")
    for move, _ in ranked("go", state, 2, lambda: True).moves:
        state.check(move)


def ranked(spec, state, depth, stop=never):
    rules = game(spec.partition(":")[0])
    return rank(companion_of(rules.name), rules, state, depth, stop)


def test_moves_of_go_are_ranked_by_games_to_the_end():
    """A last liberty decides for the side that takes it; the empty board is even."""
    pytest.importorskip("numba")
    state = game("go").read_state("2XOX/2XOX/2XO1/2XOX/2XOX b")
    best, *_, worst = ranked("go", state, 1).moves
    assert best.move == "E3"
    assert best.value > worst.value + 10
    assert ask("go", state).text.partition("; ")[0] == "you win 98% of 2,000 games"
    assert all(abs(value) < 1.5 for _, value in ranked("go", start("go"), 2).moves[:3])


@pytest.mark.usefixtures("no_numba")
def test_without_kernels_moves_of_go_have_no_values():
    with pytest.raises(Unsolvable, match="numba is not installed"):
        ranked("go", start("go"), 1)
    with pytest.raises(Unsolvable, match="nothing here searches Go"):
        ask("go", start("go"))


BY_DEPTH = [spec for spec in SPECS if not spec.startswith("go")]


@given(spec=st.sampled_from(BY_DEPTH), seed=st.integers(0, 1000), plies=st.integers(0, 20), depth=st.integers(1, 2))
def test_all_moves_are_ranked_and_the_first_is_as_good_as_the_search_says(spec, seed, plies, depth):
    _, state = somewhere(spec, seed, plies)
    if state.to_move is None:
        return
    rules = game(spec.partition(":")[0])
    evaluate = companion_of(rules.name).evaluate
    found = ranked(spec, state, depth)
    assert (found.depth, found.complete) == (depth, True)
    assert {move for move, _ in found.moves} == set(state.legal_moves())
    values = [value for _, value in found.moves]
    assert values == sorted(values, reverse=True)
    if spec == "chexers":
        best = max_n(state, depth, evaluate, seats=3)
    else:
        best = alpha_beta(state, depth, evaluate, noisy=companion_of(rules.name).noisy)
    if abs(best.score) < 900:  # else it is decided, and the search's own number is not for people
        assert values[0] == pytest.approx(best.score)


def test_of_a_ranking_that_is_cut_short_the_last_whole_depth_stands():
    state = start("breakthrough")
    cut = ranked("breakthrough", state, 9, after(2000))
    assert not cut.complete
    assert cut.moves == ranked("breakthrough", state, cut.depth).moves


def test_the_moves_of_a_puzzle_are_not_ranked():
    with pytest.raises(Unsolvable, match="ask for a hint"):
        ranked("rush_hour", start("rush_hour:moves=2"), 1)
