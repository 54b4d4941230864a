"""Moves and positions travel there and back, and what other engines write is understood."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.engines import texts
from palio_rules.addons.openspiel.game import game_class
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove
from palio_rules.registry import game, game_from_spec

DUELS = ["breakthrough", "breakthrough:rows=8,cols=8,first=white", "dominoes", "end_of_the_track"]


def positions(spec, seed):
    rules, options = game_from_spec(spec)
    state, choices = rules.start(options), random.Random(seed)
    while state.to_move is not None:
        yield rules, state
        state = state.play(choices.choice(list(state.legal_moves())))


@pytest.mark.parametrize("spec", DUELS)
@given(seed=st.integers(0, 1000))
def test_what_is_written_is_read_and_no_two_moves_look_alike(spec, seed):
    for rules, state in list(positions(spec, seed))[::7]:
        written = {texts.write_move(rules, state, move): move for move in state.legal_moves()}
        assert len(written) == len(list(state.legal_moves()))
        for text, move in written.items():
            assert " " not in text
            assert texts.read_move(rules, state, text) == move
            assert texts.read_move(rules, state, text.upper()) == move
            assert texts.read_move(rules, state, rules.notation(state, move)) == move


@pytest.mark.parametrize(
    ("name", "text", "notation"),
    [
        ("breakthrough", "a5a4", "a5-a4"),
        ("breakthrough", "A5-A4", "a5-a4"),
        ("breakthrough", "a5xb4", "a5-b4"),
        ("dominoes", "c5v", "c5v"),
        ("dominoes", "c5c4", "c5v"),
        ("dominoes", "c4c5", "c5v"),
        ("end_of_the_track", "@d1b1", "@d1-b1"),
        ("end_of_the_track", "d1b1", "@d1-b1"),
        ("end_of_the_track", "b1c3", "b1-c3"),
    ],
)
def test_a_move_is_read_as_engines_write_it(name, text, notation):
    rules = game(name)
    state = rules.start(rules.options_type())
    assert rules.notation(state, texts.read_move(rules, state, text)) == notation


def test_a_move_that_the_rules_forbid_is_read_so_that_they_can_say_why():
    rules = game("breakthrough")
    state = rules.start(rules.options_type())
    with pytest.raises(IllegalMove):
        state.check(texts.read_move(rules, state, "a1a2"))


@pytest.mark.parametrize("text", ["", "0000", "(none)", "e2e4q", "a5", "a5a4a3", "ä5a4", "x" * 1000])
def test_what_is_no_move_is_refused_with_a_sentence(text):
    rules = game("breakthrough")
    with pytest.raises(MalformedMove, match="is no move of breakthrough"):
        texts.read_move(rules, rules.start(rules.options_type()), text)


EIGHT = "BBBBBBBB/BBBBBBBB/......../......../......../......../WWWWWWWW/WWWWWWWW white"
PAWNS = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"


@pytest.mark.parametrize(
    ("writing", "expected"),
    [("text", f"position fen {EIGHT}"), ("startpos", "position startpos"), ("fen", f"position fen {PAWNS}")],
)
def test_a_game_with_settings_is_shown_as_it_is_wanted(writing, expected):
    rules, options = game_from_spec("breakthrough:rows=8,cols=8,first=white")
    own, default = rules.start(options), rules.start(rules.options_type())
    assert texts.position(rules, own, [], own, default, writing) == expected
    assert texts.position(rules, own, ["a2a3"], own, default, writing) == f"{expected} moves a2a3"


def test_the_usual_first_position_is_startpos():
    rules = game("breakthrough")
    start = rules.start(rules.options_type())
    assert texts.position(rules, start, [], start, start, "text") == "position startpos"
    later = start.play(next(start.legal_moves()))
    assert texts.position(rules, later, [], start, start, "text").startswith("position fen BBBBBB/.BBBBB/B")


@pytest.mark.parametrize(
    "text",
    [
        EIGHT,
        PAWNS,
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w",
        "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww white - - 0 1",
        "BBBBBBBB/BBBBBBBB/8/8/8/8/WWWWWWWW/WWWWWWWW W",
    ],
)
def test_a_position_of_breakthrough_is_read_as_chess_players_write_it(text):
    rules = game("breakthrough")
    assert texts.read_position(rules, text) == rules.parse_state(EIGHT)


@given(seed=st.integers(0, 1000))
def test_a_fen_has_all_of_a_position(seed):
    for rules, state in list(positions("breakthrough:rows=7,cols=5", seed))[::5]:
        assert texts.read_position(rules, texts.write_fen(rules, rules.format_state(state))) == state


@pytest.mark.parametrize("text", ["", "pppp", "pppp/4/4/PPPP x", "qppp/4/4/PPPP w", "p" * 300 + " w", "8/8 w"])
def test_what_is_no_position_is_refused(text):
    with pytest.raises(BadPosition):
        texts.read_position(game("breakthrough"), text)


def test_a_game_that_keeps_its_moves_is_reached_from_startpos():
    """Engines for Othello know `startpos` and moves, and no text of Palio's; a pass is UCI's null move."""
    rules = game_class("openspiel_othello")()
    start = state = rules.start(rules.options_type())
    played = []
    while state.to_move is not None and not (played and played[-1] == "0000"):
        moves = sorted(state.legal_moves(), key=lambda move: rules.notation(state, move))
        played.append(texts.write_move(rules, state, moves[-1]))
        assert texts.read_move(rules, state, played[-1]) == moves[-1]
        state = state.play(moves[-1])
    assert played[-1] == "0000"
    base = rules.parse_state(rules.format_state(state))
    expected = f"position startpos moves {' '.join(played)}"
    assert texts.position(rules, base, [], start, start, "text") == expected
    assert texts.position(rules, base, ["a1"], start, start, "text") == f"{expected} a1"
