"""A game in one file: what is found in it, and what is said of a file that holds none."""

import re
import shutil
from pathlib import Path

import pytest

from palio_rules.errors import BadOption
from palio_rules.registry import game_of_file, is_file, module_loaded, parts

NIM = Path(__file__).parent.parent / "plugin" / "palio_nim.py"
pytestmark = pytest.mark.usefixtures("own_games")

HALF = """\
from palio_rules import Game, Options
class Half(Game):
    name, title, seats, options_type = "half", "Half", ("one", "two"), Options
    def start(self, options, seed=0): ...
"""
WHOLE = """\
from palio_rules import Game, Options
class Whole(Game):
    name, title, seats, options_type = "whole", "Whole", ("one", "two"), Options
    def start(self, options, seed=0): ...
    def move_from_wire(self, value): ...
    def move_to_wire(self, move): ...
    def notation(self, state, move): ...
    def parse_notation(self, state, text): ...
    def format_state(self, state): ...
    def parse_state(self, text): ...
    def render(self, state): ...
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="mygame.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./mygame.py", ("./mygame.py", "", "")),
        ("./mygame.py:Nim", ("./mygame.py", "Nim", "")),
        ("./mygame.py:Nim:stones=15,heaps=2", ("./mygame.py", "Nim", "stones=15,heaps=2")),
        ("./mygame.py:stones=15", ("./mygame.py", "", "stones=15")),
        ("C:\\games\\mygame.py:Nim", ("C:\\games\\mygame.py", "Nim", "")),
    ],
)
def test_a_file_a_class_and_settings_are_told_apart(text, expected):
    assert is_file(text)
    assert parts(text) == expected


@pytest.mark.parametrize("text", ["breakthrough", "breakthrough:rows=6", "./berlin52.tsp", "nim.pyc"])
def test_what_names_no_python_file_is_none(text):
    assert not is_file(text)


def test_the_only_game_of_a_file_needs_no_name(write):
    assert game_of_file(write(WHOLE), "").title == "Whole"


def test_moves_that_a_position_yields_are_a_sequence(write):
    rules = game_of_file(write(NIM.read_text()), "Nim")
    state = rules.start(rules.parse_options({}))
    for position in (state, next(iter(map(state.play, state.legal_moves())))):
        moves = position.legal_moves()
        assert [moves[0], *moves[1:-1], moves[-1]] == list(moves)
        assert len(moves) == len(list(moves))
        assert next(moves) == next(iter(position.legal_moves()))


def test_a_file_is_run_once_for_all_of_its_games(write):
    path = write(NIM.read_text())
    two, three = game_of_file(path, "Nim"), game_of_file(path, "Nim3")
    assert isinstance(three, type(two))
    assert module_loaded(path).Nim is type(two)


def test_what_imports_the_file_by_its_name_gets_the_class_that_is_played(write):
    rules = game_of_file(write(WHOLE, "named_by_import.py"), "")
    import named_by_import

    assert type(rules) is named_by_import.Whole


def test_a_file_whose_name_something_else_bears_is_run_all_the_same(write):
    import json

    assert game_of_file(write(WHOLE, "json.py"), "").name == "whole"
    import json as again

    assert again is json


def test_files_beside_the_game_can_be_imported(write):
    write("TITLE = 'From beside'", "beside_the_game.py")
    path = write(WHOLE.replace('"Whole"', "TITLE").replace("import Game", "import Game", 1) + "")
    path.write_text("from beside_the_game import TITLE\n" + path.read_text())
    assert game_of_file(path, "").title == "From beside"


@pytest.mark.parametrize(
    ("text", "class_name", "sentence"),
    [
        ("x = 1\n1 / 0\n", "", "mygame.py cannot be loaded: line 2: ZeroDivisionError: division by zero"),
        ("x = 1\nclass (", "", "mygame.py cannot be loaded: SyntaxError: invalid syntax (mygame.py, line 2)"),
        ("raise SystemExit(3)", "", "mygame.py cannot be loaded: line 1: SystemExit: 3"),
        ("x = 1", "", "mygame.py has no Game; write a class as in docs/tutorials/first-game.md"),
        (NIM.read_text(), "", "mygame.py has 2 games; choose one: mygame.py:Nim or mygame.py:Nim3"),
        (NIM.read_text(), "Nmi", "mygame.py has no Game called 'Nmi'; did you mean 'Nim'?"),
        (HALF, "", "Half in mygame.py is no whole game: it lacks format_state, move_from_wire, move_to_wire, notation"),
        (WHOLE.replace("name, title", "nome, title"), "", "Whole in mygame.py has no `name`; say the word that people"),
        (WHOLE.replace('"whole"', '"Who/le"'), "", "Whole in mygame.py has the name 'Who/le'; take up to 40 small"),
        (WHOLE.replace('"Whole"', "None"), "", "Whole in mygame.py has the title None; say what people read"),
        (WHOLE.replace('("one", "two")', '("one", "one")'), "", "name each of up to 16 differently"),
        (WHOLE.replace('("one", "two")', '"ab"'), "", "Whole in mygame.py has the seats 'ab'; say who plays, in order"),
        (WHOLE.replace('"two"), Options', '"two"), dict'), "", "Whole in mygame.py has no settings in its"),
        (
            WHOLE + "    def __init__(self):\n        self.x = nothing\n",
            "",
            "Whole in mygame.py cannot be made: line 13: NameError: name 'nothing' is not defined",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(write, text, class_name, sentence):
    with pytest.raises(BadOption, match=re.escape(sentence)):
        game_of_file(write(text), class_name)


def test_a_file_that_is_not_there_is_said_so_and_looked_for_from_here(tmp_path):
    with pytest.raises(BadOption, match=r"there is no file .*nothing\.py'; check"):
        game_of_file(tmp_path / "nothing.py", "")


def test_a_copy_elsewhere_is_another_file(write, tmp_path):
    one = write(WHOLE)
    (tmp_path / "other").mkdir()
    two = Path(shutil.copy(one, tmp_path / "other" / "mygame.py"))
    assert type(game_of_file(one, "")) is not type(game_of_file(two, ""))
