"""The laws of `palio_rules.game`, as properties over every installed game, third-party games included.

Positions come from random play; moves that are not listed come from other positions' moves, bent a little. What hostile
input may do is in `test_laws_hostile`; what sets races, duels and tables apart in `test_laws_kinds`.
"""

import copy
import pickle
import random
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import IllegalMove, Rejection

seeds = st.integers(0, 2**32)


def any_seed(test: Callable[..., None]) -> Callable[..., None]:
    """Half the usual number of examples: each test runs for all games and settings."""
    return settings(max_examples=settings().max_examples // 2)(given(seed=seeds)(test))


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


def candidates(played: Any, state: Any, choose: random.Random) -> set[Any]:
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


@any_seed
def test_a_move_passes_check_exactly_when_it_is_listed(play_out, spec, seed):
    played = play_out(spec, seed)
    choose = random.Random(seed)
    for state in [played.states[0], played.states[-1], *choose.choices(played.states, k=5)]:
        listed = set(state.legal_moves())
        for move in candidates(played, state, choose) | listed:
            if move in listed:
                state.check(move)
            elif not played.rules.anytime:
                with pytest.raises(IllegalMove):
                    state.check(move)


@any_seed
def test_legal_moves_are_listed_once_and_always_in_the_same_order(position_of, spec, seed):
    _, state = position_of(spec, seed)
    listed = list(state.legal_moves())
    assert len(listed) == len(set(listed))
    assert listed == list(state.legal_moves())


@any_seed
def test_playing_never_changes_the_position_it_is_played_in(position_of, spec, seed):
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


def test_a_position_cannot_be_changed_from_outside(play_out, spec):
    state = play_out(spec, 0, longest=0).states[0]
    for name in state.__dataclass_fields__:
        with pytest.raises(FrozenInstanceError):
            setattr(state, name, None)


@any_seed
def test_moves_come_back_from_the_wire_as_they_left(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    for move in state.legal_moves():
        value = rules.move_to_wire(move)
        packed = msgspec.msgpack.decode(msgspec.msgpack.encode(value))
        written = msgspec.json.decode(msgspec.json.encode(value))
        assert packed == written == value
        assert rules.move_from_wire(packed) == rules.read_move(state, packed) == move


@any_seed
def test_a_move_itself_travels_as_its_wire_value(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    for move in state.legal_moves():
        assert msgspec.msgpack.encode(move) == msgspec.msgpack.encode(rules.move_to_wire(move))


@any_seed
def test_notation_is_read_back_and_names_one_move(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    listed = list(state.legal_moves())
    written = [rules.notation(state, move) for move in listed]
    assert len(set(written)) == len(written)
    assert [rules.parse_notation(state, text) for text in written] == listed
    assert not any(text.split() != [text] for text in written)


@any_seed
def test_a_position_written_and_read_is_the_same_and_plays_the_same(play_out, spec, seed):
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


@any_seed
def test_a_position_survives_copying_and_pickling(position_of, spec, seed):
    _, state = position_of(spec, seed)
    for twin in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state
        assert hash(twin) == hash(state)
        assert list(twin.legal_moves()) == list(state.legal_moves())


@any_seed
def test_the_game_is_over_exactly_when_nobody_is_to_move_and_nothing_is_listed(play_out, spec, seed):
    played = play_out(spec, seed)
    for state in [*played.states, played.ended]:
        over = state.to_move is None
        assert (state.outcome() is not None) == over
        assert (next(state.legal_moves(), None) is None) == over


@any_seed
def test_no_move_is_legal_after_the_end(play_out, spec, seed):
    played = play_out(spec, seed)
    for move in played.moves:
        with pytest.raises(IllegalMove, match="over") as caught:
            played.ended.check(move)
        assert caught.value.code == "game-over"


@any_seed
def test_random_play_ends_with_a_score_for_every_seat(play_out, spec, seed):
    played = play_out(spec, seed)
    ended = played.ended.outcome()
    assert ended is not None
    assert ended.reason
    assert ended.reason == ended.reason.lower()
    assert len(ended.scores) == len(played.rules.seats)
    assert all(0 <= score <= 1 for score in ended.scores)
    assert sum(ended.scores) == pytest.approx(1) or (played.rules.kind == "race" and ended.scores == (0.0,))


# --- for viewers -----------------------------------------------------------------------------------------------------


@any_seed
def test_the_text_board_has_lines_without_trailing_space(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    lines = rules.render(state).split("\n")
    assert len(lines) > 1
    assert all(line == line.rstrip() for line in lines)


@any_seed
def test_the_scene_stays_on_its_board_and_can_be_written(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    scene = rules.scene(state)
    if scene is None:
        pytest.skip("shown as text")
    msgspec.json.encode(scene)
    for mark in scene.marks:
        assert 0 <= mark.row <= mark.row + mark.rows <= scene.rows
        assert 0 <= mark.col <= mark.col + mark.cols <= scene.cols
        assert mark.seat is None or 0 <= mark.seat < len(rules.seats)
    assert all(0 <= row < scene.rows and 0 <= col < scene.cols for row, col in (*scene.last, *scene.path))
    assert len(scene.row_names) in (0, scene.rows)
    assert len(scene.col_names) in (0, scene.cols)
