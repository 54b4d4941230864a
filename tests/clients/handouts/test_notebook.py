"""A notebook plays as a file does: its cells are run, and what a cell tries out costs nothing."""

import json
import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from student_files import CLIMBER, DOMINOES, PLAYER_AI, PS2

from palio_clients.handouts.loading import BadNotebook, cells_of, python_of
from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_clients.sdk.loader import load
from palio_rules.python_file import parsed_text

SETUP = "%matplotlib inline\n!pip install numpy\nimport random\nimport copy"
DEMO = "assert 1 == 2, 'your search is wrong'"


def notebook(*cells):
    """The text of a notebook; a cell that begins with # is prose."""

    def cell(text):
        kind = "markdown" if text.startswith("# ") else "code"
        lines = textwrap.dedent(text).splitlines(keepends=True)
        return {"cell_type": kind, "metadata": {}, "source": lines, **({"outputs": []} if kind == "code" else {})}

    return json.dumps({"cells": [cell(text) for text in cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize(
    ("course", "source", "options"),
    [
        ("breakthrough", PS2, {}),
        ("breakthrough", PLAYER_AI, {}),
        ("dominoes", DOMINOES, {}),
        ("tsp", CLIMBER, {"size": 5}),
        ("end_of_the_track", "def policy(decode_state): return (0, 14), 0", {}),
    ],
)
async def test_a_notebook_plays_wherever_a_file_does(write, table, course, source, options, capfd):
    write("hw/ps2.ipynb", notebook("# Problem set", SETUP, DEMO, source, "1 / 0", "input()"))
    game = table(course, **options)
    await game.ask(await game.sit(f"handout:{course}:hw/ps2.ipynb"))
    told = capfd.readouterr().err
    assert "ps2.ipynb, cell 2 failed: line 1: AssertionError: your search is wrong" in told
    assert "cell 4 failed: line 1: ZeroDivisionError: division by zero" in told
    assert "cell 5 failed: line 1: EOFError" in told


async def test_chexers_and_rush_hour_take_notebooks_too(write, table):
    player = (
        "class Player:\n    def __init__(self, c): pass\n    def action(self): return ('MOVE', ((-3, 0), (-2, 0)))\n"
    )
    write("p.ipynb", notebook(player + "    def update(self, c, a): pass\n"))
    game = table("chexers")
    await game.ask(await game.sit("handout:chexers:p.ipynb"))
    solver = "class Solver:\n    def __init__(self, b, h): self.b = b\n    def run(self): return True\n"
    write("rh.ipynb", notebook(solver + "    def solution(self): return [('d', 1)]\n"))
    race = table("rush_hour", board="...b../...b../aa.b.d/..cccd/....../......")
    await race.ask(await race.sit("handout:rush_hour:rh.ipynb"))


async def test_definitions_after_a_failed_test_in_the_same_cell_are_there(write, table):
    source = textwrap.dedent(DOMINOES).replace("(self, board)", "(self, board: Board)")
    write("hw4.ipynb", notebook(f"{DEMO}\nBoard = list[list[bool]]\n{source}"))
    game = table("dominoes")
    await game.ask(await game.sit("handout:dominoes:hw4.ipynb"))


async def test_a_notebook_that_lacks_its_function_says_which_cell_failed(write, table):
    write("ps2.ipynb", notebook("x = nowhere", "y = 1", "def f(:"))
    game = table("breakthrough")
    with pytest.raises(PlayerFailed) as caught:
        await game.sit("handout:breakthrough:ps2.ipynb")
    assert str(caught.value) == (
        "ps2.ipynb has neither PlayerAI nor a search; keep the handout's own names "
        "(cell 1 failed: line 1: NameError: name 'nowhere' is not defined)"
    )


async def test_an_exception_in_a_move_names_the_cell_and_shows_its_line(write, table):
    game = "class DominoesGame:\n    def __init__(self, b):\n        self.b = 1 / x\n"
    write("hw4.ipynb", notebook("x = 0", f"{game}    def get_random_move(self, v): pass\n"))
    game = table("dominoes")
    player = await game.sit("handout:dominoes:hw4.ipynb")
    with pytest.raises(PlayerFailed, match=r"hw4\.ipynb\[2\]\", line 3, in __init__\n    self\.b = 1 / x"):
        await game.ask(player)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"ps2\.ipynb is no notebook: it is empty; save it in Jupyter again"),
        ("{'cells'", r"is no notebook: line 1: Expecting property name"),
        ("[]", "it has no list of cells"),
        ('{"cells": {}}', "it has no list of cells"),
        ('{"cells": [7]}', "cell 1 is 7, no cell"),
        ('{"cells": [{"cell_type": "code", "source": [1]}]}', "the source of cell 1 is no text"),
        (notebook("# Only prose"), r"has no code cells that can run; write your functions into code cells"),
        (notebook("def f(:"), r"has no code cells that can run, of 1 none is Python"),
        (notebook("import heapy\nheapy.heap()"), r"ps2\.ipynb, line 1 imports 'heapy', .* pip install guppy3"),
        ("\xff", "is no notebook"),
    ],
)
def test_a_broken_notebook_is_refused_before_play(write, text, message):
    path = write("ps2.ipynb", "")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadBot, match=message):
        load("handout:breakthrough:ps2.ipynb")


def test_a_notebook_is_no_program(write):
    write("search.ipynb", notebook("x = 1"))
    with pytest.raises(BadBot, match=r"asks for a program; export it \(jupyter nbconvert --to script search\.ipynb\)"):
        load("handout:chexers_solo:search.ipynb")


def test_the_older_format_is_read_as_well(tmp_path):
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]}]}))
    assert [cell.source for cell in cells_of(path)] == ["x = 1\ny = 2"]


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install numpy\nx = 1", "pass\nx = 1"),
        ("if x:\n    !ls\n", "if x:\n    pass\n"),
        ("files = !ls\nx = 1", "files = None\nx = 1"),
        ("t = %timeit -o f()", "t = None"),
        ("?print\nx = 1\nx.y??", "pass\nx = 1\npass"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%timeit -n 3\nx = 1", "\n\nx = 1"),
        ("%%bash\nls", ""),
        ("%%writefile breakthrough.py\nx = 1", ""),
        ("x = (7\n% 4)", "x = (7\n% 4)"),
        ('x = """\n%time\n!ls\n"""', 'x = """\n%time\n!ls\n"""'),
        ("if a != b:\n    x %= 2", "if a != b:\n    x %= 2"),
    ],
)
def test_what_only_a_notebook_understands_is_left_out(source, python):
    assert python_of(source) == python


@given(st.text("x=%!?\n (", max_size=30))
def test_cleaning_a_cell_keeps_python_as_it_is_and_never_fails(source):
    cleaned = python_of(source)
    if parsed_text(source) is not None and not re.match(r"\s*%%", source):
        assert cleaned == source


KEYS = st.sampled_from(["cells", "source", "cell_type", "worksheets", "input"])
LEAVES = st.none() | st.integers() | st.text(max_size=5) | st.just("code")


@given(st.recursive(LEAVES, lambda below: st.lists(below) | st.dictionaries(KEYS, below), max_leaves=8))
def test_whatever_is_in_a_notebook_it_is_read_or_refused(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "any.ipynb"
    path.write_text(json.dumps(value))
    try:
        assert cells_of(path)
    except BadNotebook as error:
        assert str(error).startswith("any.ipynb")  # noqa: PT017  # one sentence
