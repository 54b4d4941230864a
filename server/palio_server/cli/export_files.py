"""The files of `--export FILE`: the ending of the name gives the format."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from palio_db.event_values import TournamentRow
from palio_rules.errors import BadOption, nearest
from palio_rules.written_file import write_whole

if TYPE_CHECKING:
    from palio_rules.records.record import Record
    from palio_server.tournament.event_report import EventReport

FORMS = (".json", ".csv", ".html", ".md", ".trf")


def check_exports(files: Sequence[str]) -> None:
    """Raise BadOption before any game is played if one of them could not be written, or has an unknown ending."""
    for file in files:
        path = Path(file)
        if path.suffix not in FORMS:
            raise BadOption(f"--export {file}: unknown file type; {nearest(path.suffix, FORMS)}")
        if path.is_dir() or not path.resolve().parent.is_dir():
            raise BadOption(f"--export {file} cannot be written: there is no such folder; make it first")


def write_exports(
    files: Sequence[str],
    row: TournamentRow,
    report: "EventReport",
    records: Sequence["Record"],
    warn: Callable[[str], None],
) -> None:
    """Write the event's present state into each file; call `warn` with those that could not be written.

    `records` are those of matches that a page replays.
    """
    for file in files:
        try:
            write_whole(Path(file), _contents(Path(file).suffix, row, report, records))
        except (OSError, BadOption) as error:
            why = error.strerror if isinstance(error, OSError) else error
            warn(f"--export {file} could not be written: {why}")


def _contents(form: str, row: TournamentRow, report: "EventReport", records: Sequence["Record"]) -> str:
    from palio_server.tournament.exports import crosstable_markdown, event_json, event_trf, standings_csv

    event, format_ = report.event, report.format
    match form:
        case ".trf":
            return event_trf(event, format_, row.name)
        case ".html":
            from palio_server.cli.results_page import results_page

            return results_page(row, report, records)
        case ".csv":
            return standings_csv(event, format_, report.faults)
        case ".json":
            return event_json(event, format_, report.faults)
    return crosstable_markdown(event, format_)
