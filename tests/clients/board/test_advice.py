"""What a digit is answered with: the course's own figures for dominoes, and a search that ends when nobody waits."""

import threading
from contextlib import suppress

import pytest

from palio_clients.board.advice import NobodyWaits, Unsolvable, adviser
from palio_clients.clock import Clock
from palio_clients.handouts.dominoes.adversarial_search import DominoesGame
from palio_rules.games.dominoes import Move
from palio_rules.registry import game


def ask(sitting, limit, clock=None):
    rules = sitting.rules
    return adviser(rules, rules.parse_options({}))(sitting.state, limit, clock or Clock())


@pytest.mark.parametrize(
    ("played", "limit", "move", "told"),
    [
        ([], 1, (0, 1), "limit 1: value 2, 6 leaves"),
        ([], 2, (0, 1), "limit 2: value 3, 10 leaves"),
        ([(0, 1)], 1, (2, 0), "limit 1: value -3, 2 leaves"),
        ([(0, 1)], 2, (2, 0), "limit 2: value -2, 5 leaves"),
    ],
)
def test_dominoes_has_the_figures_of_the_handout(table, played, limit, move, told):
    sitting = table.sitting("dominoes:rows=3,cols=3")
    for each in played:
        sitting = sitting.play(Move(*each))
    assert ask(sitting, limit) == (Move(*move), told)


def test_dominoes_asks_the_course_s_own_search(table, monkeypatch):
    asked = []
    search = DominoesGame.get_best_move

    def get_best_move(self, vertical, limit):
        asked.append((self.get_board(), vertical, limit))
        return search(self, vertical, limit)

    monkeypatch.setattr(DominoesGame, "get_best_move", get_best_move)
    ask(table.sitting("dominoes:board=.#/..").play(Move(0, 0)).undo({0}), 4)
    assert asked == [([[False, True], [False, False]], True, 4)]


def test_a_search_that_nobody_waits_for_ends_at_once(table):
    clock = Clock()
    clock.cancel()
    with pytest.raises(NobodyWaits):
        ask(table.sitting("dominoes"), 9, clock)
    with pytest.raises(NobodyWaits):
        ask(table.sitting("rush_hour:board=.b../.b../aac./..c."), 1, clock)


@pytest.mark.parametrize("spec", ["dominoes:rows=16,cols=16", "breakthrough", "end_of_the_track"])
def test_a_search_without_end_can_be_stopped_from_another_thread(table, spec):
    clock, ended = Clock(), []

    def search():
        with suppress(NobodyWaits):
            ask(table.sitting(spec), 9, clock)
        ended.append(spec)

    thread = threading.Thread(target=search)
    thread.start()
    clock.cancel()
    thread.join(60)
    assert ended == [spec]


def test_the_other_duels_are_searched_for_a_win(table):
    rules = game("breakthrough")
    sitting = table.sitting("breakthrough:rows=4,cols=3")
    sitting = type(sitting)(rules, (rules.parse_state("B../.../.B./..W black"),))
    advice = ask(sitting, 1)
    assert rules.notation(sitting.state, advice.move) in ("b2-b1", "b2-a1", "b2xc1")
    assert advice.told.startswith("limit 1: value ")


def test_following_the_solver_solves_a_puzzle_in_as_many_moves_as_it_said(table):
    sitting = table.sitting("rush_hour:moves=5")
    for left in range(5, 0, -1):
        advice = ask(sitting, 1)
        assert advice.told == f"{left} {'move' if left == 1 else 'moves'} to go by a shortest solution"
        sitting = sitting.play(advice.move)
    assert sitting.rules.cost(sitting.state) == 5


def test_a_puzzle_without_solution_is_called_so(table):
    with pytest.raises(Unsolvable, match="no solution"):
        ask(table.sitting("rush_hour:board=...b/...b/aa.b/...b"), 1)


def test_a_game_that_nothing_searches_has_no_adviser():
    rules = game("tsp")
    assert adviser(rules, rules.parse_options({})) is None


def test_a_hex_puzzle_is_solved_and_one_without_a_way_out_is_told(table):
    advice = ask(table.sitting("chexers_solo:board=..../...../....../....r../....../...../...."), 1)
    assert advice.told == "3 actions to go by a shortest solution"
    with pytest.raises(Unsolvable):
        ask(table.sitting("chexers_solo:board=####/#####/######/###r.##/######/#####/####"), 1)


def test_at_a_table_of_three_everybody_plays_for_itself(table):
    sitting = table.sitting("chexers")
    advice = ask(sitting, 1)
    sitting.state.check(advice.move)
    assert advice.told.startswith("limit 1: value ")
