"""Authors' files run as modules of their own names."""

import sys

import pytest

from palio_rules.errors import BadOption
from palio_rules.python_file import existing, module_by_import, module_of_file, place

pytestmark = pytest.mark.usefixtures("own_games")


def test_a_file_has_a_module_name_that_shadows_nothing(tmp_path):
    (tmp_path / "json.py").write_text("value = 3")
    module = module_of_file(tmp_path / "json.py", "palio_bot")
    assert module.value == 3
    assert module.__name__ == "palio_bot_json"
    assert sys.modules["json"] is not module


def test_by_its_own_name_it_is_the_module_that_others_import(tmp_path):
    (tmp_path / "imported_by_name.py").write_text("value = 3")
    assert module_by_import(tmp_path / "imported_by_name.py", "palio_game").__name__ == "imported_by_name"


def test_a_file_that_fails_leaves_no_module_and_tells_its_line(tmp_path):
    (tmp_path / "broken_here.py").write_text("\n\nnothing\n")
    with pytest.raises(BadOption, match=r"broken_here\.py cannot be loaded: line 3: NameError"):
        module_by_import(tmp_path / "broken_here.py", "palio_game")
    assert "broken_here" not in sys.modules


def test_no_python_file_and_no_file_at_all_are_told_apart(tmp_path):
    (tmp_path / "mine.txt").write_text("value = 3")
    with pytest.raises(BadOption, match=r"mine\.txt is no Python file; rename it to end in \.py"):
        module_of_file(tmp_path / "mine.txt", "palio_bot")
    with pytest.raises(BadOption, match="there is no file"):
        existing(tmp_path / ("x" * 5000 + ".py"))


def test_an_error_elsewhere_has_no_line_of_the_file():
    assert place(ValueError("odd"), "/none.py") == "ValueError: odd"
