"""Chexers for one: known optima, what blocks do, every end, and positions with what they need proven."""

import random
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.boards.chexers import HEXES, INDEX, Action, actions, moved
from palio_rules.errors import BadInstance, BadOption, BadPosition, IllegalMove
from palio_rules.game import Outcome
from palio_rules.games.chexers_solo import ChexersSolo
from palio_rules.instances.chexers_solo import distances, generate, read_json, solve
from palio_rules.instances.source import Source

RULES = ChexersSolo()
EMPTY = "..../...../....../......./....../...../...."
TEN = '{"colour": "red", "pieces": [[0,0],[0,-1],[-2,1]], "blocks": [[-1,0],[-1,1],[1,1],[3,-1]]}'
EIGHTEEN = '{"colour": "red", "pieces": [[0,-3],[-3,0],[-3,3],[0,3]], "blocks": []}'


def load(text):
    return RULES.start(RULES.parse_options(read_json(Source("board.json", text))))


def put(cells, letter, *hexes):
    board = list(cells)
    for hex_ in hexes:
        board[INDEX[hex_]] = letter
    return "".join(board)


def breadth_first(cells, colour):
    """The fewest actions, without any idea of where to look; None if there is no way."""
    known, waiting = {cells: 0}, deque([cells])
    while waiting:
        here = waiting.popleft()
        if "rgb"[colour] not in here:
            return known[here]
        for action in actions(here, colour):
            there = moved(here, action, convert=False)
            if there not in known:
                known[there] = known[here] + 1
                waiting.append(there)
    return None


def perft(state, depth):
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves()) if depth else 1


@pytest.mark.parametrize(("text", "counts"), [(TEN, [16, 260, 4244]), (EIGHTEEN, [12, 164, 2422])])
def test_perft_of_known_positions(text, counts):
    assert [perft(load(text), depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("text", "optimum"), [(TEN, 10), (EIGHTEEN, 18)])
def test_the_known_optima_are_found_and_can_be_played(text, optimum):
    state = load(text)
    way = solve(state.cells, state.colour)
    assert len(way) == optimum
    for move in way:
        state.check(move)
        state = state.play(move)
    assert state.outcome() == Outcome("solved", (1.0,))
    assert RULES.cost(state) == optimum


@settings(max_examples=2 * settings().max_examples // 3)
@given(seed=st.integers(0, 9999), pieces=st.integers(1, 2), blocks=st.integers(0, 20), colour=st.integers(0, 2))
def test_the_solver_agrees_with_a_search_that_knows_nothing(seed, pieces, blocks, colour):
    cells = ["rgb"[colour]] * pieces + ["#"] * blocks + ["."] * (len(HEXES) - pieces - blocks)
    random.Random(seed).shuffle(cells)
    cells = "".join(cells)
    way, expected = solve(cells, colour), breadth_first(cells, colour)
    assert (None if way is None else len(way)) == expected
    if expected is not None:
        assert sum(distances(cells, colour)[at] for at, cell in enumerate(cells) if cell in "rgb") <= expected


def test_a_block_is_jumped_but_never_converted_and_closes_its_exit():
    cells = put(put("." * 37, "r", (1, 0)), "#", (2, 0), (3, -1))
    state = RULES.parse_state(f"{'/'.join(rows(cells))} red 0/256")
    after = state.play(Action("JUMP", ((1, 0), (3, 0))))
    assert after.cells[INDEX[2, 0]] == "#"
    with pytest.raises(IllegalMove, match=r"on \(3, -1\) stands no piece of red"):
        state.check(Action("EXIT", (3, -1)))


def rows(cells):
    at = 0
    for size in (4, 5, 6, 7, 6, 5, 4):
        yield cells[at : at + size]
        at += size


def test_nobody_passes_when_alone():
    with pytest.raises(IllegalMove, match="nobody passes") as caught:
        load(TEN).check(Action("PASS", None))
    assert caught.value.code == "must-move"


def test_the_race_ends_unsolved_when_the_actions_are_used_up_or_nothing_can_move():
    state = RULES.start(RULES.parse_options({"board": "..../...../....../r....../....../...../....", "max_actions": 1}))
    assert state.play(Action("MOVE", ((-3, 0), (-2, 0)))).outcome() == Outcome("max-actions", (0.0,))
    shut_in = RULES.start(RULES.parse_options({"board": "..../#..../#...../r##..../#...../#..../...."}))
    assert shut_in.outcome() == Outcome("no-moves", (0.0,))
    assert RULES.cost(shut_in) is None


@pytest.mark.parametrize("colour", ["red", "green", "blue"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_random_position_needs_what_was_asked_for(colour, seed):
    options = RULES.parse_options({"colour": colour, "pieces": 2, "blocks": 8, "actions": 9})
    state = RULES.start(options, seed)
    assert len(solve(state.cells, state.colour)) == 9
    assert (sum(cell in "rgb" for cell in state.cells), state.cells.count("#")) == (2, 8)
    assert RULES.start(options, seed) == state
    assert RULES.start(options, seed + 10) != state


def test_the_positions_of_a_seed_are_the_same_everywhere():
    assert generate(7, 0, 3, 6, 0) == generate.__wrapped__(7, 0, 3, 6, 0)


@pytest.mark.parametrize("seed", range(5))
def test_without_a_number_a_random_position_can_be_solved_all_the_same(seed):
    state = RULES.start(RULES.parse_options({"pieces": 4, "blocks": 20}), seed)
    assert solve(state.cells, state.colour) is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"board": EMPTY}, "there are pieces of 0 colours, one plays"),
        ({"board": f"rg..{EMPTY[4:]}"}, "there are pieces of 2 colours"),
        ({"board": f"rrrr/r....{EMPTY[10:]}"}, "5 pieces are too many: one plays with 1 to 4"),
        ({"board": f"x{EMPTY[1:]}"}, "hex (0, -3): 'x' is none of . # r g b"),
        ({"board": "r"}, "a board has 7 rows"),
        ({"pieces": 1, "blocks": 0, "actions": 20}, "no random position of 1 pieces and 0 blocks was found"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_the_reason(settings, message):
    with pytest.raises(BadOption) as caught:
        RULES.start(RULES.parse_options(settings))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{EMPTY} red", "a position is rows, colour and actions/max_actions"),
        (f"{EMPTY} red 3/2", "3/2 actions are out of range"),
        (f"{EMPTY} red 0/99999", "at most 10000"),
        (f"g...{EMPTY[4:]} red 0/256", "hex (0, -3): 'g' is none of . # r"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


def test_a_course_s_file_becomes_a_board():
    assert read_json(Source("board.json", TEN)) == {"board": "..../...../..r..#/..#r.../.r#.#./...../...."}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b.json:1: is no JSON: Expecting value at column 1"),
        ('{\n"colour": red}', "b.json:2: is no JSON: Expecting value at column 11"),
        ("[]", "b.json:1: a puzzle is an object with colour, pieces, blocks, got []"),
        ('{"colour": "red", "colour": "red"}', "b.json:1: is no JSON of a puzzle: a key is given twice"),
        (
            '{"colour": "pink", "pieces": [[0,0]], "blocks": []}',
            "b.json:1: the colour is one of red, green, blue, got 'p",
        ),
        ('{"pieces": [[0,0]], "blocks": []}', "b.json:1: the colour is one of red, green, blue, got None"),
        ('{"colour": "red",\n "pieces": [],\n "blocks": []}', "b.json:2: pieces is a list of 1 to 4 hexes [q, r]"),
        ('{"colour": "red",\n "pieces": [[0,0]]}', "b.json:1: blocks is a list of hexes [q, r], got None"),
        ('{"colour": "red",\n "pieces": [[0,0]],\n "blocks": [[4,0]]}', "b.json:3: blocks[0] is no hex of the board"),
        ('{"colour": "red", "pieces": [[0,true]], "blocks": []}', "pieces[0] is no hex of the board: [0, True]"),
        ('{"colour": "red",\n "pieces": [[0,0]],\n\n "blocks": [[1,0],[0,0]]}', "b.json:4: blocks[1]: [0, 0] is taken"),
        ('{"colour": "red", "pieces": [[0,0],[0,0]], "blocks": []}', "b.json:1: pieces[1]: [0, 0] is taken"),
        ("[" * 100_000, "b.json:1: is no JSON of a puzzle"),
    ],
)
def test_a_file_that_is_no_puzzle_is_refused_with_its_line(text, message):
    with pytest.raises(BadInstance) as caught:
        read_json(Source("b.json", text))
    assert message in str(caught.value)


def test_a_block_may_be_named_twice_because_blocks_are_a_set():
    twice = '{"colour": "red", "pieces": [[0,0]], "blocks": [[-1,3],[1,0],[-1,3]]}'
    assert read_json(Source("b.json", twice)) == read_json(Source("b.json", twice.replace("[-1,3],[1", "[1")))
