"""What a scene tells besides its pieces: goals, sockets, gaps, lines and counts; all games keep the laws of that."""

import random

import msgspec
import pytest

from palio_rules.games.chexers import Chexers
from palio_rules.games.end_of_track import EndOfTheTrack, Move
from palio_rules.games.rush_hour import RushHour
from palio_rules.registry import game, games
from palio_rules.scene import Edge, Line, Mark, Scene

SQUARE = ((0, 1), (1, 0), (0, -1), (-1, 0))  # (down, right) by side
HEX = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))


def cells_of(scene: Scene) -> set[tuple[int, int]]:
    tiles = {(mark.row, mark.col) for mark in scene.marks if mark.shape == "hex" and mark.seat is None}
    return tiles or {(row, col) for row in range(scene.rows) for col in range(scene.cols)}


def scenes_of(name: str, plies: int = 40):
    rules, chance = game(name), random.Random(name)
    state = rules.start(rules.parse_options({}), 1)
    for _ in range(plies):
        yield rules.scene(state)
        if state.to_move is None:
            break
        state = state.play(chance.choice(list(state.legal_moves())))


@pytest.mark.parametrize("name", games())
def test_edges_and_gaps_lie_at_the_rim_and_lines_on_the_board(name):
    for scene in scenes_of(name):
        if scene is None:
            pytest.skip("shown as text")
        cells, steps = cells_of(scene), HEX if scene.board == "hex" else SQUARE
        sides = [(row, col, side) for edge in scene.edges for side in edge.sides for row, col in edge.cells]
        for row, col, side in (*sides, *scene.gaps):
            assert (row, col) in cells
            assert (row + steps[side][0], col + steps[side][1]) not in cells
        assert all(0 <= edge.filled <= edge.sockets for edge in scene.edges)
        assert all(cell in cells for line in scene.lines for cell in line.cells)
        assert len(scene.tallies) in (0, len(game(name).seats))


@pytest.mark.parametrize("name", games())
def test_a_seat_that_sits_at_the_top_sees_the_board_turned(name):
    turned = {"chess": (1,), "breakthrough": (0,), "end_of_the_track": (1,)}.get(name, ())
    assert all(scene is None or scene.turned == turned for scene in scenes_of(name, plies=3))


def test_chexers_counts_exits_behind_the_edge_of_each_seat():
    rules = Chexers()
    state = rules.parse_state("..../...../....../r.....b/r....b/r...b/r..b 0,3,1 red 9/256")
    scene = rules.scene(state)
    assert [(edge.seat, edge.sockets, edge.filled) for edge in scene.edges] == [(0, 4, 0), (1, 4, 3), (2, 4, 1)]
    assert scene.tallies == ("0 exits", "3 exits", "1 exit")
    red = next(edge for edge in scene.edges if edge.seat == 0)
    assert red.cells == ((0, 6), (1, 6), (2, 6), (3, 6))  # the right side of the upper half
    assert red.sides == (0, 5)


def test_a_pass_is_a_line_through_every_block_that_it_uses():
    rules = EndOfTheTrack()
    state = rules.start(rules.parse_options({})).play(Move(5, 1))
    assert rules.scene(state).lines == (Line("pass", 0, ((7, 3), (7, 1))),)
    assert rules.scene(state.play(Move(0, 35))).lines == ()
    relayed = rules.parse_state("3,5,6,14,17,3,50,51,52,53,54,52 white 0/300").play(Move(5, 14))
    assert rules.scene(relayed).lines == (Line("pass", 0, ((7, 3), (5, 3), (5, 0))),)


def test_rush_hour_has_one_gap_and_the_way_to_it():
    rules = RushHour()
    state = rules.start(rules.parse_options({"board": "...b../...b../aa.b.d/..cccd/....../......"}))
    scene = rules.scene(state)
    assert scene.gaps == ((2, 5, 0),)
    assert scene.lines == (Line("way", 0, ((2, 1), (2, 2), (2, 3), (2, 4), (2, 5))),)


def test_dominoes_counts_the_moves_that_each_side_has_left():
    rules = game("dominoes")
    scene = rules.scene(rules.start(rules.parse_options({"rows": 3, "cols": 4})))
    assert scene.tallies == ("8 left", "9 left")


def test_an_edge_and_a_line_are_arrays_on_the_wire():
    assert msgspec.json.encode(Edge(1, (0, 5), ((0, 6),), 4, 2)) == b"[1,[0,5],[[0,6]],4,2]"
    assert msgspec.json.encode(Line("pass", 0, ((7, 3), (7, 1)))) == b'["pass",0,[[7,3],[7,1]]]'
    assert msgspec.json.encode(Mark("disc", 0, 1, 2)) == b'["disc",0,1,2,1,1,""]'
