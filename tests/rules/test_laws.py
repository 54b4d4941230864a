"""The laws of `palio_rules.game`, as properties over every installed game, third-party games included.

Positions come from random play; moves that are not listed come from other positions' moves, bent a little.
"""

import copy
import pickle
import random
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import IllegalMove, Rejection
from palio_rules.game import Game, Outcome
from palio_rules.registry import game_from_spec, games

VARIANTS = {  # settings under which a game is played here, besides its own defaults
    "breakthrough": ["rows=4,cols=3,first=white", "rows=5,cols=4", "rows=8,cols=8"],
    "dominoes": ["rows=1,cols=1", "rows=2,cols=16", "rows=4,cols=3", "board=.#./.../..#"],
    "end_of_the_track": ["max_plies=1", "max_plies=12"],
}
SPECS = [spec for name in games() for spec in (name, *(f"{name}:{text}" for text in VARIANTS.get(name, [])))]
LONGEST = 600  # plies; random play in a game of ours ends sooner

every_game = pytest.mark.parametrize("spec", SPECS)
seeds = st.integers(0, 2**32)


def any_seed(test: Callable[..., None]) -> Callable[..., None]:
    return settings(max_examples=40)(given(seed=seeds)(test))


@dataclass(frozen=True)
class Playout:
    """A random game: all of its positions, and the moves between them."""

    rules: Game[Any, Any]
    states: list[Any]
    moves: list[Any]


def play_out(spec: str, seed: int, longest: int = LONGEST) -> Playout:
    rules, options = game_from_spec(spec)
    choose = random.Random(seed)
    states, moves = [rules.start(options, seed)], []
    while states[-1].to_move is not None and len(moves) < longest:
        moves.append(choose.choice(list(states[-1].legal_moves())))
        states.append(states[-1].play(moves[-1]))
    return Playout(rules, states, moves)


def position_of(spec: str, seed: int) -> tuple[Game[Any, Any], Any]:
    """A position from anywhere in a random game; the last one is as likely as any other."""
    played = play_out(spec, seed)
    return played.rules, random.Random(seed + 1).choice(played.states)


def bend(value: Any, choose: random.Random) -> Any:
    """A wire value that differs in one integer, or has two parts exchanged."""
    if isinstance(value, list) and value:
        bent = copy.deepcopy(value)
        at = choose.randrange(len(bent))
        if choose.random() < 0.2:
            bent.reverse()
        else:
            bent[at] = bend(bent[at], choose)
        return bent
    return value + choose.choice([-2, -1, 1, 2]) if type(value) is int else value


def candidates(played: Playout, state: Any, choose: random.Random) -> set[Any]:
    """Moves of this position, of others, of the other side, and moves bent out of these."""
    rules = played.rules
    others = choose.choices(played.moves, k=20) if played.moves else []
    wires = [rules.move_to_wire(move) for move in [*state.legal_moves(), *others]]
    wires += [bend(wire, choose) for wire in wires for _ in range(2)]
    found = set()
    for wire in wires:
        try:
            found.add(rules.move_from_wire(wire))
        except Rejection:
            continue
    return found


@every_game
@any_seed
def test_a_move_passes_check_exactly_when_it_is_listed(spec, seed):
    played = play_out(spec, seed)
    choose = random.Random(seed)
    for state in [played.states[0], played.states[-1], *choose.choices(played.states, k=5)]:
        listed = set(state.legal_moves())
        for move in candidates(played, state, choose) | listed:
            if move in listed:
                state.check(move)
            else:
                with pytest.raises(IllegalMove):
                    state.check(move)


@every_game
@any_seed
def test_legal_moves_are_listed_once_and_always_in_the_same_order(spec, seed):
    _, state = position_of(spec, seed)
    listed = list(state.legal_moves())
    assert len(listed) == len(set(listed))
    assert listed == list(state.legal_moves())


@every_game
@any_seed
def test_playing_never_changes_the_position_it_is_played_in(spec, seed):
    rules, state = position_of(spec, seed)
    before = (rules.format_state(state), hash(state), list(state.legal_moves()), state.outcome(), rules.render(state))
    for move in state.legal_moves():
        assert state.play(move) is not state
    assert before == (
        rules.format_state(state),
        hash(state),
        list(state.legal_moves()),
        state.outcome(),
        rules.render(state),
    )


@every_game
def test_a_position_cannot_be_changed_from_outside(spec):
    state = play_out(spec, 0, longest=0).states[0]
    for name in state.__dataclass_fields__:
        with pytest.raises(FrozenInstanceError):
            setattr(state, name, None)


@every_game
@any_seed
def test_moves_come_back_from_the_wire_as_they_left(spec, seed):
    rules, state = position_of(spec, seed)
    for move in state.legal_moves():
        value = rules.move_to_wire(move)
        packed = msgspec.msgpack.decode(msgspec.msgpack.encode(value))
        written = msgspec.json.decode(msgspec.json.encode(value))
        assert packed == written == value
        assert rules.move_from_wire(packed) == rules.read_move(state, packed) == move


@every_game
@any_seed
def test_a_move_itself_travels_as_its_wire_value(spec, seed):
    rules, state = position_of(spec, seed)
    for move in state.legal_moves():
        assert msgspec.msgpack.encode(move) == msgspec.msgpack.encode(rules.move_to_wire(move))


@every_game
@any_seed
def test_notation_is_read_back_and_names_one_move(spec, seed):
    rules, state = position_of(spec, seed)
    listed = list(state.legal_moves())
    written = [rules.notation(state, move) for move in listed]
    assert len(set(written)) == len(written)
    assert [rules.parse_notation(state, text) for text in written] == listed
    assert not any(text.split() != [text] for text in written)


@every_game
@any_seed
def test_a_position_written_and_read_is_the_same_and_plays_the_same(spec, seed):
    played = play_out(spec, seed)
    at = random.Random(seed).randrange(len(played.states))
    rules, state = played.rules, played.states[at]
    text = rules.format_state(state)
    again = rules.parse_state(text)
    assert again == state
    assert hash(again) == hash(state)
    assert rules.format_state(again) == text
    assert "\n" not in text
    for move, expected in zip(played.moves[at:], played.states[at + 1 :], strict=True):
        assert again.to_move == played.states[at].to_move
        again, at = again.play(move), at + 1
        assert (again.to_move, again.outcome()) == (expected.to_move, expected.outcome())


@every_game
@any_seed
def test_a_position_survives_copying_and_pickling(spec, seed):
    _, state = position_of(spec, seed)
    for twin in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state
        assert hash(twin) == hash(state)
        assert list(twin.legal_moves()) == list(state.legal_moves())


@every_game
@any_seed
def test_the_game_is_over_exactly_when_nobody_is_to_move_and_nothing_is_listed(spec, seed):
    for state in play_out(spec, seed).states:
        over = state.to_move is None
        assert (state.outcome() is not None) == over
        assert (next(state.legal_moves(), None) is None) == over


@every_game
@any_seed
def test_no_move_is_legal_after_the_end(spec, seed):
    played = play_out(spec, seed)
    for move in played.moves:
        with pytest.raises(IllegalMove, match="over") as caught:
            played.states[-1].check(move)
        assert caught.value.code == "game-over"


@every_game
@any_seed
def test_random_play_ends_with_a_score_for_every_seat(spec, seed):
    played = play_out(spec, seed)
    ended = played.states[-1].outcome()
    assert ended is not None
    assert ended.reason
    assert ended.reason == ended.reason.lower()
    assert len(ended.scores) == len(played.rules.seats)
    assert all(0 <= score <= 1 for score in ended.scores)
    if len(ended.scores) == 2:
        assert sum(ended.scores) == 1


@every_game
@any_seed
def test_a_duel_forfeited_is_lost_by_its_seat(spec, seed):
    rules, state = position_of(spec, seed)
    if len(rules.seats) != 2:
        pytest.skip("no duel")
    assert rules.forfeit(state, 0) == Outcome("forfeit", (0.0, 1.0))
    assert rules.forfeit(state, 1) == Outcome("forfeit", (1.0, 0.0))


# --- hostile values ---------------------------------------------------------------------------------------------------

numbers = st.integers(-9, 70) | st.integers() | st.sampled_from([2**63, -(2**64), 10**400])
atoms = st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=200) | st.binary(max_size=8)
junk = st.recursive(
    atoms, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
near = st.lists(numbers | st.booleans(), min_size=2, max_size=2)  # close to what moves look like
hostile = junk | near | st.lists(near, min_size=2, max_size=2) | st.tuples(near, near)


def refusal(call: Callable[..., Any], *args: Any, kind: type[ValueError] = Rejection) -> str | None:
    """The sentence with which `call` refuses its arguments, if it does; any other exception goes through."""
    try:
        call(*args)
    except kind as refused:
        return str(refused)
    return None


@every_game
@given(value=hostile, seed=seeds)
def test_a_hostile_value_raises_a_rejection_and_nothing_else(spec, value, seed):
    rules, state = position_of(spec, seed % 5)
    told = refusal(rules.read_move, state, value)
    assert told is None or 0 < len(told) < 400  # long values are cut
    if told is None:
        assert rules.read_move(state, value) in set(state.legal_moves())


NO_MOVES = [
    None,
    True,
    7,
    0.5,
    "",
    "b5-b4",
    [],
    {},
    [[]],
    [True, 1],
    [1.0, 1],
    ["1", 2],
    {"row": 1},
    [[0, 0], [True, 0]],
]


@every_game
@pytest.mark.parametrize("value", NO_MOVES, ids=repr)
def test_a_value_that_is_no_move_is_refused_and_quoted(spec, value):
    rules, state = position_of(spec, 0)
    with pytest.raises(Rejection, match="got ") as caught:
        rules.read_move(state, value)
    assert repr(value) in str(caught.value)


@every_game
def test_an_integer_too_long_to_be_written_is_refused(spec):
    rules, state = position_of(spec, 0)
    for value in ([10**5000, 0], [0, -(10**5000)], [[10**5000, 0], [0, 0]], [[0, 0], [0, 10**5000]], 10**5000):
        assert 0 < len(refusal(rules.read_move, state, value) or "") < 400


@every_game
def test_a_move_nested_a_hundred_thousand_deep_is_refused(spec):
    rules, state = position_of(spec, 0)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Rejection):
        rules.read_move(state, deep)
    while deep:  # taken apart by hand, because freeing it in one go would recurse as deeply
        deep = deep[0]


@every_game
@given(text=st.text(), seed=seeds)
def test_a_hostile_notation_raises_a_rejection_and_nothing_else(spec, text, seed):
    rules, state = position_of(spec, seed % 5)
    choose = random.Random(seed)
    known = [rules.notation(state, move) for move in state.legal_moves()]
    for written in (text, *(scramble(move, choose) for move in known)):
        told = refusal(rules.parse_notation, state, written)
        assert told is None or 0 < len(told) < 400


@every_game
@given(text=st.text(), seed=seeds)
def test_a_hostile_position_raises_a_value_error_or_is_read_in_full(spec, text, seed):
    rules, state = position_of(spec, seed % 20)
    choose = random.Random(seed)
    written = rules.format_state(state)
    for hostile_text in (text, scramble(written, choose), scramble(scramble(written, choose), choose), written + text):
        told = refusal(rules.parse_state, hostile_text, kind=ValueError)
        assert told is None or 0 < len(told) < 400
        if told is None:
            found = rules.parse_state(hostile_text)
            assert rules.format_state(found) == hostile_text
            assert (found.outcome() is None) == (found.to_move is not None)


def scramble(text: str, choose: random.Random) -> str:
    """A text that differs a little: something left out, doubled, exchanged or put in."""
    at, to = sorted((choose.randrange(len(text) + 1), choose.randrange(len(text) + 1)))
    match choose.randrange(4):
        case 0:
            return text[:at] + text[to:]
        case 1:
            return text[:to] + text[at:]
        case 2:
            return text[:at] + choose.choice(text + "0x/ -.,\n²") + text[at + 1 :]
        case _:
            return text[:at] + choose.choice(text + "0x/ -.,\n²") + text[at:]


# --- for viewers -----------------------------------------------------------------------------------------------------


@every_game
@any_seed
def test_the_text_board_has_lines_without_trailing_space(spec, seed):
    rules, state = position_of(spec, seed)
    lines = rules.render(state).split("\n")
    assert len(lines) > 1
    assert all(line == line.rstrip() for line in lines)


@every_game
@any_seed
def test_the_scene_stays_on_its_board_and_can_be_written(spec, seed):
    rules, state = position_of(spec, seed)
    scene = rules.scene(state)
    if scene is None:
        pytest.skip("shown as text")
    msgspec.json.encode(scene)
    for mark in scene.marks:
        assert 0 <= mark.row <= mark.row + mark.rows <= scene.rows
        assert 0 <= mark.col <= mark.col + mark.cols <= scene.cols
        assert mark.seat is None or 0 <= mark.seat < len(rules.seats)
    assert all(0 <= row < scene.rows and 0 <= col < scene.cols for row, col in scene.last)
    assert len(scene.row_names) in (0, scene.rows)
    assert len(scene.col_names) in (0, scene.cols)
