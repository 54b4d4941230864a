"""FIDE's Dutch system (C.04.3, in force from February 2026): the pairs, their colours, and the reasons.

Our own implementation, checked against other programs. It takes cards (`players_of`) and returns boards (`pair_round`).
"""

from palio_server.tournament.dutch.colours import Allocation
from palio_server.tournament.dutch.player import DutchPlayer, players_of
from palio_server.tournament.dutch.round import BracketReport, RoundPairing, pair_relaxed, pair_round
from palio_server.tournament.dutch.search import NoPairing
from palio_server.tournament.dutch.why import why_board, why_bye

__all__ = [
    "Allocation",
    "BracketReport",
    "DutchPlayer",
    "NoPairing",
    "RoundPairing",
    "pair_relaxed",
    "pair_round",
    "players_of",
    "why_board",
    "why_bye",
]
