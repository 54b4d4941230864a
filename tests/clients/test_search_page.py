"""What docs/search.md shows is what the searches do: its code runs, its tables and its picture are up to date."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from palio_clients.search import __path__ as searches

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "search.md").read_text()


def printed_by(script):
    run = subprocess.run([sys.executable, ROOT / "benchmarks" / script], capture_output=True, text=True, check=True)
    return run.stdout


def test_the_first_listing_runs_as_it_stands(capsys):
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    exec(code, {})
    assert "Move(src=" in capsys.readouterr().out


def test_the_picture_is_drawn_from_the_search_as_it_is():
    drawn = printed_by("search_tree.py")
    assert drawn == (ROOT / "docs" / "search-tree.svg").read_text()
    assert "it looks at 10 of 20 leaves" in drawn


@pytest.mark.slow
@pytest.mark.parametrize("script", ["search_nodes.py", "search_planning.py"])
def test_the_tables_have_the_nodes_that_are_visited_today(script):
    for table in printed_by(script).split("\n\n"):
        assert table.strip() in PAGE


@pytest.mark.parametrize("name", [
    "minimax", "negamax", "alpha_beta", "alpha_beta_minimax", "ordering", "transposition", "deepening", "proof_number",
    "mcts", "max_n", "paranoid", "breadth_first", "bidirectional", "a_star", "ida_star", "rbfs", "hill_climbing",
    "random_restarts", "late_acceptance", "simulated_annealing", "two_opt", "or_opt", "double_bridge",
])  # fmt: skip
def test_every_file_that_the_page_names_is_there(name):
    assert f"| `{name}` |" in PAGE
    assert (Path(searches[0]) / f"{name}.py").is_file()
