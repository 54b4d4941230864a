"""The tutorials' commands and listings do what they show."""

import re
import shlex

import pytest
from command import Palio
from serving import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"
LONG = ("demo", "serve", "join")  # commands that run until they are stopped


def commands(page: str) -> list[list[str]]:
    """The lines of the page's shell blocks that end by themselves and name no match of one's own."""
    blocks = re.findall(r"```sh\n(.*?)```", (TUTORIALS / page).read_text("utf-8"), re.DOTALL)
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in lines if words[0] == "palio" and words[1] not in LONG and "ID" not in words]


def form(table: str) -> set[str]:
    """A table's lines without figures and order: `greedy` chooses at random among equal moves, and wins at times."""
    return {re.sub(r"(?<= )[-\d][\d./]*(?= |$)", "N", " ".join(line.split()[1:])) for line in table.splitlines()}


def listings(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (TUTORIALS / page).read_text("utf-8"), re.DOTALL)


@pytest.mark.slow
def test_the_first_tournament_ends_as_shown(palio: Palio):
    for words in commands("first-tournament.md"):
        shown = palio(*words).stdout
        if words[0] == "run":
            page = (TUTORIALS / "first-tournament.md").read_text("utf-8")
            table = re.search(r"Cross-table\n.*?(?=\.\.\.)", page, re.DOTALL)[0]
            assert form(table) <= form(shown)
    assert "12" in palio("verify").stdout


@pytest.mark.slow
def test_the_first_bot_plays_and_so_does_the_stronger_one(palio: Palio):
    first, stronger = listings("first-bot.md")
    mine = palio.folder / "mine.py"
    mine.write_text(first)
    for words in commands("first-bot.md"):
        palio(*words)
    mine.write_text(first[: first.index("    def choose")] + stronger)
    done = palio("run", "breakthrough", "./mine.py", "random", "--rounds", "2")
    assert "illegal" not in done.stdout
    assert "crashed" not in done.stdout


@pytest.mark.slow
def test_the_first_game_is_checked_and_played(palio: Palio):
    (game,) = listings("first-game.md")
    (palio.folder / "mygame.py").write_text(game)
    for words in commands("first-game.md"):
        palio(*words)
