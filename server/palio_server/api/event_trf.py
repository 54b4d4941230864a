"""A TRF file as the beginning of a tournament: entries with their ratings and byes, how many rounds, the first colour.

Rounds that are in the file are refused: they were played elsewhere, and nothing of them could be shown, rated or
played again here. `palio pairing next` pairs such a file.
"""

from dataclasses import dataclass, replace
from typing import Any

from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_server.tournament.format import format_type
from palio_server.tournament.trf.events import imported
from palio_server.tournament.trf.reading import read_trf
from palio_server.tournament.trf.values import TrfPlayer


@dataclass(frozen=True, slots=True)
class TrfStart:
    """What a file says of a tournament that has not begun. `rules` are of its format."""

    name: str
    entries: tuple[Entry, ...]
    rules: dict[str, Any]


def trf_start(text: str, format_: str) -> TrfStart:
    """Raises BadOption for a file that cannot be read, that has played rounds, or that asks for what there is not."""
    file = read_trf(text)
    if file.played:
        rounds = "a round" if file.played == 1 else f"{file.played} rounds"
        remedy = "pair its next one with `palio pairing next`, or leave the results out to begin anew"
        raise BadOption(f"the TRF file has {rounds} already, and a tournament here plays all of its own; {remedy}")
    if file.forbidden or file.virtual:
        raise BadOption("the TRF file keeps players apart (XXP, 260) or accelerates (XXA, 250); leave these lines out")
    found = imported(file)
    entries = tuple(_absent(entry, player) for entry, player in zip(found.entries, file.players, strict=True))
    known = format_type(format_).rules_type.__struct_fields__
    rules: dict[str, Any] = {}
    if file.rounds is not None and format_ == "swiss":  # elsewhere `rounds` are cycles, or there are none to choose
        rules["rounds"] = file.rounds
    if file.initial and "initial_colour" in known:
        rules["initial_colour"] = file.initial
    return TrfStart(file.name, entries, rules)


def _absent(entry: Entry, player: TrfPlayer) -> Entry:
    """Who is not there in the first round comes in the second."""
    how = cell.how if (cell := player.cell(1)) else ""
    if how == "full-bye":
        raise BadOption(f"{entry.bot} has a full-point bye (F) in round 1; byes here are half a point: write H")
    return replace(entry, joined=2) if how == "absent" else entry
