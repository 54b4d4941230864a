"""axe-core finds nothing serious where matches are listed, watched and replayed, in light and in dark."""

import pytest
from page_axe import serious
from page_matches import PlayedMatch, PlayedRace
from page_server import Stage
from page_story import BOTS, add_matches, furnish, replay_of
from playwright.sync_api import expect

from palio_rules.contract.messages import Result

pytestmark = pytest.mark.browser

VIEWS = {
    "": "Live matches",
    "games": "Games",
    "games/breakthrough": "Breakthrough",
    "match/m-breakthrough": "Breakthrough",
    "match/over": "Dominoes",
    "match/three": "Chexers",
    "match/race": "Travelling Salesman",
    "embed/match/over": "Dominoes",
    "embed/match/race": "Travelling Salesman",
}


@pytest.fixture
def played(stage: Stage) -> None:
    match = add_matches(furnish(stage))["breakthrough"]
    match.reject("[[0,0],[5,5]]", "not-a-step", "from a6 a pawn reaches a5 or b5, not f1")
    three = stage.add(PlayedMatch("three", "chexers", BOTS[:3], seed=2))
    over = stage.add(PlayedMatch("over", "dominoes", BOTS[:2], seed=4))
    race = stage.add(PlayedRace("race", "tsp", BOTS[:3], {"size": 12}))
    for each in (three, over, race):
        each.start()
    for _ in range(5):
        three.play()
        over.play()
    race.play(0)
    over.finish(Result("crashed", "crashed", [1.0, 0.0], 1, "Traceback\n  ...\nZeroDivisionError: division by zero"))
    stage.answers["matches/over/replay"] = replay_of(over)
    for game in ("chexers", "tsp"):
        stage.answers[f"leaderboard/{game}"] = {"game": game, "leaders": []}


@pytest.mark.first(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_serious_is_found(open_page, played, view, scheme):
    page = open_page(view, color_scheme=scheme)
    expect(page.get_by_role("heading", level=1)).to_contain_text(VIEWS[view])
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assert serious(page) == []
