"""The faults of an assignment that need more than one of its keys: dates, games, bots, files, and sums of points."""

import os
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from palio_db.event_values import Entry
from palio_rules import registry
from palio_rules.errors import BadInstance, BadOption, BadPosition, quoted
from palio_rules.game import Game
from palio_rules.spec import Spec
from palio_server.courses.bot_specs import check_bot
from palio_server.courses.toml_reading import Table
from palio_server.courses.values import Assignment, PlannedTournament, Reference
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of
from palio_server.tournament.openings import openings_of, parse_openings

Collect = Callable[[Assignment], tuple[Fraction, Fraction]]  # points of all tests, and extra points of all tests
CLASSES = (8, 9, *range(3, 33))  # numbers of bots with which a format is tried


UNKNOWN = datetime.max.replace(tzinfo=UTC)  # in place of a date that is missing or at fault


class Parts(NamedTuple):
    """An assignment's table and those of its parts, which are in the order of the parts."""

    table: Table
    tests: Sequence[Table]
    against: Sequence[Table]
    tournaments: Sequence[Table]


def check_assignment(assignment: Assignment, parts: Parts, collect: Collect | None) -> None:
    """Note the faults of an assignment. Without `collect` the points of tests are known only where the file says them.

    Empty texts and `UNKNOWN` stand for values with a fault of their own, and are left alone.
    """
    _check_dates(assignment, parts)
    _check_tests(assignment, parts)
    _check_final(assignment, parts)
    if assignment.game:
        _check_in_game(assignment, parts)
    _check_points(assignment, parts, collect)


def _check_dates(assignment: Assignment, parts: Parts) -> None:
    opens, due = assignment.opens, assignment.due
    if opens != UNKNOWN and due.astimezone(UTC) <= opens.astimezone(UTC):
        parts.table.fault("due", f"due {_shown(due)} is not after opens {_shown(opens)}; correct one of them")
    for tournament, table in zip(assignment.tournaments, parts.tournaments, strict=True):
        once = _once(tournament)
        if once is not None and opens != UNKNOWN and once < opens:
            table.fault("at", f"at: {_shown(once)} is before the assignment opens, {_shown(opens)}; take a later time")
        elif tournament.final and tournament.at and once is None:
            table.fault("at", "at: a final is played once; write a date with a time, as in 2027-02-16T12:00:00")
        elif tournament.final and once is not None and due != UNKNOWN and once < due:
            table.fault("at", f"at: the final, {_shown(once)}, is before due, {_shown(due)}; take a later time")


def _once(tournament: PlannedTournament) -> datetime | None:
    """Return the time of a tournament that is played once; None for others, and after a fault."""
    return datetime.fromisoformat(tournament.at) if tournament.at[:1].isdigit() else None


def _shown(moment: datetime) -> str:
    return moment.isoformat(sep=" ", timespec="minutes")


def _check_in_game(assignment: Assignment, parts: Parts) -> None:
    """Note the faults of the game, and of bots, formats and openings in it."""
    try:
        rules, options = registry.game_from_spec(game_text(assignment.game, assignment.folder))
    except (BadOption, BadInstance, BadPosition) as error:
        parts.table.fault("game", f"game: {error}")
        return
    for reference, table in zip(assignment.against, parts.against, strict=True):
        _check_reference(reference, assignment.folder, table, rules)
    settings = msgspec.to_builtins(options)
    for tournament, table in zip(assignment.tournaments, parts.tournaments, strict=True):
        _check_format(tournament, table, rules)
        if tournament.openings is not None:
            _check_openings(tournament.openings, assignment, table, rules, settings)


def game_text(game: str, folder: Path) -> str:
    """Return what to type for a game from any folder: a game's file is relative to the assignment's."""
    return str(folder / game) if registry.is_file(game) else game


def _check_tests(assignment: Assignment, parts: Parts) -> None:
    seen: set[str] = set()
    for tests, table in zip(assignment.tests, parts.tests, strict=True):
        if tests.file and (wrong := _wrong_tests(tests.file, assignment.folder, seen)):
            table.fault("file", wrong)
        seen.add(tests.file)


def _wrong_tests(file: str, folder: Path, seen: Collection[str]) -> str:
    """Return the sentence about a file that cannot be one of tests, "" for one that may be."""
    path = folder / file
    if file in seen:
        return f"{quoted(file)} is named twice; its tests would count twice"
    if not path.resolve().is_relative_to(folder.resolve()):
        return f"{quoted(file)} is outside of the assignment's folder; put it into tests/"
    if not os.path.isfile(path):  # noqa: PTH113  # which takes names of any length
        return f"there is no file {quoted(file)} in {folder.name}; write it, or correct the name"
    if path.suffix != ".py":
        return f"{quoted(file)} is no Python file; tests are pytest files such as tests/test_it.py"
    return ""


def _check_reference(reference: Reference, folder: Path, table: Table, rules: Game[Any, Any]) -> None:
    if reference.bot:
        try:
            check_bot(reference.bot, folder, rules.name)
        except BadOption as error:
            table.fault("bot", f"bot: {error}")
    if rules.kind != "race" and len(rules.seats) == 2 and reference.games % 2:
        table.fault("games", f"games: {reference.games} is odd, but each opening is played from both seats; add one")


def _check_format(tournament: PlannedTournament, table: Table, rules: Game[Any, Any]) -> None:
    """Note the fault of a format that no number of students' bots could play."""
    wrong = [_wrong_format(tournament, rules, bots) for bots in CLASSES]
    if all(wrong):
        table.fault("format", f"format: {wrong[0]}")


def _wrong_format(tournament: PlannedTournament, rules: Game[Any, Any], bots: int) -> str:
    """Return the sentence about a tournament that so many bots cannot play, "" for one that they can."""
    entries = [Entry(f"bot-{number}", number) for number in range(1, bots + 1)]
    try:
        spec = Spec.parse(tournament.format)
        rounds = {} if tournament.rounds is None else {"rounds": tournament.rounds}
        format_of(spec.name, {**spec.settings, **rounds}).check(Event(rules.name, entries))
    except BadOption as error:
        return str(error)
    return ""


def _check_openings(
    text: str, assignment: Assignment, table: Table, rules: Game[Any, Any], options: dict[str, Any]
) -> None:
    try:
        choice = parse_openings(text)
        if choice.file:
            choice = msgspec.structs.replace(choice, file=str(assignment.folder / choice.file))
        openings_of(choice, rules.name, options, assignment.seed)
    except BadOption as error:
        table.fault("openings", f"openings: {str(error).removeprefix('--openings ')}")


def _check_final(assignment: Assignment, parts: Parts) -> None:
    finals = [table for each, table in zip(assignment.tournaments, parts.tournaments, strict=True) if each.final]
    if len(finals) > 1:
        finals[1].fault("final", f"there is a final in line {finals[0].line('final')} already; keep one of them")
    grading = parts.table.table("grading")
    for key, given in (("place", assignment.grading.place), ("rating", assignment.grading.rating)):
        if given and not finals and grading is not None:
            grading.fault(key, f"points by {key} need a final; write [[tournament]] with final = true")


# Sums of points.


def known_points(assignment: Assignment) -> Fraction:
    """Return the points that the file itself says: of whole test files, reference bots, the place and the rating."""
    rule = assignment.grading
    tests = sum((each.points for each in assignment.tests if each.points is not None), Fraction(0))
    games = sum((each.points for each in assignment.against), Fraction(0))
    return tests + games + max(rule.place.values(), default=Fraction(0)) + (rule.rating[0] if rule.rating else 0)


def _check_points(assignment: Assignment, parts: Parts, collect: Collect | None) -> None:
    table = parts.table
    known = known_points(assignment)
    by_markers = [each for each in assignment.tests if each.points is None]
    extra = None
    if collect is not None:
        try:
            found, extra = collect(assignment)
        except BadOption as error:
            table.fault("tests", f"tests: {error}")
            return
        known += found - sum((each.points or Fraction(0) for each in assignment.tests), Fraction(0))
    elif by_markers:
        if assignment.points is not None and known > assignment.points:
            table.fault("points", f"points: {_number(assignment.points)} in all, but the parts have {_number(known)}")
        return
    if assignment.points is not None and known != assignment.points:
        what = "tests, reference bots, place and rating"
        table.fault("points", f"points: {_number(assignment.points)} in all, but {what} add up to {_number(known)}")
    elif assignment.points is None and not known:
        table.fault("", "nothing gives points; write [[tests]], [[against]] or places in [grading]")
    if extra is not None and extra != assignment.extra:
        table.fault("extra", f"extra: {_number(assignment.extra)}, but the tests marked so have {_number(extra)}")


def _number(value: Fraction) -> str:
    return f"{float(value):g}"
