"""The examples of docs/how-to/coursework.md play unchanged, in the sandbox and without one."""

import json
import re
from pathlib import Path

import pytest
from command import Palio
from serving import ROOT

PAGE = (ROOT / "docs" / "how-to" / "coursework.md").read_text(encoding="utf-8")
(PACKAGE,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
(COMMANDS,) = re.findall(r"^```\n(palio check-bot .*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def team(folder: Path) -> None:
    (folder / "team").mkdir()
    (folder / "team/__init__.py").write_text(PACKAGE)
    (folder / "team/states.json").write_text("[0, 1, 2, 3, 4, 5]")


def records(palio: Palio) -> list[dict[str, object]]:
    return [json.loads(line) for line in palio("match", "export", "--format", "json").stdout.splitlines()]


@pytest.mark.slow
def test_the_package_of_the_page_passes_all_checks_and_plays(palio: Palio):
    team(palio.folder)
    for line in COMMANDS.splitlines():
        program, *words = line.split()
        assert program == "palio"
        palio(*words)
    assert {record["result"]["termination"] for record in records(palio)} == {"rule"}


NESTED = {
    "player/board.py": "import breakthrough\nNAME = 'board'\n",
    "player/greedy/__init__.py": (
        "import json\nfrom player.board import NAME\nfrom player.greedy.agent import PlayerAI\n"
        "for name in ('player/greedy/states.json', 'greedy/states.json', 'states.json'):\n"
        "    with open(name) as file:\n        assert json.load(file) == [1]\n"
        "try:\n    open('new.txt', 'w').close()\n    open('states.json', 'w').close()\nexcept OSError as error:\n"
        "    print('cannot write:', error)\n"
    ),
    "player/greedy/states.json": "[1]",
}


@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
def test_nested_packages_and_notebooks_play_in_the_sandbox_where_they_can_only_be_read(palio: Palio):
    agent = PACKAGE.replace("team/states.json", "states.json").replace("VALUES[dst[0]]", "dst[0]")
    for name, text in {**NESTED, "player/greedy/agent.py": agent}.items():
        path = palio.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    cells = [{"cell_type": "code", "source": text} for text in ("%matplotlib inline", agent, "assert False")]
    (palio.folder / "nb").mkdir()
    (palio.folder / "nb/states.json").write_text("[1]")
    (palio.folder / "nb/ps2.ipynb").write_text(json.dumps({"cells": cells}))
    bots = ["pack=handout:breakthrough:player:file=greedy", "note=handout:breakthrough:nb/ps2.ipynb"]
    palio("run", "breakthrough", *bots, "--st", "20", "--sandbox", "require", "--games-per-encounter", "2")
    played = records(palio)
    assert len(played) == 2
    assert {record["result"]["detail"] or "" for record in played} == {""}, played
    assert (palio.folder / "player/greedy/states.json").read_text() == "[1]"
    assert not (palio.folder / "player/greedy/new.txt").exists()
