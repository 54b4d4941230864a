"""One export while it is written: matches come one at a time, and go into each of its files."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec

from palio_db.event_values import KeptMatch
from palio_rules.errors import BadOption, nearest
from palio_rules.records.sgf_text import record_to_sgf
from palio_server.addons.transfer.outputs import (
    FORMS,
    GAMES_ONLY,
    PACKED,
    WHOLE,
    Form,
    Outputs,
    Table,
    form_of,
    table_on,
)
from palio_server.addons.transfer.pgn import pgn_of
from palio_server.addons.transfer.rows import MatchRows
from palio_server.addons.transfer.tables import EVERY_MATCH, TABLES


@dataclass(frozen=True, slots=True)
class Plan:
    """The tables to be written, and their places. `paths` by table; None: stdout."""

    form: Form
    paths: dict[str, Path | None]
    force: bool = False
    positions: bool = True
    records: bool = True
    raw: bool = False
    one_each: bool = False  # the place is a folder, in which each match gets a file

    @property
    def of_matches(self) -> tuple[str, ...]:
        """The tables that are made of matches."""
        return tuple(table for table in self.paths if table in EVERY_MATCH)

    @property
    def has_records(self) -> bool:
        """Return whether `palio import` can read what is written."""
        return "matches" in self.paths and (self.form == "jsonl" or self.records)


def planned(
    form: str | None, what: Sequence[str], output: str | None, *, force: bool, positions: bool, records: bool, raw: bool
) -> Plan:
    """Read the options. Raises BadOption where they do not fit together."""
    path = None if output in (None, "-") else Path(str(output))
    tables = [word.strip() for words in what for word in words.split(",")]
    for table in tables:
        if table not in TABLES:
            raise BadOption(f"--what {table[:40]}: there is no such table; {nearest(table, TABLES)}")
    found = _form(form, path)
    is_folder = path is not None and (path.is_dir() or str(output).endswith("/") or len(tables) > 1)
    if not tables:
        tables = list(TABLES) if is_folder and found not in GAMES_ONLY else ["matches"]
    if found in GAMES_ONLY and tables != ["matches"]:
        raise BadOption(f"--format {found} holds matches only; take csv, jsonl or parquet for other tables")
    if path is None and len(tables) > 1:
        raise BadOption(f"{len(tables)} tables need a folder, one file each; name it with --output FOLDER")
    if path is None and found == "parquet":
        raise BadOption("--format parquet is no text, and not for the screen; name a file with --output FILE")
    if raw and found != "csv":
        raise BadOption(f"--raw is about csv; {found} has no formulas")
    if is_folder and path is not None and found == "sgf":
        paths: dict[str, Path | None] = {"matches": path}
    elif is_folder and path is not None:
        paths = {table: path / f"{table}.{found}" for table in dict.fromkeys(tables)}
    else:
        paths = {tables[0]: path}
    records = records and found != "csv"  # from which nothing is imported
    return Plan(found, paths, force, positions, records, raw, one_each=is_folder and found == "sgf")


def _form(form: str | None, path: Path | None) -> Form:
    said = "" if path is None else form_of(path)
    word = form or (said if said in FORMS else "jsonl")
    for known in FORMS:
        if word == known:
            if known == "parquet" and path is not None and path.suffix in PACKED:
                raise BadOption(f"--output {path}: Parquet is packed by itself; leave {path.suffix} off")
            return known
    raise BadOption(f"--format {word[:40]}: there is no such format; {nearest(word, FORMS)}")


@dataclass(slots=True)
class ExportJob:
    """The files of a plan, open. Leave the stack to close them."""

    plan: Plan
    stack: ExitStack
    matches: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    _files: dict[str, BinaryIO] = field(default_factory=dict)
    _tables: dict[str, Table] = field(default_factory=dict)

    def open(self) -> None:
        """Make the files, and the folder they go to. Raises BadOption."""
        outputs = Outputs(self.stack, force=self.plan.force)
        if self.plan.one_each:
            self.rows["matches"] = 0
            for folder in self.plan.paths.values():
                if folder is not None:
                    _make_folder(folder)
            return
        for path in self.plan.paths.values():
            if path is not None:
                _make_folder(path.parent)
                outputs.check(path)
        for name, path in self.plan.paths.items():
            file = self._files[name] = outputs.open(path)
            self.rows[name] = 0
            if not self._is_whole(name):
                table = table_on(file, self.plan.form, name, records=self.plan.records, raw=self.plan.raw)
                self.stack.callback(table.close)
                self._tables[name] = table

    def _is_whole(self, table: str) -> bool:
        """Return whether a match is written as one text, not as rows."""
        return table == "matches" and self.plan.form in WHOLE

    def add(self, kept: KeptMatch) -> str | None:
        """Write a match into every file that is made of matches. What is wrong with it: then it is in none."""
        try:
            whole, rows = self._made(kept)
        except ValueError as error:  # the rules' own sentences
            return f"match {kept.match} is left out, its record does not reproduce: {error}"
        for name, text in whole.items():
            self._write_whole(name, kept.match, text)
            self.rows[name] += 1
        for name, made in rows.items():
            self.write(name, made)
        self.matches += 1
        return None

    def _write_whole(self, table: str, match: str, text: bytes) -> None:
        if not self.plan.one_each:
            self._files[table].write(text)
            return
        folder = self.plan.paths[table]
        assert folder is not None
        with ExitStack() as stack:
            Outputs(stack, force=self.plan.force).open(folder / f"{match}.{self.plan.form}").write(text)

    def _made(self, kept: KeptMatch) -> tuple[dict[str, bytes], dict[str, list[tuple[object, ...]]]]:
        plan = self.plan
        whole: dict[str, bytes] = {}
        tables = [name for name in plan.of_matches if not self._is_whole(name)]
        if "matches" in plan.paths and plan.form == "jsonl":
            whole["matches"] = msgspec.json.encode(kept) + b"\n"
        elif plan.form == "pgn":
            whole["matches"] = pgn_of(kept, records=plan.records).encode()
        elif plan.form == "sgf":
            own = msgspec.json.encode(kept).decode() if plan.records else ""
            whole["matches"] = record_to_sgf(kept, whole=own).encode()
        if not tables:
            return whole, {}
        rows = MatchRows(kept, positions=plan.positions, records=plan.records)
        return whole, {name: [*rows.of(name)] for name in tables}

    def write(self, table: str, rows: list[tuple[object, ...]]) -> None:
        self._tables[table].write(rows)
        self.rows[table] += len(rows)

    def summary(self) -> str:
        """Return a sentence on the files that were written."""
        files = [f"{path} ({self.rows[name]} rows)" for name, path in self.plan.paths.items() if path is not None]
        return f"{self.matches} matches: {', '.join(files)}" if self.plan.of_matches else ", ".join(files)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadOption(f"--output {folder} cannot be made: {why}; name another folder") from None
