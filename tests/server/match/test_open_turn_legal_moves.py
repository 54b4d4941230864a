"""The moves that a turn lists are what a bot may send back."""

import pytest
from msgspec import msgpack

from palio_rules.registry import game
from palio_server.match import turns
from palio_server.match.turns import LegalMoves


@pytest.mark.parametrize("name", ["breakthrough", "chess", "dominoes", "chexers", "end_of_the_track", "rush_hour"])
def test_every_listed_move_is_the_wire_form_of_a_legal_one(name):
    rules = game(name)
    state = rules.start(rules.parse_options({}), seed=1)
    listing = LegalMoves(rules)
    for _ in range(3):
        listed = listing.listed(state)
        assert msgpack.encode(listed) == msgpack.encode([rules.move_to_wire(move) for move in state.legal_moves()])
        state = state.play(next(state.legal_moves()))


def test_where_there_are_too_many_none_is_listed(monkeypatch):
    rules = game("breakthrough")
    state = rules.start(rules.parse_options({}))
    count = len(list(state.legal_moves()))
    monkeypatch.setattr(turns, "MAX_LISTED", count)
    assert len(LegalMoves(rules).listed(state)) == count
    monkeypatch.setattr(turns, "MAX_LISTED", count - 1)
    assert LegalMoves(rules).listed(state) is None
