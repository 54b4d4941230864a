"""Three hard rounds of bbpPairings' own tests: C5, C9, and one of sixty players after fourteen rounds.

bbp_rounds.json: BieremaBoyzProgramming/bbpPairings @16a000f, test/tests (dutch_2025_C5, dutch_2025_C9, issue_7); cells
are (opponent, colour, result) as in a TRF file.
"""

import json
from pathlib import Path

import pytest

from palio_server.tournament.cards import Card
from palio_server.tournament.dutch import pair_round, players_of
from palio_server.tournament.trf.cells import PointSystem, read_cell, took_part

ROUNDS = json.loads(Path(__file__).with_name("bbp_rounds.json").read_text())


def card(player: dict, history: list) -> Card:
    texts = [f"{who:04} {colour} {result}" for who, colour, result in history]
    cells = [read_cell(text, round_, PointSystem()).cell for round_, text in enumerate(texts, 1)]
    return Card(player["no"], f"P{player['no']}", player["rating"], tuple(cells))


@pytest.mark.parametrize("case", ROUNDS, ids=lambda case: case["source"].split("/")[-1])
def test_a_published_round_is_paired_as_bbp_pairings_pairs_it(case):
    cards = [card(player, case["history"][str(player["no"])]) for player in case["players"]]
    played = max(cell.round for each in cards for cell in each.cells if took_part(cell))
    away = {each.number for each in cards if any(cell.round > played for cell in each.cells)}
    before = [Card(each.number, each.bot, each.rating, each.cells[:played]) for each in cards]
    assert {each.number: each.points for each in before} == {each["no"]: each["points"] for each in case["players"]}
    players = players_of(cards, played + 1, {each.number for each in cards} - away)
    found = pair_round(list(players.values()), played + 1, case["planned_rounds"])
    boards = {(white.number, black.number) for white, black, _ in found.boards}
    boards |= {(found.bye.number, 0)} if found.bye else set()
    assert boards == {tuple(pair) for pair in case["expected"]}
