"""An event for other programs: standings as CSV, the cross-table as Markdown, all of it as JSON."""

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any

import msgspec

from palio_server.tournament.crosstable import crosstable_of, grid
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.event_faults import EventFault, fault_data, lost_by_fault, reasons
from palio_server.tournament.format import Format
from palio_server.tournament.formats.swiss import Swiss
from palio_server.tournament.standing import with_reasons
from palio_server.tournament.trf.events import trf_of

COLUMNS = ("rank", "bot", "points", "played", "wins", "draws", "losses", "byes", "bye_points", "forfeits")


def standings_csv(event: Event, format_: Format, faults: Sequence[EventFault] = ()) -> str:
    """Return a head line, then a line for each entrant; tie-breaks are between `forfeits` and `left`
    under their names; one that has the name of another column is called `tie_break_wins` instead of `wins`.

    `faults` counts the games, also where encounters are scored, that a bot played and lost by its own fault. `reason`
    says which faults it had, also those for which games were not played.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [f"tie_break_{name}" if name in COLUMNS else name for name in format_.tie_breaks(event)]
    lost, why = lost_by_fault(faults), reasons(faults)
    writer.writerow([*COLUMNS, *names, "left", "note", "faults", "reason"])
    for line in with_reasons(format_.standings(event), event.broken):
        figures = [number(figure) for figure in line.tie_breaks]
        results = (line.played, line.wins, line.draws, line.losses, line.byes, number(line.bye_points), line.forfeits)
        left = "yes" if line.left else ""
        ends = (left, line.note, lost[line.bot], why.get(line.bot, ""))
        writer.writerow([line.rank, line.bot, number(line.points), *results, *figures, *ends])
    return text.getvalue()


def crosstable_markdown(event: Event, format_: Format) -> str:
    """Return points and games against each other, in the order of the standings, and notes if there are some; figures
    are to the right.
    """
    standings = with_reasons(format_.standings(event), event.broken)
    head, *lines = grid(crosstable_of(event).rows(), standings, format_.tie_breaks(event))
    if any(line.note for line in standings):
        head = [*head, "note"]
        lines = [[*cells, line.note] for cells, line in zip(lines, standings, strict=True)]
    rule = [":--" if title in ("bot", "note") else "--:" for title in head]
    return "".join(_markdown(cells) for cells in (head, rule, *lines))


def event_trf(event: Event, format_: Format, name: str) -> str:
    """Return a TRF file of an event of duels, every encounter as one result. Raises BadOption for tables of three."""
    initial = format_.initial_colour(event) if isinstance(format_, Swiss) else "white"
    return trf_of(event, name, rounds=format_.rounds_in_all(event), initial=initial)


def event_json(event: Event, format_: Format, faults: Sequence[EventFault] = ()) -> str:
    """Return one object: the format and its rules, entrants, standings, faults, rounds with their encounters and
    matches, details.
    """
    lost, why = lost_by_fault(faults), reasons(faults)
    standings = msgspec.to_builtins(with_reasons(format_.standings(event), event.broken))
    data = {
        "game": event.game,
        "format": format_.name,
        "rules": format_.rules,
        "over": format_.over(event),
        "entries": event.entries,
        "tie_breaks": list(format_.tie_breaks(event)),
        "standings": [{**line, "faults": lost[line["bot"]], "reason": why.get(line["bot"], "")} for line in standings],
        "faults": fault_data(faults),
        "rounds": [
            {"round": number, "over": event.round_over(number), "encounters": _encounters(event, number)}
            for number in range(1, event.last_round + 1)
        ],
        "details": format_.details(event),
    }
    return msgspec.json.format(msgspec.json.encode(data, order="deterministic"), indent=2).decode() + "\n"


def _encounters(event: Event, round_: int) -> list[dict[str, Any]]:
    return [_encounter(encounter) for encounter in event.round(round_)]


def _encounter(encounter: Encounter) -> dict[str, Any]:
    plan = encounter.plan
    return {
        "number": encounter.number,
        "board": plan.board,
        "kind": plan.kind,
        "part": plan.part,
        "bots": plan.bots,
        "opening": plan.opening,
        "over": encounter.over,
        "points": encounter.game_points(),
        "forfeits": sorted(encounter.forfeits),
        "matches": [
            {
                "match": match.match,
                "bots": match.bots,
                "status": match.status,
                "scores": match.scores,
                "detail": match.detail,
                "fought": match.fought,
            }
            for match in encounter.matches
        ],
    }


def number(figure: float) -> str:
    """Return a text like `2`, `2.5`, `0.333333`."""
    return f"{round(figure, 6):.6f}".rstrip("0").rstrip(".")


def _markdown(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
