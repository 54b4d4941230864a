"""Duels end early at the ply, with the result and the reason that fastchess gave them.

Recorded with fastchess 1.8.2-alpha: two Stockfish 15.1 with `option.Hash=4`, one of 3,000 and one of 200 nodes a move
(`pgn-book`: 2,500), `tc=100+1`, seats swapped, from small books of positions (EPD) or of moves (PGN).
"""

from pathlib import Path

import pytest

from palio_rules.adjudication import Adjudication, Adjudicator
from palio_rules.records.boards import advance
from palio_rules.records.pgn import read_pgn
from palio_rules.records.pgn_records import record_of_pgn
from palio_rules.records.record import score_of

GAMES = Path(__file__).parent / "peers"
RULES = {
    "epd-book": ("movenumber=20 movecount=4 score=0.25", "movecount=3 score=3"),
    "pgn-book": ("movenumber=25 movecount=5 score=0.2", "movecount=4 score=5"),
    "twosided": ("movenumber=15 movecount=3 score=0.15", "movecount=3 score=2.5 twosided=true"),
}


def games(book):
    with (GAMES / f"fastchess-{book}.pgn").open() as file:
        return [record_of_pgn(game).record for game in read_pgn(file)]


@pytest.mark.parametrize("book", RULES)
def test_a_game_ends_at_the_ply_where_fastchess_ended_it_with_its_result(book):
    draw, resign = RULES[book]
    rules = Adjudication(Adjudication.parse_draw(draw), Adjudication.parse_resign(resign))
    found = games(book)
    assert len(found) >= 6
    for record in found:
        chess, state, ends = record.setup.rules(), record.setup.start(), []
        judge = Adjudicator(rules, opening=len(record.setup.opening))
        for number, ply in enumerate(record.plies, 1):
            state = advance(chess, state, ply)
            if state.to_move is None:
                break
            if (verdict := judge.record_move(ply.seat, score_of(ply), chess.progress(state))) is not None:
                ends.append((number, verdict.scores))
        assert ends == [(len(record.plies), tuple(record.result.scores))]
