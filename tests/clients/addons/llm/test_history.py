"""Which moves were played, as far as a bot can know."""

from palio_clients.addons.llm.bot import History
from palio_rules.registry import game

RULES = game("breakthrough")
START = RULES.start(RULES.parse_options({}))


def played(state, *texts):
    for text in texts:
        state = state.play(RULES.parse_notation(state, text))
    return state


def move(state, text):
    return RULES.parse_notation(state, text)


def test_own_moves_and_those_of_others_are_followed():
    history = History(RULES, START)
    assert history.reach(START) is False  # it is there already
    history.we_played(move(START, "a5-a4"))
    after = played(START, "a5-a4")
    history.other_played(1, move(after, "b2-b3"))
    assert history.reach(played(after, "b2-b3"))
    assert history.moves == [(0, "a5-a4"), (1, "b2-b3")]


def test_who_moves_second_knows_the_first_move():
    history = History(RULES, START)
    history.other_played(0, move(START, "a5-a4"))
    assert history.reach(played(START, "a5-a4"))
    assert history.moves == [(0, "a5-a4")]


def test_a_move_that_was_rejected_was_not_played():
    history = History(RULES, START)
    history.we_played(move(START, "a5-a4"))
    assert history.reach(START) is False
    assert history.moves == []


def test_after_a_crash_it_begins_anew():
    history = History(RULES, START)
    later = played(START, "a5-a4", "b2-b3")
    assert history.reach(later)
    assert history.moves == []
    history.we_played(move(later, "a4-a3"))
    end = played(later, "a4-a3")
    history.other_played(1, move(end, "b3-b4"))
    history.reach(played(end, "b3-b4"))
    assert history.moves == [(0, "a4-a3"), (1, "b3-b4")]


def test_moves_that_do_not_fit_are_forgotten():
    history = History(RULES, None)
    history.other_played(0, "nonsense")
    assert history.reach(START)
    history.other_played(1, move(START, "a5-a4"))  # it is not that seat's turn
    history.reach(played(START, "a5-a4"))
    assert history.moves == []


def test_of_an_anytime_race_the_costs_are_told():
    rules = game("tsp")
    state = rules.start(rules.parse_options({"size": 5}), 1)
    history = History(rules, state)
    history.reach(state)
    tour = next(state.legal_moves())
    history.we_played(tour)
    assert history.reach(state.play(tour))
    assert history.moves == [(0, f"{rules.cost(state.play(tour)):g}")]
