"""The HTML of a results page. All texts of others (names, moves, sentences) are escaped, and so are control characters.

A content policy allows the page's own script only, by its hash, so that nothing else on it can run.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from palio_db.event_values import TournamentRow
from palio_rules.plain_text import plain
from palio_rules.records.record import Record
from palio_rules.registry import game as rules_of
from palio_server.cli.results_page.replays import Drawing, Replays, chosen_replays
from palio_server.cli.tournament_report import VERDICTS, cost_lines, totals
from palio_server.tournament.crosstable import grid
from palio_server.tournament.event import Encounter
from palio_server.tournament.event_faults import EventFault, lost_by_fault
from palio_server.tournament.event_report import EventReport
from palio_server.tournament.exports import number
from palio_server.tournament.progress import llr_text
from palio_server.tournament.score_lines import rating_rows
from palio_server.tournament.standing import Standing, shared_places
from palio_server.tournament.tie_breaks import tie_break

MOST_FAULTS = 1_000  # lines of single faults
MOST_ENCOUNTERS = 2_000
DETAILED = 2  # games of an encounter whose results are sentences here
WIDE = 60  # bots; a cross-table of more is no help, and grows by their square
BYE = {"pairing-bye": "bye", "half-bye": "half-point bye", "absent": "does not play"}


def results_page(row: TournamentRow, report: EventReport, records: Sequence[Record]) -> str:
    """Return the page of a tournament in its present state. `records` are those of matches with a fault."""
    replays = chosen_replays(records, report.faults)
    parts = [
        f"<h1>{text(row.name)}</h1>",
        f"<p>{text(_facts(row, report))}</p>",
        *_standings(report),
        *_crosstable(report),
        *_more(report),
        *_faults(report, replays),
        *_replays(replays),
        *_rounds(report),
        f'<p class="soft">Made by Palio, tournament {row.id}. Byes and forfeits were not played; faults are games.</p>',
    ]
    script = _resource("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    tokens = (files("palio_server") / "web" / "styles" / "tokens.css").read_text(encoding="utf-8")
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{text(row.name)}</title>",
            f"<style>\n{tokens}{_resource('page.css')}</style>",
            "</head>",
            "<body>",
            "<main>",
            *parts,
            "</main>",
            f"<script>{script}</script>" if replays.shown else "",
            "</body>",
            "</html>",
            "",
        )
    )


def text(words: str) -> str:
    """Return any text as HTML, with escapes for characters that could hide or turn it round."""
    return escape(plain(words))


@cache
def _resource(name: str) -> str:
    return (files("palio_server") / "cli" / "results_page" / name).read_text(encoding="utf-8")


def _facts(row: TournamentRow, report: EventReport) -> str:
    bots, games = len(report.event.entries), row.finished
    kind = f"{rules_of(row.game).title}, {row.format.replace('_', ' ')}"
    when = row.finished_at or row.created_at
    state = "finished" if row.stage == "finished" else f"{row.stage}, begun"
    return f"{kind}: {bots} bots, {games} games played; {state} {when:%Y-%m-%d %H:%M} UTC."


# --- tables ----------------------------------------------------------------------------------------------------------


def _table(title: str, cells: Sequence[Sequence[str]], words: Iterable[int] = (), why: int | None = None) -> str:
    """Return a table of HTML cells with its head first. Columns in `words` are to the left; `why` has sentences, which
    may break.
    """
    left = set(words)

    def cell(column: int, content: str, *, head: bool) -> str:
        kind = "why" if column == why else "words" if column in left else ""
        style = f' class="{kind}"' if kind else ""
        return f'<th scope="col"{style}>{content}</th>' if head else f"<td{style}>{content}</td>"

    lines = [
        "<tr>" + "".join(cell(column, content, head=not place) for column, content in enumerate(line)) + "</tr>"
        for place, line in enumerate(cells)
    ]
    style = "" if why is None else ' class="sentences"'
    return "\n".join(
        (
            f'<div class="scroll" tabindex="0" role="region" aria-label="{text(title)}"><table{style}>',
            f"<caption>{text(title)}</caption>",
            f"<thead>{lines[0]}</thead>",
            "<tbody>",
            *lines[1:],
            "</tbody></table></div>",
        )
    )


def _standings(report: EventReport) -> Iterator[str]:
    names, lost = report.tie_breaks, lost_by_fault(report.faults)
    lines = report.format.standings(report.event)
    ends = {line.bot: _ends(report, line) for line in lines}
    head = ["rank", "bot", "points", "of", "wins", "draws", "losses", "byes", "forfeits", "faults"]
    cells = [[*head, *(text(tie_break(name).title) for name in names), *(["remarks"] if any(ends.values()) else [])]]
    for place, line in zip(shared_places(line.rank for line in lines), lines, strict=True):
        figures = (line.counted, line.wins, line.draws, line.losses, _byes(line), line.forfeits, lost[line.bot])
        cells.append(
            [
                place,
                text(line.bot),
                number(line.points),
                *map(str, figures),
                *map(number, line.tie_breaks),
                *([text(ends[line.bot])] if any(ends.values()) else []),
            ]
        )
    yield "<h2>Standings</h2>"
    yield _table("Standings", cells, words=[1, len(head) + len(names)])


def _ends(report: EventReport, line: Standing) -> str:
    """Return a bot's note, and the reasons of its faults; the sentences are in the table of faults."""
    words = [each.reason for each in report.fault_lines if each.bot == line.bot]
    return ", ".join([*([line.note] if line.note else []), *words])


def _byes(line: Standing) -> str:
    return f"{number(line.bye_points)}/{line.byes}" if line.byes else "0"


def _crosstable(report: EventReport) -> Iterator[str]:
    if not report.table.pairs():
        return
    yield "<h2>Cross-table</h2>"
    if len(report.event.entries) > WIDE:
        yield f"<p>With more than {WIDE} bots there is no cross-table here; the JSON export has all results.</p>"
        return
    yield _table(
        "Cross-table",
        [[text(cell) for cell in line] for line in grid(report.table.rows(), report.standings, report.tie_breaks)],
        words=[1],
    )


def _more(report: EventReport) -> Iterator[str]:
    """Yield what only some events have: costs of races, a sequential test; and the ranking."""
    if report.table.paid:
        yield "<h2>Costs</h2>"
        yield _table("Costs", [[text(cell) for cell in line] for line in cost_lines(report.table.rows())], words=[0])
    if (test := report.format.details(report.event).sprt) is not None:
        yield f"<h2>SPRT</h2><p>{text(llr_text(test))}: {text(VERDICTS[test.state])}</p>"
    if report.ratings:
        rows = rating_rows(report.ratings, totals(report.table))
        yield "<h2>Ratings of this tournament</h2>"
        yield _table("Ratings", [[text(cell) for cell in line] for line in rows], words=[1])


# --- faults and replays ----------------------------------------------------------------------------------------------


def _faults(report: EventReport, replays: Replays) -> Iterator[str]:
    yield "<h2>Games lost by faults</h2>"
    if not report.faults:
        yield "<p>None.</p>"
        return
    cells = [["bot", "reason", "lost", "why"]]
    cells += [
        [text(line.bot), text(line.reason), f"{line.games} game{'' if line.games == 1 else 's'}", text(line.sentence)]
        for line in report.fault_lines
    ]
    yield _table("Faults by bot", cells, words=[0, 1], why=3)
    single = [fault for fault in report.faults if fault.match]
    if not single:
        return
    drawn = {drawing.faults[0].match for drawing in replays.shown}
    cells = [["game", "round", "bot", "against", "reason", "why", "see"]]
    cells += [_fault_line(fault, replay=fault.match in drawn) for fault in single[:MOST_FAULTS]]
    yield f"<details><summary>Games that ended by a fault, one by one: {len(single)}</summary>"
    if len(single) > MOST_FAULTS:
        yield f"<p>The first {MOST_FAULTS}; the JSON export has all.</p>"
    yield _table("Faults one by one", cells, words=[2, 3, 4, 6], why=5)
    yield "</details>"


def _fault_line(fault: EventFault, *, replay: bool) -> list[str]:
    see = f'<a href="#{_anchor(fault)}">replay</a>' if replay else f"palio match show {text(fault.match)}"
    names = (text(fault.bot), text(", ".join(fault.against)), text(fault.reason), text(fault.sentence))
    return [f"game {fault.game}", f"round {fault.round}", *names, see]


def _anchor(fault: EventFault) -> str:
    return f"game-{fault.game}"


def _replays(replays: Replays) -> Iterator[str]:
    if not replays.shown:
        return
    yield "<h2>Replays</h2>"
    if replays.left_out:
        count = f"{replays.left_out} more game{'' if replays.left_out == 1 else 's'} with a fault"
        yield f"<p>{count} had no place in this file; palio match show has them, and a Palio server replays them.</p>"
    yield from map(_replay, replays.shown)


def _replay(drawing: Drawing) -> str:
    first = drawing.faults[0]
    versus = f"{first.bot} against {', '.join(first.against)}" if first.against else first.bot
    told = "; ".join(f"{fault.bot}: {_why(fault)}" for fault in drawing.faults)
    skipped = f"<p>The first {drawing.skipped} positions are left out.</p>" if drawing.skipped else ""
    refusals = "".join(f"<li>{text(line)}</li>" for line in drawing.refusals)
    buttons = "".join(
        f'<button type="button" data-do="{do}" aria-label="{label}">{sign}</button>'
        for do, label, sign in (
            ("first", "first position", "|&lt;"),
            ("back", "one move back", "&lt;"),
            ("on", "one move on", "&gt;"),
            ("last", "last position", "&gt;|"),
        )
    )
    play = '<button type="button" data-do="play">Play</button>'
    slider = '<input type="range" min="0" value="0" aria-label="position">'
    title = f"Game {first.game}: {versus}: {first.reason}"
    return "\n".join(
        (
            f'<details id="{_anchor(first)}"><summary>{text(title)}</summary>',
            f"<p>{text(told)}</p>{skipped}",
            f'<figure class="replay"><div class="board">{drawing.last}</div>',
            f"<figcaption>{text(drawing.moves[-1])}</figcaption>",
            f'<div class="controls" hidden>{slider}{buttons}{play}</div>',
            f'<script type="application/json">{drawing.data()}</script></figure>',
            f"<p>Refused moves:</p><ul>{refusals}</ul>" if refusals else "",
            f'<p class="moves soft">{text("; ".join(drawing.moves[1:] if not drawing.skipped else drawing.moves))}</p>',
            "</details>",
        )
    )


def _why(fault: EventFault) -> str:
    return f"{fault.reason}, {fault.sentence}" if fault.sentence else fault.reason


# --- rounds ----------------------------------------------------------------------------------------------------------


def _rounds(report: EventReport) -> Iterator[str]:
    event, left = report.event, MOST_ENCOUNTERS
    if not event.last_round:
        return
    yield "<h2>Rounds</h2>"
    for round_ in range(1, event.last_round + 1):
        encounters = event.round(round_)
        if len(encounters) > left:
            yield f"<p>Rounds from {round_} on are left out; the JSON export has them.</p>"
            return
        left -= len(encounters)
        cells = [["board", "bots", "points", "games", "result"], *map(_encounter, encounters)]
        yield f"<details><summary>Round {round_}</summary>"
        yield _table(f"Round {round_}", cells, words=[1, 4])
        yield "</details>"


def _encounter(encounter: Encounter) -> list[str]:
    plan = encounter.plan
    bots = ", ".join(plan.bots) if len(plan.bots) != 2 else " - ".join(plan.bots)
    part = f" ({plan.part})" if plan.part else ""
    if plan.kind != "played":
        return [str(plan.board), text(f"{bots}{part}"), "", "", BYE[plan.kind]]
    points = encounter.game_points()
    ends = [f"{bot} forfeits" for bot in sorted(encounter.forfeits)]
    if not encounter.over:
        ends.append("not over")
    elif not ends and encounter.void:
        ends.append("no result")
    made = " - ".join(number(points[bot]) for bot in plan.bots)
    games = f"{len(encounter.finished)} of {plan.games}"
    details = "; ".join(match.detail for match in encounter.finished[:DETAILED] if match.detail)
    played = details if len(encounter.finished) <= DETAILED and details else "played"
    return [str(plan.board), text(f"{bots}{part}"), made, games, text(", ".join(ends) or played)]
