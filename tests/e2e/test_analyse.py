"""`palio analyse` as a user runs it: after `palio run`, on a database, on a server, and then on the page."""

import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
from command import Palio
from page_checks import complaints, listen, overflow
from playwright.sync_api import Browser, expect

from palio_rules.records.record import Analysis


def played(palio: Palio, *words: str) -> str:
    """Play it out; the identity of the newest match."""
    palio("run", *words, "--seed", "1")
    newest: str = palio.json("match", "list", "--limit", "1")[0]["id"]
    return newest


def served(palio: Palio, *words: str) -> str:
    """The address of a server."""
    line = palio.start("serve", "--port", "0", *words).line_with("serves on")
    found = re.search(r"http://[\w.:]+", line)
    assert found is not None
    return found.group()


@pytest.mark.slow
def test_a_match_is_analysed_kept_and_printed(palio: Palio):
    match = played(palio, "dominoes:rows=4,cols=4", "random=random:seed=1", "one=random:seed=2")
    record = palio.json("match", "list", "--limit", "1")[0]
    lines = palio("analyse", match, "--seconds", "10").stdout.splitlines()
    assert lines[0].split() == ["ply", "bot", "move", "then", "better"]
    assert lines[1].split() == ["0", "(start)", "vertical", "wins"]
    assert "has won" in lines[record["plies"] + 1]
    assert re.fullmatch(r"(random|one) \(horizontal\): \d+ \?\?, \d+ \?", lines[-1])

    again = palio.json("analyse", match, "--seconds", "10", "--no-keep")
    assert [ply["ply"] for ply in again["plies"]] == list(range(record["plies"] + 1))
    assert (again["match"], again["complete"], again["format"]) == (match, True, "palio-analysis-1")
    marked = sum(ply.get("mark") == "??" for ply in again["plies"])
    assert marked == sum(line.split()[3:4] == ["??"] for line in lines)


@pytest.mark.slow
def test_a_match_of_go_is_analysed_in_points(palio: Palio):
    match = played(palio, "go:size=4", "random=random:seed=1", "one=random:seed=2")
    plies = palio.json("match", "list", "--limit", "1")[0]["plies"]
    found = palio.json("analyse", match, "--seconds", "1")
    assert [ply["ply"] for ply in found["plies"]] == list(range(plies + 1))
    assert found["complete"] is True
    assert re.search(r"\{\w+ wins by \d+\.5 points\}", palio("match", "show", match).stdout)


@pytest.mark.slow
def test_a_match_of_go_is_analysed_by_an_engine(palio: Palio):
    match = played(palio, "go:size=5,komi=0", "random=random:seed=1", "one=random:seed=2")
    program = Path(__file__).parents[1] / "clients" / "engines" / "gtp_analyst.py"
    engine = f"gtp:{sys.executable} {program} kata {palio.folder / 'log'}"
    found = palio.json("analyse", match, "--seconds", "0.05", "--engine", engine)
    assert found["complete"] is True
    values = [ply["values"][0] for ply in found["plies"][:3]]
    assert values == pytest.approx([0.0, 0.5, 0.0], abs=0.01)  # after a stone, and the answer to it
    refused = palio("analyse", match, "--engine", "random", code=1)
    assert "random judges no positions; give an engine of Go that analyses: gtp:COMMAND" in refused.stderr


@pytest.mark.slow
def test_a_match_is_analysed_on_a_server_and_ctrl_c_keeps_what_is_done(palio: Palio):
    match = played(palio, "end_of_the_track:max_plies=40", "random=random:seed=1", "one=random:seed=9")  # all 40 plies
    url = served(palio)
    # the last plies are proven at once, and none of the others ever is in the time of a test
    analysing = palio.start("analyse", match, "--seconds", "10000", "--url", url, screen=True)
    analysing.wait_for(lambda lines: any(re.search(r"\b[1-9]\d*/41", line) for line in lines), 90)  # it may compile
    assert judges(palio)
    assert analysing.end(signal.SIGINT) == 130
    stopped = re.search(r"interrupted after ([1-9]\d*) of 41 positions$", analysing.errors[-1])
    assert stopped is not None, analysing.errors
    assert analysing.lines[0].split()[0] == "ply"
    with urlopen(f"{url}/api/matches/{match}/analysis") as answer:
        kept = msgspec.json.decode(answer.read(), type=Analysis)
    assert (len(kept.plies), kept.complete) == (int(stopped[1]), False)
    assert not judges(palio)


def judges(palio: Palio) -> list[Path]:
    """The processes of this test, which has a folder of its own, that judge plies."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if (process / "cwd").samefile(palio.folder) and b"palio_clients\0analyse" in (
                process / "cmdline"
            ).read_bytes():
                found.append(process)
    return found


def test_an_unfinished_or_unknown_match_is_refused(palio: Palio, tournament):
    assert "there is no match 'nothing'" in palio("analyse", "nothing", code=1).stderr


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_shows_the_graph_and_leads_to_each_ply(palio: Palio, browser: Browser):
    match = played(palio, "dominoes:rows=4,cols=5", "random:seed=4", "one=random:seed=1")
    url = served(palio)
    context = browser.new_context(viewport={"width": 1280, "height": 1200})
    page, said = context.new_page(), []
    listen(page, said)
    page.goto(f"{url}/match/{match}")
    expect(page.locator(".stage .board")).to_be_visible()
    expect(page.locator(".analysis")).to_have_count(0)  # no analysis exists yet

    analysis = palio.json("analyse", match, "--seconds", "10", "--url", url)
    last, marked = len(analysis["plies"]) - 1, [ply for ply in analysis["plies"] if ply.get("mark")]
    assert marked  # random play gives wins away; these seeds do
    graph = page.get_by_role("slider", name="place in the graph")
    proven = page.locator(".chances-proven")
    expect(proven).to_have_count(len(marked) + 1)  # the winner changes at each mark, one side always has the win
    widths = proven.evaluate_all("all => all.map(rect => rect.width.baseVal.value)")
    assert sum(widths) == pytest.approx(100, abs=1)  # percent: side by side, from the first ply to the last
    expect(page.locator(".chances-plot .chances-mark")).to_have_count(len(marked))
    expect(page.locator(".moves .line .mark")).to_have_text([ply["mark"] for ply in marked])

    box = graph.bounding_box()
    graph.click(position={"x": 1, "y": box["height"] / 2})
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(r"ply 0\b"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(r"ply 1\b"))
    page.locator(".marks button").first.click()
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(rf"ply {marked[0]['ply']}\b"))
    graph.click(position={"x": box["width"] - 1, "y": box["height"] / 2})
    expect(page.locator(".stage .board")).to_have_attribute("aria-label", re.compile(rf"ply {last}\b"))
    assert complaints(page) == []
    assert overflow(page) == 0
    page.set_viewport_size({"width": 390, "height": 800})
    expect(graph).to_be_visible()
    assert overflow(page) == 0
    context.close()
    assert said == []


@pytest.mark.slow
@pytest.mark.browser
def test_the_button_has_a_guarded_server_analyse_the_match_without_a_token(palio: Palio, browser: Browser):
    match = played(palio, "dominoes:rows=4,cols=4", "random:seed=4", "one=random:seed=1")
    url = served(palio, "--auth")
    context = browser.new_context(viewport={"width": 1280, "height": 1200})
    page, said = context.new_page(), []
    listen(page, said)
    page.goto(f"{url}/match/{match}")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".analysis")).to_be_visible()  # by itself: the page has heard of it
    expect(page.locator(".chances-plot .chances-proven")).not_to_have_count(0)
    expect(page.get_by_role("button", name="Analyse")).to_have_count(0)
    with urlopen(f"{url}/api/matches/{match}/analyse") as answer:
        assert msgspec.json.decode(answer.read())["state"] == "done"
    assert not judges(palio)
    context.close()
    assert said == []
