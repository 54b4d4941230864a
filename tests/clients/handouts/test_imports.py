"""What a student's file needs and nobody has is said before it plays, with what to type."""

import pytest

from palio_clients.handouts.imports import ImportPath, Missing, install, missing_imports, remedy
from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_clients.sdk.loader import load
from palio_rules.python_file import parsed

GAME = "class DominoesGame:\n    def __init__(self, b): pass\n    def get_best_move(self, v, n): return (0, 0), 0, 1\n"
SPEC = "handout:dominoes:hw4.py"
USED = "print(heapy, hpy, timeout_decorator, cv2, io, pygame, nowhere, helpres, helpers, seaborn)\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import heapy", r"hw4\.py, line 1 imports 'heapy', which is not installed in .*; pip install guppy3$"),
        ("import os\nfrom guppy import hpy", r"line 2 imports 'guppy', .*; pip install guppy3$"),
        ("import timeout_decorator", "pip install timeout-decorator$"),
        ("import cv2, os", "pip install opencv-python$"),
        ("from skimage import io", "pip install scikit-image$"),
        ("import pygame\nimport heapy", r"'pygame', which is not .*, nor is 'heapy'; pip install pygame guppy3$"),
        ("import nowhere", r"imports 'nowhere', .*; put nowhere\.py beside it, or pip install nowhere$"),
        ("import helpres", r"imports 'helpres', .*; did you mean 'helpers'\?$"),
        ("import helpers", r"helpers\.py, line 1 imports 'seaborn', .*; pip install seaborn$"),
        ("try:\n    import seaborn\nfinally:\n    pass", "pip install seaborn$"),
        ("class A:\n    import seaborn", "pip install seaborn$"),
    ],
)
def test_a_missing_module_is_refused_before_play_with_what_to_type(write, text, message):
    write("helpers.py", "import seaborn\n")
    write("hw4.py", f"{text}\n{GAME}{USED}")
    with pytest.raises(BadBot, match=message):
        load(SPEC)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import heapy\nexcept ImportError:\n    heapy = None",
        "try:\n    import heapy\nexcept (ValueError, ModuleNotFoundError):\n    pass",
        "try:\n    import heapy\nexcept:\n    pass",
        "def never():\n    import heapy",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import heapy",
        "if __name__ == '__main__':\n    import heapy",
        "import adversarial_search, numpy, board, random, hw4",
        "from board import Board",
        "import sys\nsys.path.append('lib')\nimport unheard_of",
        "import folder.deep",
    ],
)
def test_what_is_optional_or_there_is_no_reason_to_refuse(write, text):
    write("board.py", "class Board: pass\n")
    write("folder/deep.py", "from . import deeper\n")
    write("hw4.py", f"{text}\n{GAME}")
    assert load(SPEC).name.endswith("hw4")


def test_an_import_that_nothing_uses_is_to_be_deleted(write):
    write("hw4.py", f"import random\nimport torch_of_nowhere as torch\n{GAME}")
    with pytest.raises(BadBot, match=r"line 2 imports 'torch_of_nowhere', which nothing in it uses .*; delete line 2$"):
        load(SPEC)


def test_a_file_of_python_2_is_called_that(write):
    write("hw4.py", f"{GAME}print 'hello'\n")
    with pytest.raises(BadBot, match=r"hw4\.py: line 4 is written for Python 2"):
        load(SPEC)


def test_a_docstring_is_no_python_2(write):
    write("hw4.py", f'{GAME}"""\nprint the board\n"""\ndef f(:\n')
    with pytest.raises(BadBot, match="SyntaxError"):
        load(SPEC)


def test_a_program_runs_what_others_do_not(write):
    path = write("search.py", "if __name__ == '__main__':\n    import heapy\n    heapy.heap()\n")
    assert missing_imports(path, [parsed(path)], ImportPath((path.parent,))) == ""
    assert "pip install guppy3" in missing_imports(path, [parsed(path)], ImportPath((path.parent,)), program=True)
    with pytest.raises(BadBot, match="pip install guppy3"):
        load("handout:chexers_solo:search.py")


async def test_an_import_that_fails_in_play_has_its_remedy_below_the_traceback(write, table):
    write("hw4.py", GAME.replace("return", "import heapy; return"))
    game = table("dominoes")
    player = await game.sit(SPEC)
    with pytest.raises(PlayerFailed, match=r"No module named 'heapy'\npip install guppy3$"):
        await game.ask(player)


def test_one_distribution_is_named_once(tmp_path):
    assert install([Missing(name, tmp_path, 1) for name in ("heapy", "guppy", "yaml")]) == "pip install guppy3 pyyaml"
    assert remedy(ModuleNotFoundError("x", name="PIL.Image")) == "pip install pillow"
    assert remedy(ModuleNotFoundError("x", name="nowhere")) == ""
    assert remedy(ModuleNotFoundError("x", name="_tkinter")).startswith("install Tk")
    assert remedy(ValueError("x")) == ""
