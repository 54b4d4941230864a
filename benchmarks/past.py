"""The history of a store: made-up matches by the million, written directly into its tables."""

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from palio_db.store_part import MatchIds
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup

GAME = "breakthrough"
START = datetime(2026, 1, 1, tzinfo=UTC)
PLIES = tuple(Ply(number % 2, [[6, number % 8], [5, number % 8]], 40) for number in range(58))
MATCH = (
    "id",
    "game",
    "status",
    "seat0",
    "round",
    "event",
    "created_at",
    "finished_at",
    "epoch",
    "plies",
    "termination",
    "setup",
    "record",
    "others",
)
SEAT = ("match", "seat", "bot", "score", "game", "outcome")
PAIR = ("game", "first", "second", "wins", "draws", "losses")
OUTCOME = ("bot", "game", "outcome", "count")
COUNTERS = ("games", "wins", "draws", "losses", "points", "illegal_moves", "time_losses", "think_ms", "plies")
RATING = ("game", "bot", "rating", "error", "provisional", *COUNTERS, "form")
Rows = Iterator[tuple[Any, ...]]


class Past:
    """Made-up matches as rows of tables; the sums agree with the matches."""

    def __init__(self, matches: int, bots: int) -> None:
        self.bots = [f"bot-{number:03}" for number in range(bots)]
        self.wins: Counter[tuple[str, str]] = Counter()
        pick, ids = random.Random(1), MatchIds()
        self.lines = [(ids.next(), *pick.sample(self.bots, 2)) for _ in range(matches)]  # the first of two wins
        self.wins.update((winner, loser) for _, winner, loser in self.lines)

    def matches(self) -> Rows:
        setup, record = _forms()
        for number, (match, winner, loser) in enumerate(self.lines):
            at = START + timedelta(seconds=number)
            data = {b"MATCH": match, b"WINNER": winner, b"LOSER": loser, b"2026-01-01T00:00:00Z": f"{at:%FT%TZ}"}
            yield (
                match,
                GAME,
                "finished",
                winner,
                0,
                "",
                at,
                at,
                1,
                len(PLIES),
                "rule",
                _filled(setup, data),
                _filled(record, data),
                "",
            )

    def seats(self) -> Rows:
        for match, winner, loser in self.lines:
            yield match, 0, winner, 1.0, GAME, "won"
            yield match, 1, loser, 0.0, GAME, "lost"

    def pairs(self) -> Rows:
        for first, second in {tuple(sorted(pair)) for pair in self.wins}:
            yield GAME, first, second, self.wins[first, second], 0, self.wins[second, first]

    def ratings(self) -> Rows:
        wins: Counter[str] = Counter()
        losses: Counter[str] = Counter()
        for (winner, loser), count in self.wins.items():
            wins[winner] += count
            losses[loser] += count
        for bot in self.bots:
            games = wins[bot] + losses[bot]
            own = games * len(PLIES) // 2
            counters = (games, wins[bot], 0, losses[bot], float(wins[bot]), 0, 0, own * 40, own)
            yield GAME, bot, 1500.0, 20.0, False, *counters, "WLWLWLWLWL"

    def outcomes(self) -> Rows:
        counts = Counter[tuple[str, str]]()
        for _, winner, loser in self.lines:
            counts.update([(winner, "won"), (loser, "lost")])
        for (bot, outcome), count in counts.items():
            yield bot, GAME, outcome, count

    def tables(self) -> list[tuple[str, tuple[str, ...], Rows]]:
        return [
            ("matches", MATCH, self.matches()),
            ("seats", SEAT, self.seats()),
            ("pair_scores", PAIR, self.pairs()),
            ("ratings", RATING, self.ratings()),
            ("outcomes", OUTCOME, self.outcomes()),
        ]


def _forms() -> tuple[bytes, bytes]:
    """Return a setup and a record as templates: encoding a million of them would take minutes."""
    setup = Setup(GAME, ("WINNER", "LOSER"))
    record = Record("MATCH", setup, PLIES, Result("rule", "far-row", [1.0, 0.0]), START, START)
    return msgspec.json.encode(setup), msgspec.json.encode(record)


def _filled(form: bytes, values: dict[bytes, str]) -> bytes:
    for mark, value in values.items():
        form = form.replace(mark, value.encode())
    return form


def fill_sqlite(file: Path, past: Past) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    for table, columns, rows in past.tables():
        marks = ", ".join("?" * len(columns))
        plain = (tuple(f"{v:%F %T.%f}" if isinstance(v, datetime) else v for v in row) for row in rows)
        connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", plain)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with file.open("rb") as written:
        os.fsync(written)  # otherwise the disk would still write gigabytes during the measurement of commits


def fill_postgres(url: str, past: Past) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for table, columns, rows in past.tables():
            with connection.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
