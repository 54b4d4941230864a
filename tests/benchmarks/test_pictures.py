"""The parts of pictures: a watched search is the same search; trees, charts and colours can be read."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.search.game_tree import History, Table
from palio_clients.search.minimax import alpha_beta, minimax
from palio_rules.games.dominoes import Position, board_of

ROOT = Path(__file__).parents[2]
TOKENS = (ROOT / "server" / "palio_server" / "web" / "styles" / "tokens.css").read_text(encoding="utf-8")
positions = st.builds(
    lambda filled, turn: Position(board_of(3, 4), filled, turn), st.integers(0, 2**12 - 1), st.integers(0, 1)
).filter(lambda state: state.to_move is not None)


@pytest.fixture(autouse=True, scope="module")
def beside_the_scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield


@given(positions, st.integers(1, 3))
def test_a_search_that_is_watched_finds_the_same_in_as_many_nodes_as_its_tree_has(state, depth):
    from pictures.watching import Watch

    watch = Watch(state, evaluate)
    best = minimax(state, depth, watch.evaluate, order=watch.order)
    assert best == minimax(state, depth, evaluate)
    assert len(list(watch.root.all())) == best.nodes

    watch = Watch(state, evaluate, order=History(), table=Table())
    best = alpha_beta(state, depth, watch.evaluate, order=watch.order, table=watch.table)
    assert best == alpha_beta(state, depth, evaluate, order=History(), table=Table())
    assert len(list(watch.root.all())) == best.nodes
    assert watch.root.best == best


@given(positions)
def test_what_was_not_tried_and_what_was_are_all_the_moves(state):
    from pictures.watching import Watch

    watch = Watch(state, evaluate)
    alpha_beta(state, 2, watch.evaluate, order=watch.order)
    for twig in watch.root.all():
        if twig.children:
            after = [child.state for child in twig.children] + twig.unseen()
            assert after == [twig.state.play(move) for move in twig.state.legal_moves()]
            assert twig.cut or not twig.unseen()


def test_leaves_fill_the_width_and_parents_stand_in_the_middle():
    from pictures.drawing.trees import spread

    tree = {"root": ["a", "b"], "a": ["c", "d"], "b": ["e"]}
    at = spread("root", lambda node: tree.get(node, []), 10, 50, between=1.0)
    assert [at[id(node)] for node in ("c", "d", "e")] == pytest.approx([10, 10 + 40 / 3, 50])
    assert at[id("a")] == pytest.approx(10 + 20 / 3)
    assert at[id("root")] == pytest.approx((at[id("a")] + 50) / 2)


@pytest.mark.parametrize(("value", "text"), [(3.0, "3"), (-0.04, "0"), (2.56, "2.6"), (12.96, "13"), (-7.25, "-7.2")])
def test_numbers_have_a_tenth_at_most_and_no_sign_without_need(value, text):
    from pictures.drawing.svg import number

    assert number(value) == text


def test_names_of_lines_that_end_together_do_not_lie_upon_each_other():
    from pictures.drawing.charts import Chart
    from pictures.drawing.svg import Sheet

    sheet = Sheet(200, 200, "lines")
    Chart(sheet, (0, 0, 100, 100), (0, 1), (0, 1)).names(
        [(0.5, "ink", "one"), (0.51, "ink", "two"), (0.5, "ink", "six")]
    )
    ys = [float(y) for y in re.findall(r'y="([\d.]+)"[^>]*>(?:one|two|six)<', sheet.svg())]
    assert len(ys) == 3
    assert min(after - before for before, after in pairwise(ys)) >= 18


def test_what_is_written_is_escaped_and_a_colour_is_explained_for_day_and_night():
    from pictures.drawing.svg import Sheet

    sheet = Sheet(100, 100, "a < b & c")
    sheet.circle(1, 2, 3, fill="gold")
    text = sheet.svg()
    assert "a &lt; b &amp; c" in text
    day, night = text.split("@media(prefers-color-scheme:dark)")
    assert ".f-gold{fill:#b98416}" in day
    assert ".f-gold{fill:#e4b65a}" in night


@pytest.mark.parametrize("name", ["paper", "sunken", "ink", "soft", "line", "gold", "good", "bad"])
def test_colours_are_those_of_the_page(name):
    from pictures.drawing.palette import COLOURS

    assert COLOURS[name] == tuple(re.findall(rf"--{name}: (#[0-9a-f]{{6}});", TOKENS))


@pytest.mark.parametrize("time", [0, 1], ids=["day", "night"])
def test_text_can_be_read_on_every_ground(time):
    from pictures.drawing.palette import COLOURS, HEATS

    grounds = ["paper", "square", "wash", "lapiswash", "olivewash", "ochrewash", *(f"heat{n}" for n in range(HEATS))]
    for ink, ground in [("ink", ground) for ground in grounds] + [
        ("soft", "paper"),
        ("bad", "paper"),
        ("good", "paper"),
    ]:
        assert contrast(COLOURS[ink][time], COLOURS[ground][time]) >= 4.5, (ink, ground)
    for ink in ("lapis", "brick", "olive"):
        assert contrast(COLOURS[ink][time], COLOURS["paper"][time]) >= 4.5, ink


def contrast(first: str, second: str) -> float:
    """As WCAG 2.1 has it."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    dark, bright = sorted((light(first), light(second)))
    return (bright + 0.05) / (dark + 0.05)
