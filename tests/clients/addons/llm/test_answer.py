"""What is read in answers, plain and hostile ones; each file in `answers` says first what is to be found."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.addons.llm.answer import find_move, spoken
from palio_clients.addons.llm.http import NoMove
from palio_rules.errors import IllegalMove
from palio_rules.registry import game, games

ANSWERS = sorted((Path(__file__).parent / "answers").glob("*.txt"))
BREAKTHROUGH = game("breakthrough")
START = BREAKTHROUGH.start(BREAKTHROUGH.parse_options({}))


def first_position(name: str):
    rules = game(name)
    board = {"board": ".b..../.b..../.aa..c/d....c/d.eee./......"} if name == "rush_hour" else {}
    return rules, rules.start(rules.parse_options(board), 1)


def test_there_are_answers_to_try():
    assert len(ANSWERS) > 30


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_a_recorded_answer_is_read_as_its_first_line_says(path: Path):
    first, _, text = path.read_text("utf-8").partition("\n")
    word, _, rest = first.removeprefix("expect ").partition(" ")
    if word == "none:":
        with pytest.raises(NoMove, match=rest):
            find_move(text, BREAKTHROUGH, START)
        return
    move = find_move(text, BREAKTHROUGH, START)
    if word == "illegal":
        assert move == BREAKTHROUGH.parse_notation(START, rest)
        with pytest.raises(IllegalMove):
            START.check(move)
    else:
        assert BREAKTHROUGH.notation(START, move) == word


def test_the_reasoning_is_read_where_that_is_asked_for():
    text = "<think>MOVE: a5-a4</think>"
    assert find_move(text, BREAKTHROUGH, START, "read") == BREAKTHROUGH.parse_notation(START, "a5-a4")
    with pytest.raises(NoMove):
        find_move(text, BREAKTHROUGH, START)


def test_of_a_very_long_answer_its_end_counts():
    text = "MOVE: a5-a4\n" + "I go on and on about b5-c4. " * 8000 + "\nMOVE: b5-b4\n"
    assert len(text) > 200_000
    assert BREAKTHROUGH.notation(START, find_move(text, BREAKTHROUGH, START)) == "b5-b4"


@pytest.mark.parametrize(
    "part", ["<think>", "</think>", "{", '{"move":', "[", "```", "MOVE: ", "*", "b5-", "\n", "<think></think>"]
)
def test_a_very_long_answer_without_a_move_is_done_with(part: str):
    with pytest.raises(NoMove):
        find_move(part * (200_000 // len(part)), BREAKTHROUGH, START)


@given(st.text(max_size=400))
def test_whatever_a_model_says_is_a_move_of_the_game_or_none(text: str):
    with suppress(NoMove):
        assert BREAKTHROUGH.notation(START, find_move(text, BREAKTHROUGH, START))


@pytest.mark.parametrize("name", games())
@pytest.mark.parametrize(
    "form", ["MOVE: {}", "I think so.\n\n**Move:** `{}`", '{{"move": "{}"}}', "{}", "I play {} now", "```\n{}\n```"]
)
def test_every_legal_move_is_read_in_every_form(name: str, form: str):
    rules, state = first_position(name)
    for move in state.legal_moves():
        assert find_move(form.format(rules.notation(state, move)), rules, state) == move


@pytest.mark.parametrize(
    "text", ["MOVE: 0, 2, 1, 3", "MOVE: [0, 2, 1, 3]", "MOVE: 0 -> 2 -> 1 -> 3", '{"move": [0, 2, 1, 3]}', "0 2 1 3"]
)
def test_a_tour_is_read_however_its_cities_are_divided(text: str):
    rules = game("tsp")
    state = rules.start(rules.parse_options({"size": 4}), 1)
    assert find_move(text, rules, state) == (0, 2, 1, 3)


def test_two_moves_that_differ_by_a_sign_are_not_mixed_up():
    rules = game("rush_hour")
    state = rules.start(rules.parse_options({"board": "....../....../.aa..b/.....b/....../......"}))
    assert rules.notation(state, find_move("MOVE: a-1", rules, state)) == "a-1"
    with pytest.raises(NoMove):
        find_move("MOVE: a 1", rules, state)


def test_reasoning_is_taken_out_wherever_its_marks_stand():
    assert spoken("a<think>b</think>c").split() == ["a", "c"]
    assert spoken("b</think>c") == "c"
    assert spoken("a<think>b") == "a"
