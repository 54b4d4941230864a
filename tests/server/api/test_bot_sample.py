"""Statistics of records: openings, shares, times."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.registry import game
from palio_server.api.bot_reader import bins, first_moves, openings, quantile, share, times

AT = datetime(2026, 5, 1, tzinfo=UTC)


def record(*ms, bots=("ann", "bob"), scores=(1.0, 0.0), opening=0):
    rules = game("breakthrough")
    state, moves = rules.start(rules.parse_options({})), []
    for _ in range(opening + len(ms)):
        move = next(iter(state.legal_moves()))
        moves.append(rules.move_to_wire(move))
        state = state.play(move)
    plies = tuple(
        Ply((opening + i) % 2, move, spent) for i, (move, spent) in enumerate(zip(moves[opening:], ms, strict=True))
    )
    setup = Setup("breakthrough", bots, opening=tuple(moves[:opening]))
    return Record("m", setup, plies, Result("rule", "far-row", list(scores)), AT, AT)


def test_openings_are_the_first_move_of_each_seat_with_the_bots_share():
    played = [record(1, 2), record(1, 2, scores=(0.0, 1.0)), record(5, 5, 5, bots=("bob", "ann")), record(1)]
    black, white = openings("ann", played)
    assert (black.seat, black.name, black.games, black.share) == (0, "black", 2, 0.5)
    assert (white.seat, white.games, white.share) == (1, 1, 0.0)
    assert len(black.moves) == 2


def test_a_match_whose_moves_the_rules_do_not_know_any_more_is_left_out():
    strange = replace(record(1, 2), plies=(Ply(0, "?", 1), Ply(1, "?", 1)))
    assert openings("ann", [strange, record(1, 2)])[0].games == 1


def test_an_agreed_opening_is_part_of_it():
    assert first_moves(record(9, opening=1), 2) == first_moves(record(1, 2), 2)


def test_a_share_is_of_the_others_that_were_left_behind():
    assert share([1.0, 0.0], 0) == 1.0
    assert share([0.5, 0.5, 0.0], 1) == 0.75


def test_times_are_exact_of_the_own_moves():
    found = times("ann", [record(10, 999, 20, 999, 3000)])
    assert (found.moves, found.median, found.p99) == (3, 20, 3000)
    assert sum(each.moves for each in found.bins) == 3
    assert (found.bins[0].least, found.bins[-1].most) == (10, 5000)
    assert times("ann", [record()]) is None


@pytest.mark.parametrize(("part", "value"), [(0.0, 1), (0.5, 5), (0.51, 6), (0.99, 10), (1.0, 10)])
def test_a_quantile_is_a_value_that_occurs(part, value):
    assert quantile(range(1, 11), part) == value


def test_bins_have_each_value_once():
    assert [(each.least, each.most, each.moves) for each in bins([0, 1, 1, 4])] == [(0, 1, 1), (1, 2, 2), (2, 5, 1)]
