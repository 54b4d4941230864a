"""A student's own module with the name of a standard one is found by the student's files, and by nobody else."""

import pytest

GAME = """
    {imports}

    class DominoesGame:
        def __init__(self, board):
            self.board = board

        def get_best_move(self, vertical, limit):
            import tempfile, statistics  # both import Python's own random
            assert tempfile._Random().choice and statistics.mean([1, 3]) == 2
            return {move}, 0, 1
"""


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("files", "imports", "move"),
    [
        ({"random.py": "def pick(): return (1, 2)"}, "import random", "random.pick()"),
        ({"random.py": "def pick(): return (1, 2)"}, "from random import pick", "pick()"),
        ({"typing.py": "MOVE = (1, 2)", "rules.py": "import typing"}, "import rules", "rules.typing.MOVE"),
        ({"types.py": "MOVE = (1, 2)"}, "import types", "types.MOVE"),
        ({"numbers.py": "from json import MOVE", "json.py": "MOVE = (1, 2)"}, "import numbers", "numbers.MOVE"),
        ({"queue/__init__.py": "", "queue/moves.py": "from . import c; MOVE = (1, c.C)", "queue/c.py": "C = 2"},
         "import queue.moves", "queue.moves.MOVE"),
        ({"queue/__init__.py": "", "queue/moves.py": "MOVE = (1, 2)"}, "from queue import moves", "moves.MOVE"),
        ({"msgspec.py": "MOVE = (1, 2)"}, "import msgspec", "msgspec.MOVE"),
        ({"statistics.py": "from fractions import Fraction"}, "import statistics", "(1, 2)"),
    ],
)  # fmt: skip
async def test_a_homework_finds_its_own_module(write, table, files, imports, move):
    for name, text in files.items():
        write(name, text)
    text = GAME.format(imports=imports, move=move)
    if "statistics.py" in files:
        text = text.replace("import tempfile, statistics", "import tempfile; import statistics as s").replace(
            "statistics.mean([1, 3]) == 2", "s.Fraction"
        )
    write("hw4.py", text)
    game = table("dominoes", rows=4, cols=4)
    assert await game.ask(await game.sit("handout:dominoes:hw4.py")) == (1, 2)


async def test_a_package_finds_the_standard_module_beside_its_own_of_that_name(write, table):
    """As from the folder above it, in the course: `import typing` is Python's there, `from .typing` the team's."""
    write("team/typing.py", "Mine = 1")
    write(
        "team/__init__.py",
        """
        from typing import NamedTuple
        from .typing import Mine

        class Player:
            def __init__(self, colour):
                self.mine = Mine

            def action(self):
                return ("MOVE", ((-3, 0), (-2, 0)))

            def update(self, colour, action):
                pass
        """,
    )
    game = table("chexers")
    await game.ask(await game.sit("handout:chexers:team"))
    assert not game.reports
