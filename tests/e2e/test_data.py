"""Real tournaments go out, come in elsewhere, and go out the same; the notebook draws them; the page's code runs."""

import os
import re
import shlex
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from command import Palio
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "move-data.md").read_text("utf-8")
NOTEBOOK = ROOT / "examples" / "ratings.ipynb"


def block(language: str) -> str:
    """The first code of this language on the page."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def event(palio: Palio) -> Path:
    """Two bots have played four games of breakthrough on clocks, two of dominoes, and three have raced."""
    palio("run", "breakthrough:rows=4,cols=3", "random", "greedy", "--rounds", "2", "--tc", "10+0.1", "--openings", "1")
    palio("run", "dominoes:rows=3,cols=3", "random", "greedy")
    palio("run", "rush_hour:board=b.../b.../aa.c/.d..", "random", "planner", "greedy", "--tc", "10")
    return palio.folder


def figures(shown: str) -> list[str]:
    """The lines without the one that names the database."""
    return [line for line in shown.splitlines() if "the database " not in line]


@pytest.mark.slow
def test_what_goes_out_comes_in_and_goes_out_the_same(event: Path, palio: Palio, database: str):
    match = palio("match", "list", "--game", "dominoes").stdout.split("\n")[1].split()[0]
    palio("match", "void", match, "--reason", "one author")
    palio("analyse", match, "--seconds", "0.05")
    palio("export", "-o", "out/")
    for name in ("first.jsonl.gz", "first.pgn", "first.parquet"):
        palio("export", "-o", name)
    first = (event / "out" / "matches.jsonl").read_bytes()
    assert first.count(b"\n") == 7
    assert f'"{match}","setup"'.encode() in first
    assert b'"void":{"reason":"one author"' in first
    assert b'"analysis":{' in first
    new = database if database.startswith("postgresql") else "sqlite:///new.db"
    palio("import", "first.jsonl.gz", "--db", new)
    palio("export", new, "-o", "new/")
    for name in ("matches", "seats", "plies", "rejections", "ratings"):
        assert (event / "new" / f"{name}.jsonl").read_bytes() == (event / "out" / f"{name}.jsonl").read_bytes()
    for verb in (
        ["leaderboard"],
        ["verify"],
        ["tournament", "show", "1"],
        ["tournament", "show", "3"],
        ["match", "list"],
    ):
        assert figures(palio(*verb, "--db", new).stdout) == figures(palio(*verb).stdout)
    for file in ("first.pgn", "first.parquet"):
        assert "0 matches are brought into" in palio("import", file, "--db", new).stdout
        palio("import", file, "--db", f"{file}.db")
        assert palio("export", f"{file}.db").stdout.encode() == first


@pytest.mark.slow
def test_a_server_tells_the_same_matches(event: Path, palio: Palio):
    server = palio.start("serve", "--port", "0", "--house-bots", "0")
    url = re.search(r"http://[0-9.:]+", server.line_with("serves on"))
    assert url is not None
    told = palio("export", url[0], "--format", "csv", "--what", "plies").stdout
    assert told == palio("export", "--format", "csv", "--what", "plies").stdout
    rated = palio("export", url[0], "--what", "ratings", "--game", "dominoes").stdout
    assert rated == palio("export", "--what", "ratings", "--game", "dominoes").stdout
    palio("export", url[0], "-o", "told.jsonl")
    assert "7 matches are brought into" in palio("import", "told.jsonl", "--db", "told.db").stdout


@pytest.mark.slow
def test_the_code_on_the_page_runs(event: Path, palio: Palio, monkeypatch, capsys):
    for line in block("sh").splitlines():
        _, *words = shlex.split(line, comments=True)
        palio(*words)
    monkeypatch.chdir(event)
    exec(compile(block("python"), "docs/how-to/move-data.md", "exec"), {})  # the page's own words
    printed = capsys.readouterr().out
    assert "greedy" in printed
    assert "random" in printed


@pytest.mark.slow
def test_the_notebook_draws_a_rating_curve_and_the_clocks_of_a_match(event: Path, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PALIO_DB", f"sqlite:///{event}/palio.db")
    monkeypatch.delenv("PALIO_URL", raising=False)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is kept without what it has drawn"
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(event)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    tables = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(pictures) == 2
    assert "greedy" in tables[-1]["data"]["text/html"]


@pytest.mark.slow
def test_tables_fit_together(event: Path, palio: Palio):
    palio("export", "--format", "parquet", "-o", "data/")
    tables = {path.stem: pd.read_parquet(path) for path in (event / "data").glob("*.parquet")}
    matches, plies, seats = tables["matches"], tables["plies"], tables["seats"]
    assert set(plies.match) == set(seats.match) == set(matches.match)
    played = plies[~plies.opening].groupby("match").size()
    assert played.to_dict() == matches.set_index("match").plies.to_dict()
    assert plies[~plies.opening].groupby("match").ms.sum().to_dict() == seats.groupby("match").ms.sum().to_dict()
    assert set(tables["ratings"].bot) == set(seats.bot)
    ratings = tables["ratings"]
    join = re.search(r"`(ratings\.merge\(.*\))`", PAGE)
    assert join is not None
    joined = eval(join[1], {"ratings": ratings, "matches": matches})  # the page's own words
    assert set(joined.match) <= set(matches.match)
    assert len(joined) >= len(ratings) > 0
