"""Matches looked at again: what was thrown away is marked where it happened, and nowhere else."""

from datetime import UTC, datetime
from math import inf
from random import Random

import pytest
from made_matches import positions
from positions import solver_of

from palio_clients.analysis import Judgement, analyse_record, mark_of
from palio_clients.games import companion_of
from palio_clients.search.game_tree import never
from palio_clients.solving.budget import Budget
from palio_rules.contract.messages import Result
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.registry import game

pytestmark = pytest.mark.usefixtures("solvers")

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS = inf  # for a position: what is small is proven, however busy the machine is


def record(game, moves, *, bots=("ann", "bob"), options=None, opening=()):
    """A match whose plies are (seat, notation), or (seat, None) for a seat that leaves."""
    setup = Setup(game, bots, options or {}, opening=opening)
    rules, boards, plies = setup.rules(), boards_of(setup), []
    for seat, text in moves:
        move = None if text is None else rules.move_to_wire(rules.parse_notation(boards.of(seat), text))
        plies.append(Ply(seat, move, 10, out="crashed" if text is None else None))
        boards.play(plies[-1])
    return Record("m1", setup, tuple(plies), Result("rule", "over", [0.0] * len(bots)), NOW, NOW)


def random_record(game, seed, bots=("ann", "bob"), options=None):
    """A match of random moves."""
    setup, random = Setup(game, bots, options or {}), Random(seed)
    rules, boards, plies = setup.rules(), boards_of(setup), []
    while (seat := boards.of(0).to_move) is not None:
        move = random.choice(list(boards.of(0).legal_moves()))
        plies.append(Ply(seat, rules.move_to_wire(move), 10))
        boards.play(plies[-1])
    return Record("m1", setup, tuple(plies), Result("rule", "over", [0.0] * len(bots)), NOW, NOW)


def judged(match, seconds=SECONDS, whole=None):
    """By ply; each comes once."""
    found = list(analyse_record(match, seconds, whole or Budget()))
    by_ply = {ply.ply: ply for ply in found}
    assert len(by_ply) == len(found)
    return by_ply


def marks_of(match, solver):
    """The mark of each ply, by solving every position on its own."""
    rules = match.setup.rules()
    winners = [winner(rules, state, solver) for state in positions(match)]
    return ["??" if winners[i] == ply.seat != winners[i + 1] else None for i, ply in enumerate(match.plies)]


def winner(rules, state, solver):
    if (outcome := state.outcome()) is not None:
        return outcome.scores.index(1.0)
    return state.to_move if solver.solve(state, Budget()).verdict == "win" else 1 - state.to_move


def test_random_play_throws_wins_away():
    match = random_record("dominoes", 3, options={"rows": 4, "cols": 5})
    assert "??" in marks_of(match, solver_of(match.setup.rules()))  # or else the next test would show little


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("game", "options"), [
    ("dominoes", {"rows": 4, "cols": 5}),
    pytest.param("breakthrough", {"rows": 4, "cols": 4}, marks=pytest.mark.slow),
])  # fmt: skip
def test_in_small_games_every_ply_is_proven_and_marked_exactly_where_the_winner_changes(game, options, seed):
    match = random_record(game, seed, options=options)
    marks = marks_of(match, solver_of(match.setup.rules()))
    found = judged(match)
    assert sorted(found) == list(range(len(match.plies) + 1))
    assert [found[ply].mark for ply in sorted(found)][1:] == marks
    assert all(set(ply.verdicts) == {"win", "loss"} for ply in found.values())
    assert found[len(match.plies)].distance == 0
    rules, states = match.setup.rules(), list(positions(match))
    for ply in found.values():
        if ply.mark:  # what was better keeps the win
            before = states[ply.ply - 1]
            better = before.play(rules.parse_notation(before, ply.best))
            assert winner(rules, better, solver_of(rules)) == ply.seat


@pytest.mark.slow
def test_a_win_in_one_that_is_overlooked_in_end_of_the_track_is_marked_at_its_ply():
    """Both sides bring a block to the far corner and one to the diagonal behind it. White, to move, plays elsewhere."""
    paths = zip(
        ("b1-c3", "c3-d5", "d5-c7", "c7-a8", "e1-g2", "f1-e3"),
        ("b8-c6", "c6-d4", "d4-c2", "c2-a1", "e8-g7", "@d8-a1"),
        strict=True,
    )
    moves = [(seat, text) for pair in paths for seat, text in enumerate(pair)]
    found = judged(record("end_of_the_track", moves), 0.5)
    assert (found[10].verdicts, found[10].distance) == (("win", "loss"), 1)
    blunder = found[11]
    assert (blunder.move, blunder.mark, blunder.best) == ("f1-e3", "??", "@d1-a8")
    assert (blunder.verdicts, blunder.distance) == (("loss", "win"), 1)
    assert (found[12].verdicts, found[12].distance, found[12].mark) == (("loss", "win"), 0, None)


def test_plies_of_the_opening_are_counted_and_judged_too():
    match = record("dominoes", [(0, "d2v")], options={"rows": 2, "cols": 4}, opening=([0, 0], [0, 1]))
    found = judged(match)
    assert sorted(found) == [0, 1, 2, 3]
    assert [found[ply].seat for ply in range(4)] == [0, 0, 1, 0]
    assert [found[ply].move for ply in range(3)] == ["", "a2v", "b2h"]


def test_what_is_not_proven_has_an_evaluation_for_each_seat():
    match = record("chexers", [(0, "(-3,0)-(-2,-1)"), (1, None), (2, "(3,0)-(2,0)")], bots=("r", "g", "b"))
    found = judged(match, 0.2)
    assert [found[ply].move for ply in range(4)] == ["", "(-3,0)-(-2,-1)", "out", "(3,0)-(2,0)"]
    for ply in found.values():
        assert len(ply.values) == len(ply.verdicts) == 3
        assert None not in ply.values
        assert abs(sum(ply.values)) < 1e-6
    assert found[2].mark is None  # to leave is no move


def test_a_race_tells_how_far_each_entrant_was_and_what_it_wasted():
    board = {"board": "b.d./b.../aa.c/...."}  # moving c up or down by one solves it
    match = record(
        "rush_hour", [(0, "d+1"), (1, "c-1"), (0, "d-1"), (0, "c-1"), (2, None)], bots=("x", "y", "z"), options=board
    )
    found = judged(match)
    plies_found = [
        (ply.seat, ply.move, ply.values, ply.distance, ply.mark, ply.best) for _, ply in sorted(found.items())
    ]
    best = plies_found[1][5]
    assert best.startswith("c")
    assert plies_found == [
        (0, "", (1.0,), 1, None, ""),
        (0, "d+1", (2.0,), 1, "?", best),
        (1, "c-1", (1.0,), 0, None, ""),
        (0, "d-1", (3.0,), 1, "?", best),
        (0, "c-1", (3.0,), 0, None, ""),
        (2, "out", (None,), None, None, ""),
    ]


def test_a_race_that_can_be_won_no_more_is_marked():
    board = {"board": "b.d./b.../aa.c/....", "max_moves": 1}
    found = judged(record("rush_hour", [(0, "d+1")], bots=("x",), options=board))
    assert (found[1].mark, found[1].verdicts) == ("??", ("loss",))


def test_an_anytime_race_tells_what_was_paid():
    setup = Setup("tsp", ("x",), {"size": 5}, seed=1)
    tours = ([0, 1, 2, 3, 4], [0, 2, 1, 3, 4])
    plies = (*(Ply(0, tour, 5) for tour in tours), Ply(0, None, 5), Ply(0, None, 0, None, "time"))
    match = Record("m1", setup, plies, Result("rule", "time", [1.0]), NOW, NOW)
    found = judged(match)
    costs = [setup.rules().cost(state) for state in positions(match)]
    assert [found[ply].values for ply in range(5)] == [(cost,) for cost in costs]
    assert [found[ply].move for ply in range(2, 5)] == ["0-2-1-3-4", "no better", "out"]
    assert {ply.mark for ply in found.values()} == {None}


def test_who_loses_patience_keeps_what_was_found_and_nothing_half_done():
    match, whole = random_record("dominoes", 1, options={"rows": 4, "cols": 4}), Budget()
    kept = []
    for ply in analyse_record(match, SECONDS, whole):
        kept.append(ply)
        if len(kept) == 3:
            whole.cancel()
    last = len(match.plies)
    assert [ply.ply for ply in kept] == [last, last - 1, last - 2]
    assert kept == [judged(match)[ply.ply] for ply in kept]


@pytest.mark.parametrize(("before", "after", "mark"), [
    (("win", None), ("draw", None), "??"),
    (("win", None), ("loss", None), "??"),
    (("draw", None), ("loss", None), "??"),
    (("win", None), ("win", None), None),
    (("loss", None), ("loss", None), None),
    (("win", None), (None, 5.0), "?"),
    (("draw", None), (None, -5.0), None),
    ((None, 2.0), (None, 0.0), "?"),
    ((None, 2.0), (None, 1.5), None),
    ((None, 40.0), (None, 20.0), None),
    ((None, 0.5), ("loss", None), "?"),
    ((None, -20.0), ("loss", None), None),
    ((None, -1.0), (None, 3.0), None),
])  # fmt: skip
def test_marks(before, after, mark):
    def judgement(verdict, value):
        return Judgement((verdict, None), (value, None))

    assert mark_of(judgement(*before), judgement(*after), 0) == mark


def test_a_look_one_move_ahead_supports_no_mark():
    deep, shallow = Judgement((None,), (2.0,), depth=4), Judgement((None,), (-2.0,), depth=1)
    assert mark_of(deep, shallow, 0) is None
    assert mark_of(deep, shallow._replace(depth=2), 0) == "?"


def game_of_go():
    """A game by a search of some thousand games a move; once Black plays into the corner instead."""
    search = companion_of("go").tree_search()
    options = {"size": 7, "komi": 3.5}
    rules, state, moves = game("go"), game("go").start(game("go").parse_options(options)), []
    for ply in range(24):
        move = "A1" if ply == 10 else search(state, nodes=3000, seed=ply, stop=never).move
        moves.append((ply % 2, rules.notation(state, move)))
        state = state.play(move)
    return record("go", moves, options=options)


@pytest.mark.slow
def test_moves_of_go_are_judged_by_games_to_the_end_or_not_at_all(monkeypatch):
    pytest.importorskip("numba")
    match = game_of_go()
    monkeypatch.setattr("palio_clients.games.go.playouts.GAMES", 4000)  # however busy the machine is
    found = judged(match)
    assert abs(found[0].values[0]) < 2
    assert [ply for ply in range(1, 25) if found[ply].mark] == [11]
    monkeypatch.setattr("palio_clients.games.go.available", lambda: False)
    found = judged(match, 0.01)
    assert {ply.mark for ply in found.values()} == {None}
    assert {ply.values for ply in found.values()} == {(None, None)}
