"""docs/explanation/search.md shows what the searches do: its code runs, its pictures and its counts are up to date."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from palio_clients.search import __path__ as searches

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "explanation" / "search.md").read_text(encoding="utf-8")
COUNTS = (ROOT / "docs" / "evidence" / "search-counts.md").read_text(encoding="utf-8")
SHELF = ROOT / "docs" / "explanation" / "search"
ALGORITHMS = sorted(file.stem for file in SHELF.iterdir())


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import pictures

    return pictures


def printed_by(script):
    run = subprocess.run([sys.executable, ROOT / "benchmarks" / script], capture_output=True, text=True, check=True)
    return run.stdout


def test_the_first_listing_runs_as_it_stands(capsys):
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    exec(code, {})
    assert "Move(src=" in capsys.readouterr().out


def test_every_algorithm_has_a_picture_and_nothing_else_has(pictures):
    assert sorted(pictures.NAMES) == ALGORITHMS == sorted(re.findall(r"\n### `(\w+)`\n", PAGE))


def test_every_file_of_searches_is_named_on_the_page():
    files = [file.name for file in Path(searches[0]).glob("[a-z]*.py")]
    assert files
    assert [name for name in files if f"clients/palio_clients/search/{name})" not in PAGE] == []


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_picture_is_drawn_from_the_search_as_it_is(name, pictures):
    drawn = (SHELF / f"{name}.svg").read_text(encoding="utf-8")
    assert pictures.drawn(name) == drawn, f"run: python benchmarks/search_pictures.py {name}"
    assert len(drawn) < 40_000


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_a_section_with_its_contract_source_and_picture(name):
    assert f"| [`{name}`](#{name}) |" in PAGE
    section = PAGE.split(f"### `{name}`\n")[1].split("\n#")[0]
    assert "**Contract.**" in section
    assert "**When.**" in section
    source = re.search(r"\*\*Source\.\*\* `(\w+\.py)`, after ", section)
    assert source
    assert re.search(rf"\b{name}\b", (Path(searches[0]) / source[1]).read_text(encoding="utf-8"))
    assert re.search(rf"!\[[^]]{{20,}}\]\(search/{name}\.svg\)\n\n_[^_]{{20,}}_\n", section), "a picture, its caption"


def test_every_link_of_the_page_leads_somewhere():
    headings = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"\n#+ (.*)", PAGE)}
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        file, _, anchor = target.partition("#")
        assert (ROOT / "docs" / "explanation" / file).exists(), target
        assert file or anchor in headings, target


@pytest.mark.slow
@pytest.mark.timeout(600)  # half a minute on a machine of its own
@pytest.mark.parametrize("script", ["search_nodes.py", "search_planning.py"])
def test_the_tables_have_the_nodes_that_are_visited_today(script):
    for table in printed_by(script).split("\n\n"):
        assert table.strip() in COUNTS
