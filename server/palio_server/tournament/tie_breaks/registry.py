"""Tie-breaks by name, and by FIDE's letters for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palio_rules.errors import BadOption, nearest
from palio_server.tournament.cards import Card
from palio_server.tournament.tie_breaks import opponents, own_record
from palio_server.tournament.tie_breaks.direct_encounter import direct_encounter
from palio_server.tournament.tie_breaks.field import Field

Figures = Callable[
    [Field, Sequence[Sequence[Card]]], dict[int, float]
]  # by number of a card, given who is level so far


@dataclass(frozen=True, slots=True)
class TieBreak:
    """More is better in each of them."""

    name: str
    code: str  # in FIDE's regulations
    title: str  # heads a column
    figures: Figures


def _each(figure: Callable[[Field, Card], float]) -> Figures:
    """Where a card's figure does not depend on who is level with it."""
    return lambda field, _groups: {card.number: figure(field, card) for card in field.cards}


def _own(figure: Callable[[Card], float]) -> Figures:
    """Where it does not depend on anybody else."""
    return _each(lambda _field, card: figure(card))


_ALL = (
    TieBreak("points", "PTS", "points", _each(own_record.points)),
    TieBreak("direct_encounter", "DE", "DE", direct_encounter),
    TieBreak("buchholz", "BH", "BH", _each(opponents.buchholz())),
    TieBreak("buchholz_cut_1", "BH/C1", "BH-C1", _each(opponents.buchholz(1))),
    TieBreak("buchholz_cut_2", "BH/C2", "BH-C2", _each(opponents.buchholz(2))),
    TieBreak("buchholz_median", "BH/M1", "BH-M1", _each(opponents.buchholz(1, 1))),
    TieBreak("buchholz_median_2", "BH/M2", "BH-M2", _each(opponents.buchholz(2, 2))),
    TieBreak("sonneborn_berger", "SB", "SB", _each(opponents.sonneborn_berger())),
    TieBreak("sonneborn_berger_cut_1", "SB/C1", "SB-C1", _each(opponents.sonneborn_berger(1))),
    TieBreak("wins", "WIN", "wins", _own(own_record.wins)),
    TieBreak("games_won", "WON", "won", _own(own_record.games_won)),
    TieBreak("games_with_black", "BPG", "black", _own(own_record.games_with_black)),
    TieBreak("wins_with_black", "BWG", "wins black", _own(own_record.wins_with_black)),
    TieBreak("progressive", "PS", "PS", _each(own_record.progressive)),
    TieBreak("koya", "KS", "KS", _each(opponents.koya)),
    TieBreak("rating", "RTG", "rating", _own(own_record.rating)),
)
TIE_BREAKS = {each.name: each for each in _ALL}
_CODES = {each.code.replace("/", "_").lower(): each for each in _ALL}


def tie_break(name: str) -> TieBreak:
    """By its name, or by FIDE's letters: `buchholz_cut_1`, `BH/C1`. Raises BadOption, with the nearest known name."""
    key = name.strip().lower().replace("-", "_").replace("/", "_").replace(":", "_")
    found = TIE_BREAKS.get(key) or _CODES.get(key)
    if found is None:
        raise BadOption(f"unknown tie-break {name!r}; {nearest(key, TIE_BREAKS)}")
    return found


def checked(names: Sequence[str]) -> tuple[str, ...]:
    """The full names of tie-breaks. Raises BadOption for one that is unknown, or named twice."""
    found = tuple(tie_break(name).name for name in names)
    if twice := next((name for place, name in enumerate(found) if name in found[:place]), None):
        raise BadOption(f"tie-break {twice!r} is named twice; name it once")
    return found
