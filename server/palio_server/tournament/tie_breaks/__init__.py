"""Standings, and how ties are broken: FIDE's regulations C.07, in force since March 2026, each by its name."""

from palio_server.tournament.tie_breaks.standings import (
    TIE_BREAKS,
    Ranked,
    TieBreak,
    checked,
    ranked,
    standings_of,
    tie_break,
)

__all__ = ["TIE_BREAKS", "Ranked", "TieBreak", "checked", "ranked", "standings_of", "tie_break"]
