"""Every law, by a game that breaks it and no other; and a good game, which keeps them all."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from palio_rules.laws import LAWS, findings, walk_through

BROKEN_GAMES = Path(__file__).with_name("broken_games.py")


@pytest.fixture(scope="module")
def broken_games():
    spec = importlib.util.spec_from_file_location("broken_games", BROKEN_GAMES)
    module = sys.modules["broken_games"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["broken_games"]


def check(rules, positions=60, seed=3, longest=300):
    return list(findings(walk_through(rules, rules.options_type(), positions, seed, longest)))


@pytest.mark.slow
def test_a_good_game_keeps_every_law(broken_games):
    found = check(broken_games.Good())
    assert [finding.law for finding in found] == [law.name for law in LAWS]
    assert {finding.verdict for finding in found} == {"ok"}, [str(each) for each in found if each.verdict != "ok"]


@pytest.mark.slow
@pytest.mark.parametrize("law", [law for law in LAWS if law.remedy], ids=lambda law: law.name)
def test_a_game_that_breaks_one_law_fails_that_law_and_says_where(broken_games, law):
    failed = [finding for finding in check(broken_games.BROKEN[law.name]()) if finding.verdict != "ok"]
    assert [finding.law for finding in failed] == [law.name], [str(each) for each in failed]
    (finding,) = failed
    assert finding.detail
    assert finding.remedy == law.remedy
    if law.each is not None:
        assert re.fullmatch(r"\d+/9 [01]", finding.position)
        assert finding.seed is not None
        assert finding.position.split()[0] == replayed(finding.moves).split()[0], "the moves lead to the position"


def replayed(moves):
    stones, turn = 9, 0
    for move in moves:
        stones, turn = stones + int(move), 1 - turn
    return f"{stones}/9 {turn}"


def test_every_law_has_a_game_that_breaks_it(broken_games):
    assert set(broken_games.BROKEN) == {law.name for law in LAWS if law.remedy}


def test_an_error_of_the_game_names_the_line_of_its_file(broken_games):
    failed = [
        finding for finding in check(broken_games.BROKEN["random games go through"]()) if finding.verdict == "FAIL"
    ]
    line = next(n for n, text in enumerate(BROKEN_GAMES.read_text().splitlines(), 1) if "ZeroDivisionError" in text)
    assert failed[0].detail == f"play raises ZeroDivisionError: by nothing (broken_games.py, line {line})"


def test_a_game_without_a_first_position_is_not_examined_any_further(broken_games):
    class Nowhere(broken_games.Good):
        def start(self, options, seed=0):
            raise RuntimeError("nowhere")

    found = {finding.law: finding for finding in check(Nowhere())}
    assert found["random games go through"].detail.startswith("start raises RuntimeError: nowhere")
    assert found["positions are frozen"].verdict == "skip"
