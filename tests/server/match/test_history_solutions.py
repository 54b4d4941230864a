"""Of an anytime race the record keeps what is better than all before, up to a limit."""

import pytest
from msgspec import json

from palio_rules.records.record import Ply
from palio_rules.registry import game
from palio_server.match import events
from palio_server.match.events import Solutions

RULES = game("tsp")
START = RULES.start(RULES.parse_options({"distances": [10, 15, 20, 35, 25, 30]}))
BEST, WORST = [0, 1, 3, 2], [0, 1, 2, 3]  # 80 and 95 long


def after(*tours):
    state = START
    for tour in tours:
        state = state.play(RULES.read_move(state, tour))
    return state


@pytest.mark.parametrize(
    ("before", "tour", "better"),
    [([], WORST, True), ([WORST], BEST, True), ([BEST], WORST, False), ([BEST], BEST, False)],
)
def test_a_solution_is_better_if_it_costs_less_than_all_before(before, tour, better):
    assert Solutions(RULES).better(after(*before), after(*before, tour)) is better


def test_the_size_is_that_of_the_kept_plies_those_of_the_journal_too(monkeypatch):
    first, none, second = Ply(0, WORST, 5), Ply(0, None, 5), Ply(0, BEST, 5)
    kept = Solutions(RULES, [first, none])
    kept.keep(second)
    assert kept.size == len(json.encode(first)) + len(json.encode(second))
    monkeypatch.setattr(events, "MAX_SIZE", kept.size)
    assert not kept.full
    kept.keep(second)
    assert kept.full
