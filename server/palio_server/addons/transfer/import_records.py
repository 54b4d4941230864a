"""`palio import`: finished matches out of files into a database, each of them played through the rules first."""

import hashlib
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import UNSET

from palio_rules.completing import a_file
from palio_rules.contract.names import is_guest, is_name, no_name
from palio_rules.errors import BadOption, quoted
from palio_rules.records.faults import fault
from palio_rules.records.record import ANALYSIS_FORMAT
from palio_rules.temporary import TemporaryFolder
from palio_server.cli.command import runs
from palio_server.cli.options import db_option
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from palio_db.event_values import ImportResult, KeptMatch
    from palio_db.store import Store
    from palio_server.addons.transfer.reading import Fault, Found

EXAMPLES = """
\b
Examples:
  palio import matches.jsonl
  palio import autumn.jsonl.gz games.txt --db all.db
  palio export old.db | palio import - --db new.db
  palio import matches.parquet --check
  palio import lichess.pgn cutechess.pgn.gz
"""

BATCH = 200  # matches in one transaction, at most,
BATCH_PLIES = 20_000  # and plies in them
SHOWN = 20  # faults that are told of,
MOST_BOTS = 10_000  # whose names in PGN are remembered
CACHE_KIB = 16 * 1024  # of the file of matches that were seen
LONGEST = 600  # characters of each
CLOCKS_DIFFER = timedelta(days=1)  # of the database and of who plays, at most


@click.command("import", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=a_file)
@db_option
@click.option("--keep-going", is_flag=True, help="Bring in what is good of a file in which something is not.")
@click.option("--strict", is_flag=True, help="Refuse PGN that breaks the standard's export format, repair nothing.")
@click.option("--check", is_flag=True, help="Only read and verify; the database is looked at, and not changed.")
@runs
async def import_records(*, files: tuple[str, ...], db: str | None, keep_going: bool, strict: bool, check: bool) -> int:
    """Bring matches in that `palio export` or `palio match export` has written: JSON lines, Parquet, PGN, SGF, or text.

    PGN of other programs has games of chess, SGF games of Go; those that are unfinished or illegal are named and left
    out. Every record is played through the rules first. If one is wrong in any FILE (- is stdin), nothing is brought
    in, unless with --keep-going. What is in the database already is passed over. Ratings follow from what has come.
    """
    from palio_server.cli.source import open_store

    with ExitStack() as stack:
        paths = [(name, _local(name, stack)) for name in files]
        async with open_store(db, must_exist=False) as store:
            checked = Checked(strict=strict)
            for name, path in paths:
                await _check(store, name, path, checked)
            for sentence in checked.sentences:
                say(f"palio: {sentence}", err=True)
            if checked.faults > SHOWN:
                say(f"palio: and {checked.faults - SHOWN} more", err=True)
            if not checked.faults and not checked.good:
                raise BadOption(f"there is no record in {', '.join(files)}; `palio export` writes them")
            for sentence in checked.remarks():
                say(f"palio: {sentence}", err=True)
            if check or (checked.grave and not keep_going):
                end = "nothing is brought in" + ("" if check else "; --keep-going brings in what is good")
                say(f"{checked.good} records are good, {checked.known} of them here already, "
                           f"{checked.faults} are wrong; {end}")  # fmt: skip
                return 1 if checked.faults else 0
            brought = await _bring(store, paths, checked)
            await store.call(checked.spelled())
            await _rate(store, brought)
            wrong = f", {checked.faults} are wrong" if checked.faults else ""
            back = f" ({brought.restored} of them archived, which have their moves again)" if brought.restored else ""
            say(f"{brought.added} matches are brought into {store.url}, {brought.known} were there{back}{wrong}")
    return 1 if checked.faults else 0


class SeenMatches:
    """The matches of all files with the digests of their records, in a temporary file: a million would fill memory."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)  # deleted when it is closed
        self._connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("CREATE TABLE seen (match TEXT PRIMARY KEY, digest BLOB, taken INT) WITHOUT ROWID")
        self._connection.execute("BEGIN")

    def note(self, match: str, digest: bytes) -> bytes | None:
        """Return the digest with which `match` was noted before; None: it is noted now."""
        rows = self._connection.execute("SELECT digest FROM seen WHERE match = ?", (match,)).fetchall()
        if rows:
            before: bytes = rows[0][0]
            return before
        self._connection.execute("INSERT INTO seen VALUES (?, ?, 0)", (match, digest))
        return None

    def take(self, match: str) -> bool:
        """Return True the first time that a noted match is taken."""
        taken = self._connection.execute("UPDATE seen SET taken = 1 WHERE match = ? AND taken = 0", (match,))
        return taken.rowcount == 1


@dataclass(slots=True)
class Checked:
    """The findings of the first reading of all files. `skipped`: records, by file and number, not to be brought in.

    A `grave` fault is one of our own records, and keeps all others out. `players` has the names in PGN of each bot.
    """

    strict: bool = False
    good: int = 0
    known: int = 0
    faults: int = 0
    grave: int = 0
    players: dict[str, set[str]] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    skipped: set[tuple[int, int]] = field(default_factory=set)
    seen: SeenMatches = field(default_factory=SeenMatches)
    states: list[tuple[int, int]] = field(default_factory=list)  # of each file: size, and when it was written

    def complain(self, sentence: str, *, grave: bool) -> None:
        self.faults += 1
        self.grave += grave
        if len(self.sentences) < SHOWN:
            self.sentences.append(sentence)

    def note_names(self, names: "Iterable[tuple[str, str]]") -> None:
        """Remember which bots the players of a game became."""
        for player, bot in names:
            if bot in self.players or len(self.players) < MOST_BOTS:
                known = self.players.setdefault(bot, set())
                if len(known) < SHOWN:
                    known.add(player)

    def spelled(self) -> dict[str, str]:
        """Return the names of bots that are written otherwise in the files, as they stand there."""
        from palio_db.columns import one_line

        found = {bot: one_line(min(names)) for bot, names in self.players.items() if len(names) == 1}
        return {bot: name for bot, name in found.items() if name not in (None, bot, "?")}

    def remarks(self) -> "Iterator[str]":
        """Yield a sentence on players who have another name as bots, and one on those who have become one bot."""
        other = [f"{quoted(name)} is {bot}" for bot, names in self.players.items() for name in sorted(names - {bot})]
        if other:
            more = f", and {len(other) - SHOWN} more" if len(other) > SHOWN else ""
            yield f"names of players as bots: {', '.join(other[:SHOWN])}{more}"
        same = [
            f"{bot} ({', '.join(map(quoted, sorted(names)))})" for bot, names in self.players.items() if len(names) > 1
        ]
        if same:
            remedy = "rename them in the file to keep them apart"
            yield f"players that are one bot from here on: {', '.join(same[:SHOWN])}; {remedy}"


def _local(name: str, stack: ExitStack) -> Path:
    """The file itself; stdin as one, for it is read twice. Raises BadOption."""
    if name == "-":
        path = stack.enter_context(TemporaryFolder("import")) / "records"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        return path
    path = Path(name)
    if not path.is_file():
        raise BadOption(f"there is no file {name[:200]}; name one that `palio export` has written, or - for stdin")
    return path


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


async def _check(store: "Store", name: str, path: Path, checked: Checked) -> None:
    """Read a file, and find out of each record whether it may be brought in."""
    from palio_server.addons.transfer.reading import Fault
    from palio_server.cli.ticker import bar

    number = len(checked.states)
    checked.states.append(_state(path))
    with bar() as progress:
        task = progress.add_task(f"checking {name}", total=None)
        for batch in _batches(path, strict=checked.strict):
            fresh: list[tuple[int, Found]] = []
            for record, found in batch:
                progress.advance(task)
                sentence = _wrong(found, checked)
                if sentence:
                    grave = not (found.is_foreign if isinstance(found, Fault) else found.names)
                    checked.complain(f"{name}, {found.place}: {sentence}", grave=grave)
                    checked.skipped.add((number, record))
                elif sentence is None and not isinstance(found, Fault):
                    checked.note_names(found.names)
                    fresh.append((record, found))
            wrong, known = await store.import_conflicts([found.match for _, found in fresh])
            for record, found in fresh:
                if (sentence := wrong.get(found.match.match)) is not None:
                    checked.complain(f"{name}, {found.place}: {sentence}", grave=not found.names)
                    checked.skipped.add((number, record))
            checked.known += known
            checked.good += len(fresh) - len(wrong)


def _batches(path: Path, *, strict: bool) -> "Iterator[list[tuple[int, Found | Fault]]]":
    """The records of a file with their numbers, a few at a time."""
    from palio_server.addons.transfer.reading import Found, read_records

    batch: list[tuple[int, Found | Fault]] = []
    plies = 0
    for number, found in enumerate(read_records(path, strict=strict)):
        batch.append((number, found))
        plies += len(found.match.plies) if isinstance(found, Found) else 0
        if len(batch) == BATCH or plies >= BATCH_PLIES:
            yield batch
            batch, plies = [], 0
    if batch:
        yield batch


def _wrong(found: "Found | Fault", checked: Checked) -> str | None:
    """Return the fault of a record by itself, in a sentence of bounded length.

    None: nothing does; "": it was given before, and says the same.
    """
    sentence = _spoken_against(found, checked)
    if sentence is None or len(sentence) <= LONGEST:
        return sentence
    half = LONGEST // 2  # it quotes what is in the file; how it begins and ends is ours
    return f"{sentence[:half]} ... {sentence[-half:]}"


def _spoken_against(found: "Found | Fault", checked: Checked) -> str | None:
    from palio_db.imports import fault_of_identity, fault_of_texts
    from palio_server.addons.transfer.reading import Fault

    if isinstance(found, Fault):
        return found.sentence
    kept = found.match
    if (wrong := fault_of_identity(kept.match)) is not None:
        return wrong
    digest = hashlib.blake2b(msgspec.json.encode(kept), digest_size=16).digest()
    if (before := checked.seen.note(kept.match, digest)) is not None:
        return "" if before == digest else f"match {kept.match} is given twice, with different records"
    own = fault_of_texts(kept) or _fault_of_names(kept) or _fault_of_moments(kept)
    return own or fault(kept) or _fault_of_analysis(kept)


def _fault_of_names(kept: "KeptMatch") -> str | None:
    """As a server looks at the names of bots that join it."""
    names = [*kept.setup.bots]
    if kept.tournament is not UNSET and kept.tournament.card is not UNSET:
        names += [entry.bot for entry in kept.tournament.card.entries]
    for name in names:
        if not is_name(name):
            return no_name(name)
        if kept.setup.rated and is_guest(name):
            return f"{name} is a name that servers give to their guests, who play no rated matches"
    return None


def _fault_of_moments(kept: "KeptMatch") -> str | None:
    moments = {"started_at": kept.started_at, "finished_at": kept.finished_at}
    if kept.created_at is not UNSET:
        moments["created_at"] = kept.created_at
    if kept.void is not UNSET:
        moments["void.at"] = kept.void.at
    if kept.tournament is not UNSET:
        moments["tournament.created_at"] = kept.tournament.created_at
    for name, moment in moments.items():
        if moment.tzinfo is None or not 1 < moment.year < 9999:
            return f"{name} is {moment.isoformat()}; a moment of our time is written with its zone, as in UTC"
    if kept.finished_at < kept.started_at:
        return f"it ends ({kept.finished_at.isoformat()}) before it begins ({kept.started_at.isoformat()})"
    if kept.created_at is not UNSET and kept.created_at > kept.started_at + CLOCKS_DIFFER:
        return f"it begins ({kept.started_at.isoformat()}) before it was made ({kept.created_at.isoformat()})"
    return None


def _fault_of_analysis(kept: "KeptMatch") -> str | None:
    if (analysis := kept.analysis) is UNSET:
        return None
    if analysis.match != kept.match or analysis.format != ANALYSIS_FORMAT:
        return f"its analysis is of match {analysis.match[:40]!r} in the format {analysis.format[:40]!r}"
    last = len(kept.setup.opening) + len(kept.plies)
    numbers = [ply.ply for ply in analysis.plies]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > last):
        return f"the plies of its analysis come in order, each once, from 0 to {last}; these do not"
    return None


async def _bring(store: "Store", paths: Sequence[tuple[str, Path]], checked: Checked) -> "ImportResult":
    """Read the files again, and keep what is good."""
    from palio_db.event_values import ImportResult
    from palio_server.addons.transfer.reading import Found
    from palio_server.cli.source import command_line
    from palio_server.cli.ticker import bar

    total, by = ImportResult(), command_line()
    with bar() as progress:
        task = progress.add_task("bringing in", total=checked.good)
        for number, (name, path) in enumerate(paths):
            if _state(path) != checked.states[number]:
                raise BadOption(f"{name} has changed while it was read; import it when nobody writes to it")
            for batch in _batches(path, strict=checked.strict):
                good = []
                for record, found in batch:
                    if not isinstance(found, Found) or (number, record) in checked.skipped:
                        continue
                    if checked.seen.take(found.match.match):
                        good.append(found.match)
                if good:
                    total += await store.import_matches(good, by=by)
                progress.advance(task, len(good))
    return total


async def _rate(store: "Store", brought: "ImportResult") -> None:
    """The ratings of the games that have grown follow at once, whether or not a server runs."""
    from palio_server.arena.leaderboards import rerate
    from palio_server.settings import load

    for game in sorted(brought.games):
        board = await store.leaderboard(game)
        await rerate(store, game, {leader.bot: leader for leader in board.leaders}, load().anchors)
