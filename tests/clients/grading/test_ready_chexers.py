"""The ready assignment on Chexers: right files get all points, wrong ones lose those of what they break."""

import pytest
from ready_grading import changed, graded, promised

RIGHT = """
    import random

    STARTS = {"red": [(-3, 0), (-3, 1), (-3, 2), (-3, 3)], "green": [(0, -3), (1, -3), (2, -3), (3, -3)],
              "blue": [(3, 0), (2, 1), (1, 2), (0, 3)]}
    EXITS = {"red": lambda q, r: q == 3, "green": lambda q, r: r == 3, "blue": lambda q, r: q + r == -3}
    HEXES = {(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3}
    WAYS = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]

    class Player:
        def __init__(self, colour: str):
            print("I am", colour)
            self.colour = colour
            self.board = {where: name for name, start in STARTS.items() for where in start}
            self.choose = random.Random(colour)

        def possible(self, colour):
            for (q, r), name in list(self.board.items()):
                if name != colour:
                    continue
                if EXITS[colour](q, r):
                    yield ("EXIT", (q, r))
                for dq, dr in WAYS:
                    near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
                    if near in HEXES and near not in self.board:
                        yield ("MOVE", ((q, r), near))
                    elif near in self.board and far in HEXES and far not in self.board:
                        yield ("JUMP", ((q, r), far))

        def action(self):
            found = list(self.possible(self.colour))
            exits = [each for each in found if each[0] == "EXIT"]
            return self.choose.choice(exits or found or [("PASS", None)])

        def update(self, colour, action):
            kind, where = action
            if kind == "EXIT":
                del self.board[where]
            elif kind in ("MOVE", "JUMP"):
                src, dst = where
                self.board[dst] = self.board.pop(src)
                if kind == "JUMP":
                    self.board[((src[0] + dst[0]) // 2, (src[1] + dst[1]) // 2)] = colour
"""
VARIANTS = {
    "as it is": [],
    "the skeleton's name": [("class Player:", "class ExamplePlayer:")],
    "lists": [('yield ("MOVE", ((q, r), near))', 'yield ["MOVE", [[q, r], list(near)]]')],
    "numpy's integers": [("for dq, dr in WAYS:", "for dq, dr in __import__('numpy').array(WAYS):")],
}
TURNS, GAMES = "test_examples::test_first_turns", "test_hidden::test_game"
WRONG = {
    "another name": ([("class Player:", "class Bot:")], {"test_examples::test_player_has_its_methods", TURNS, GAMES}),
    "no update": ([("def update(", "def updated(")], {"test_examples::test_player_has_its_methods", TURNS, GAMES}),
    "no action": (
        [("return self.choose.choice(exits or found or", "self.choose.choice(exits or found or")],
        {TURNS, GAMES},
    ),
    "a text": ([('yield ("MOVE", ((q, r), near))', 'yield f"MOVE from {(q, r)} to {near}."')], {TURNS, GAMES}),
    "onto pieces": ([("if near in HEXES and near not in self.board:", "if near in HEXES:")], {TURNS, GAMES}),
    "off the board": ([("if near in HEXES and near", "if near")], {TURNS, GAMES}),
    "jumps over nothing": ([("elif near in self.board and far", "if far")], {TURNS, GAMES}),
    "no conversions": ([('if kind == "JUMP":\n', 'if kind == "HOP":\n')], {TURNS, GAMES}),
    "always another's exit": ([("if EXITS[colour](q, r):", 'if EXITS["red"](q, r):')], {TURNS, GAMES}),
    "never passes": ([('or [("PASS", None)]', "")], {GAMES}),
    "hears of itself only": (
        [("kind, where = action", 'kind, where = action if colour == self.colour else ("PASS", None)')],
        {TURNS, GAMES},
    ),
    "changes an exit's form": ([('yield ("EXIT", (q, r))', 'yield ("EXIT", ((q, r), None))')], {GAMES}),
    "plays red in every colour": ([("self.colour = colour", 'self.colour = "red"')], {TURNS, GAMES}),
}
SHAPES = {  # how the packages of part B import themselves
    "relatively": ("from .player import Player\n", "from .board import Player\n"),
    "by name": ("from team.player import Player\n", "from team.board import Player\n"),
    "a module": ("import team.player\nPlayer = team.player.Player\n", "import team.board as b\nPlayer = b.Player\n"),
    "from an empty __init__.py": ("", "from team.board import Player\n"),
}
PACKAGES = {
    f"{shape}, in '{folder}'": {f"{folder}__init__.py": init, f"{folder}player.py": player, f"{folder}board.py": RIGHT}
    for shape, (init, player) in SHAPES.items()
    for folder in ("", "team/")
}


@pytest.mark.parametrize("name", [*PACKAGES, *VARIANTS])
def test_right_files_get_all_points(results, name):
    assert (results[name].points, results[name].extra) == promised("chexers") == (60, 0), results[name].said


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(results, name):
    assert results[name].lost == WRONG[name][1], results[name].said


@pytest.fixture(scope="module")
def results():
    files = {name: {"player.py": changed(RIGHT, *changes)} for name, changes in VARIANTS.items()}
    files |= {name: {"player.py": changed(RIGHT, *changes)} for name, (changes, _) in WRONG.items()}
    return graded("chexers", {**PACKAGES, **files})
