"""An evening with twelve files: a folder, all broken files named at once, each end with its reason, and one page."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from command import Palio
from page_checks import complaints, listen, low_contrasts, overflow
from playwright.sync_api import Browser, expect
from serving import ROOT

HEAD = "from palio import Bot\n\n\n"
BOT = HEAD + 'class Mine(Bot):\n    games = ("breakthrough",)\n\n    def choose(self, state, clock):\n'
FIRST = "        return next(iter(state.legal_moves()))\n"
FILES = {
    "ada": BOT + FIRST,
    "ben": BOT + "        return list(state.legal_moves())[-1]\n",
    "crash": BOT + "        self.moves = getattr(self, 'moves', 0) + 1\n        1 // (2 - self.moves)\n" + FIRST,
    "gone": BOT + "        return {}[state]\n",
    "illegal": BOT + "        return [[9, 9], [8, 8]]\n",
    "slow": BOT + "        import time\n\n        time.sleep(20)\n",
    "imports": "import numpyy\n" + BOT + FIRST,
    "nobot": "x = 1\n",
    "nochoose": HEAD + 'class Mine(Bot):\n    games = ("breakthrough",)\n',
    "syntax": BOT.replace("(Bot)", "(Bot") + FIRST,
    "twobots": BOT + FIRST + "\n\nclass Second(Mine):\n    pass\n\n\nclass Third(Mine):\n    pass\n",
    "wronggame": BOT.replace("breakthrough", "dominoes") + FIRST,
}
BROKEN = {  # the line of each
    "imports": r"imports: subs/imports\.py cannot be loaded: line 1: ModuleNotFoundError: No module named 'numpyy'.*",
    "nobot": r"nobot: subs/nobot\.py has no Bot; write a class .*",
    "nochoose": r"nochoose: subs/nochoose\.py, line 4: Mine cannot move; give it a method choose\(.*",
    "syntax": r"syntax: subs/syntax\.py cannot be loaded: SyntaxError: .*\(subs/syntax\.py, line \d+\)",
    "twobots": r"twobots: subs/twobots\.py has 2 bots, Second in line \d+ and Third in line \d+; choose one: subs/.*",
    "wronggame": r"wronggame \(subs/wronggame\.py, line 5\) does not play breakthrough, but dominoes",
}
REASONS = {"crash": "crashed", "gone": "given up", "illegal": "illegal", "slow": "time"}
QUICK = ("--st", "1", "--games-per-encounter", "1")
PAGE = (ROOT / "docs" / "how-to" / "coursework.md").read_text("utf-8")
(EVENING,) = re.findall(r"^```\n(palio run breakthrough subs/ .*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
CHECK, PLAY = (shlex.split(line)[1:] for line in EVENING.splitlines())


@pytest.fixture
def folder(palio: Palio) -> Path:
    subs = palio.folder / "subs"
    subs.mkdir()
    for name, text in FILES.items():
        (subs / f"{name}.py").write_text(text)
    (subs / "test_ada.py").write_text("def test_nothing(): pass\n")
    return palio.folder


def broken_lines(stderr: str) -> list[str]:
    found = stderr.partition("6 of 12 bots cannot play:\n")[2].splitlines()[:6]
    assert len(found) == 6, stderr
    return [line.strip() for line in found]


def check_broken(stderr: str) -> None:
    for line, pattern in zip(broken_lines(stderr), BROKEN.values(), strict=True):
        assert re.fullmatch(pattern, line)


@pytest.mark.slow
def test_a_folder_of_twelve_with_six_broken_files_is_one_list_before_anything_is_played(palio: Palio, folder: Path):
    refused = palio(*CHECK, "--sandbox", "off", code=1).stderr
    check_broken(refused)
    assert "subs/: not entered: test_ada.py (tests, or names that begin with _)" in refused
    assert "there is no tournament 1" in palio("run", "--resume", "1", code=2).stderr


@pytest.mark.slow
def test_the_shell_s_list_of_files_means_the_same_and_broken_ones_are_left_out(palio: Palio, folder: Path):
    files = sorted(f"subs/{name}.py" for name in FILES if name not in REASONS)
    done = palio(
        "run", "breakthrough", *files, *QUICK, "--broken", "leave-out", "--sandbox", "off", "--export", "t.csv"
    )
    assert "the tournament begins without them: 2 of 8 bots play" in done.stderr
    with (folder / "t.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert sorted(line["bot"] for line in lines) == ["ada", "ben"]
    assert {line["reason"] for line in lines} == {""}


COURSE = {
    "ann": "class DominoesGame:\n    def __init__(self, board): self.board = board\n"
    "    def get_best_move(self, vertical, limit): return (0, 0), 0, 0\n",
    "bob": "class DominoesGame:\n    def __init__(self, board): pass\n",
    "cy": "x = 1\n",
    "dee": "class DominoesGame:\n    def __init__(self, board): pass\n    def get_best_move(self, vertical): pass\n",
    "eve": "import guppyy\n",
    "fay": "print 'hello'\n",
}
UNFIT = (
    r"bob: subs/bob\.py, line 1: DominoesGame has no get_best_move\(.*",
    r"cy: subs/cy\.py has no DominoesGame.*",
    r"dee: subs/dee\.py, line 3: get_best_move\(self, vertical\) takes other arguments .*",
    r"eve: subs/eve\.py, line 1 imports 'guppyy', which .*is not installed in .*",
    r"fay: subs/fay\.py: line 1 is written for Python 2.*",
)


@pytest.mark.slow
def test_the_files_of_a_course_are_listed_with_what_their_form_lacks(palio: Palio):
    (palio.folder / "subs").mkdir()
    for name, text in COURSE.items():
        (palio.folder / f"subs/{name}.py").write_text(text)
    told = palio(
        "run", "dominoes", "handout:dominoes:subs/", "random", "--broken", "refuse", "--sandbox", "off", code=1
    )
    title, *lines = told.stderr.partition("palio: ")[2].splitlines()[:6]
    assert title == "5 of 7 bots cannot play:"
    for line, pattern in zip(lines, UNFIT, strict=True):
        assert re.fullmatch(f"  {pattern}", line)


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.timeout(400)
@pytest.mark.slow
def test_in_the_sandbox_each_end_has_its_reason_and_the_page_shows_it_from_the_disk(
    palio: Palio, folder: Path, browser: Browser
):
    run = palio.start(*PLAY, "--sandbox", "require", "--export", "results.json")  # stderr has a bot's traceback
    assert run.wait() == 0
    stdout, stderr = "\n".join(run.lines), "\n".join(run.errors)
    head, _, _ = stderr.partition("the tournament goes on: their games are lost by forfeit, 6 of 12 bots play")
    check_broken(head)
    assert "Started game" not in head
    with (folder / "results.csv").open() as file:
        lines = {line["bot"]: line for line in csv.DictReader(file)}
    for bot, line in lines.items():
        assert int(line["played"]) == int(line["wins"]) + int(line["draws"]) + int(line["losses"]), line
        assert float(line["points"]) == int(line["wins"]) + float(line["draws"]) / 2 + float(line["bye_points"]), line
        assert int(line["faults"]) <= int(line["losses"])
        assert bool(line["reason"]) == (bot not in ("ada", "ben")), line
    for bot, reason in REASONS.items():
        assert reason in lines[bot]["reason"]
        assert re.search(rf"^{bot} +{reason} +\d+ ", stdout, re.MULTILINE)
    assert lines["gone"]["left"] == "yes"
    for bot in BROKEN:
        assert re.match(r"did not start \(\d+ games not played\): ", lines[bot]["reason"]), lines[bot]
    faults = json.loads((folder / "results.json").read_text())["faults"]
    assert {(each["bot"], each["reason"]) for each in faults} >= {*REASONS.items(), ("nobot", "did not start")}
    show_page(browser, folder / "results.html")


def show_page(browser: Browser, file: Path) -> None:
    """Open the page from the disk: nothing else is loaded, the console is empty, and replays can be stepped through."""
    said: list[str] = []
    for width, dark in ((1280, False), (390, True)):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light")
        loaded: list[str] = []
        listen(page, said)
        page.on("request", lambda request, loaded=loaded: loaded.append(request.url))
        page.goto(file.as_uri())
        expect(page.locator("h1")).to_have_text("First evening")
        assert loaded == [file.as_uri()]
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert (complaints(page), low_contrasts(page), overflow(page)) == ([], [], 0)
        replay = page.locator("figure.replay").first
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = false))")
        page.locator("summary", has_text="one by one").click()
        page.get_by_role("link", name="replay").first.click()
        expect(replay.locator("svg")).to_be_visible()
        replay.get_by_role("button", name="first position").click()
        expect(replay.locator("figcaption")).to_have_text("first position")
        assert said == []
        page.close()
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(file.as_uri())
    expect(plain.get_by_role("table", name="Standings")).to_contain_text("did not start")
    expect(plain.locator(".controls").first).to_be_hidden()
    plain.context.close()
