"""`palio course tournament`, `final` and `leaderboard`: what is played through the term."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palio_rules.errors import BadOption
from palio_server.cli.command import runs
from palio_server.cli.course_students import COURSE
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table
from palio_server.cli.run_options import cluster_options

if TYPE_CHECKING:
    from palio_db.course_values import StudentRow, TermKind
    from palio_server.courses.evening import TermBody


def playing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that play a course's tournament."""
    for option in (
        cluster_options,
        json_option,
        db_option,
        click.option(
            "--sandbox",
            type=click.Choice(["require", "off"]),
            help="Without one (off), or as course.toml says (default).",
        ),
        click.option("--concurrency", type=click.IntRange(1, 256), help="Games at once (default: one for each core)."),
        click.option("--at", metavar="TIME", hidden=True, help="The planned time, as a server gives it."),
    ):
        command = option(command)
    return command


@click.command(
    epilog="\b\nExamples:\n  palio course tournament ai101 dominoes\n"
    "  palio course tournament ai101 dominoes --rehearsal        the final, before its time and without effect"
)
@COURSE
@click.argument("assignment")
@click.option("--final", is_flag=True, help="The final, as palio course final.")
@click.option("--rehearsal", is_flag=True, help="Play the final now, and let nothing depend on it.")
@playing_options
@runs
async def tournament(*, course: Path, assignment: str, final: bool, rehearsal: bool, **flags: Any) -> int:
    """Play a tournament of all newest submissions to an ASSIGNMENT that work.

    Students play under pseudonyms, each in a sandbox. A submission that cannot be started forfeits its games. After an
    interruption, even a kill, the same command goes on.
    """
    if final and rehearsal:
        raise BadOption("a rehearsal is no final; leave --final or --rehearsal out")
    return await _play(course, assignment, "final" if final else "rehearsal" if rehearsal else "nightly", flags)


@click.command(
    epilog="\b\nExamples:\n  palio course final ai101 dominoes\n"
    "  palio course final ai101 dominoes --cluster tcp://10.0.0.1:8786"
)
@COURSE
@click.argument("assignment")
@playing_options
@runs
async def final(*, course: Path, assignment: str, **flags: Any) -> int:
    """Play the final of an ASSIGNMENT, of the submissions that are graded. Its places and ratings go into the grades.

    Played again, it keeps the results between submissions that have not changed, if the format allows it.
    """
    return await _play(course, assignment, "final", flags)


async def _play(course: Path, assignment: str, kind: "TermKind", flags: dict[str, Any]) -> int:
    from palio_server.cli.course_evening import Asked, play_evening
    from palio_server.cli.run_options import RunOptions
    from palio_server.cli.source import open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of
    from palio_server.garbage import infrequent_collection

    found = read_course(course)
    at = flags.pop("at")
    asked = Asked(found, assignment_of(found, assignment), kind, None if at is None else _moment(at))
    sandbox = flags.pop("sandbox") or ("require" if found.sandbox else "off")
    chosen = RunOptions(**flags, sandbox=sandbox)
    with infrequent_collection():
        async with open_store(chosen.db) as store:
            evening = await play_evening(store, asked, chosen, lambda line: say(line, err=True))
            students = await store.students(found.name)
    if evening.code == 0 and not chosen.as_json:
        _show(evening.body, students, names=False)
    return evening.code


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(f"--at {text[:40]!r} is no time; write 2027-02-16T12:00:00+01:00") from None
    if found.tzinfo is None:
        raise BadOption(f"--at {text[:40]!r} has no time zone; write 2027-02-16T12:00:00+01:00")
    return found


@click.command(
    epilog="\b\nExamples:\n  palio course leaderboard ai101 dominoes\n  palio course leaderboard ai101 dominoes --names"
)
@COURSE
@click.argument("assignment")
@click.option("--final", is_flag=True, help="Of the final, not of the last tournament.")
@click.option("--names", is_flag=True, help="For the staff: with students' IDs, and what programs said of faults.")
@json_option
@db_option
@runs
async def leaderboard(
    *, course: Path, assignment: str, final: bool, names: bool, as_json: bool, db: str | None
) -> None:
    """Show the standings of an ASSIGNMENT's last tournament, as students see them: under pseudonyms."""
    from palio_server.cli.source import open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.evening import TermBody
    from palio_server.courses.gradebook import assignment_of, last_tournament

    found = read_course(course)
    wanted = assignment_of(found, assignment)
    async with open_store(db) as store:
        row, body = await last_tournament(store, found, wanted, final=final) or (None, TermBody())
        students = await store.students(found.name)
    if as_json:
        show_json({"at": row and row.at, "kind": row and row.kind, "standings": _lines(body, students, names=names)})
    elif row is None:
        say(f"no tournament of {wanted.name} has been played; palio course tournament {course} {wanted.name} plays one")
    else:
        say(f"{row.kind} of {row.at.astimezone(found.zone):%Y-%m-%d %H:%M %Z}{f': {body.note}' if body.note else ''}")
        _show(body, students, names=names)


def _lines(body: "TermBody", students: "list[StudentRow]", *, names: bool) -> list[dict[str, Any]]:
    shown = {each.pseudonym: each for each in students}
    members = {each.bot: each.members for each in body.entries}
    lines = []
    for line in body.standings:
        who = [shown[each] for each in members.get(line.bot, (line.bot,)) if each in shown]
        item = {
            "rank": line.rank,
            "bot": ", ".join(each.shown_as for each in who) or line.bot,
            "points": line.points,
            "played": line.played,
            "rating": line.rating,
            "faults": line.faults if names else [each.partition(":")[0] for each in line.faults],
        }
        lines.append(item | ({"students": [each.id for each in who]} if names else {}))
    return lines


def _show(body: "TermBody", students: "list[StudentRow]", *, names: bool) -> None:
    if not body.standings:
        return
    head = ["", "bot", "points", "played", "rating", *(["students"] if names else []), "lost by faults"]
    cells = [head]
    from palio_server.tournament.standing import shared_places

    places = shared_places(line.rank for line in body.standings)
    for place, line in zip(places, _lines(body, students, names=names), strict=True):
        rating = "-" if line["rating"] is None else f"{line['rating']:.0f}"
        more = [" ".join(line["students"])] if names else []
        first = [place, line["bot"], f"{line['points']:g}", str(line["played"])]
        cells.append([*first, rating, *more, "; ".join(line["faults"])])
    show_table(cells, left={1, *range(5, len(head))})
