"""The files of `--export FILE`: the ending of the name gives the format."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from palio_rules.errors import BadOption, nearest

if TYPE_CHECKING:
    from palio_server.arena.running_tournament import RunningTournament

FORMS = (".json", ".csv", ".md", ".trf")


def check_exports(files: Sequence[str]) -> None:
    """Raise BadOption before any game is played if one of them could not be written, or has an unknown ending."""
    for file in files:
        path = Path(file)
        if path.suffix not in FORMS:
            raise BadOption(f"--export {file}: its ending says no form; {nearest(path.suffix, FORMS)}")
        if path.is_dir() or not path.resolve().parent.is_dir():
            raise BadOption(f"--export {file} cannot be written: there is no such folder; make it first")


def write_exports(files: Sequence[str], tournament: "RunningTournament", warn: Callable[[str], None]) -> None:
    """Write the event's present state into each file; call `warn` with those that could not be written."""
    for file in files:
        try:
            Path(file).write_text(_contents(Path(file).suffix, tournament), encoding="utf-8")
        except (OSError, BadOption) as error:
            why = error.strerror if isinstance(error, OSError) else error
            warn(f"--export {file} could not be written: {why}")


def _contents(form: str, tournament: "RunningTournament") -> str:
    from palio_server.tournament.exports import crosstable_markdown, event_json, event_trf, standings_csv

    event, format_ = tournament.event, tournament.format
    if form == ".trf":
        return event_trf(event, format_, tournament.row.name)
    return {".json": event_json, ".csv": standings_csv, ".md": crosstable_markdown}[form](event, format_)
