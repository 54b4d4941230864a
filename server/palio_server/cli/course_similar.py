"""`palio course similar`: pairs of submissions for people to read."""

from pathlib import Path

import click

from palio_rules.written_file import write_whole
from palio_server.cli.command import CommandFailed, runs
from palio_server.cli.course_students import COURSE
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table


@click.command(
    epilog="\b\nExamples:\n  palio course similar ai101 dominoes\n"
    "  palio course similar ai101 dominoes --html similar.html --skeleton handout/"
)
@COURSE
@click.argument("assignment")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Both sources side by side, as a page.")
@click.option(
    "--skeleton",
    type=click.Path(path_type=Path, exists=True),
    metavar="PATH",
    help="Files that the handout gave (beside the assignment's folder skeleton/).",
)
@click.option(
    "--share",
    type=click.FloatRange(0.01, 1),
    default=0.25,
    show_default=True,
    help="Tell pairs of which one shares so much of its own code.",
)
@json_option
@db_option
@runs
async def similar(
    *,
    course: Path,
    assignment: str,
    html: Path | None,
    skeleton: Path | None,
    share: float,
    as_json: bool,
    db: str | None,
) -> None:
    """List pairs of current submissions to an ASSIGNMENT that share more than the handout gave.

    A hint, never a verdict. Names, comments and the order of functions do not matter; teams are not compared with
    themselves.
    """
    from palio_server.cli.source import open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of
    from palio_server.courses.similar_course import similar_of
    from palio_server.courses.similar_page import HINT, similar_html
    from palio_server.courses.submitted_names import Refused

    found = read_course(course)
    wanted = assignment_of(found, assignment)
    async with open_store(db) as store:
        try:
            alike = await similar_of(store, found, wanted, skeleton, share=share)
        except Refused as error:
            raise CommandFailed(str(error)) from None
    if alike.note:
        say(alike.note, err=True)
    if html is not None:
        write_whole(html, similar_html(f"{found.title}: {wanted.title}", alike.pairs, alike.names, alike.files))
        say(f"written to {html}", err=True)
    if as_json:
        show_json(
            [
                {
                    "students": [alike.students[pair.first], alike.students[pair.second]],
                    "submissions": [pair.first, pair.second],
                    "shares": [round(each, 3) for each in pair.shares],
                    "tokens": pair.tokens,
                    "lines": [
                        {"first": [block.file, *block.lines], "second": [block.other_file, *block.other_lines]}
                        for block in pair.blocks
                    ],
                }
                for pair in alike.pairs
            ]
        )
        return
    if not alike.pairs:
        say(f"no two of {len(alike.files)} submissions are similar")
        return
    lines = [["student", "student", "share", "share", "tokens"]]
    for pair in alike.pairs:
        shares = [f"{each:.0%}" for each in pair.shares]
        lines.append([alike.students[pair.first], alike.students[pair.second], *shares, str(pair.tokens)])
    show_table(lines, left={0, 1})
    say(HINT)
