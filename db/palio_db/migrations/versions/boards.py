"""Ratings are of a game with the settings that make another game of it. An older Palio goes on, and has one of each."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

from palio_db.address import Kind
from palio_db.archives import added_by
from palio_db.columns import unpack
from palio_db.connections import Parameters, Sql
from palio_db.errors import Unreadable
from palio_db.voiding import recount
from palio_rules.records.record import Setup

revision = "0019"
down_revision = "0018"
expands = True
rewrites = ("matches",)

BATCH = 500  # matches whose sums are changed together

COUNTED = Sql.of(
    "SELECT m.id, m.setup, s.game FROM matches m JOIN seats s ON s.match = m.id AND s.seat = 0 "
    "WHERE m.status = 'finished' AND s.outcome IS NOT NULL AND m.id > ? ORDER BY m.id LIMIT ?"
)
RECORD = Sql.of("SELECT record, archived_at FROM matches WHERE id = ?")
MOVE = Sql.of("UPDATE seats SET game = ? WHERE match = ?")


def upgrade() -> None:
    """Move what matches with other settings than the game's own have added to the sums of their own leaderboards."""
    bound = op.get_bind()
    if bound.dialect.name == "postgresql":  # servers count on after it; they lock these tables in this order
        op.execute("LOCK TABLE matches IN SHARE ROW EXCLUSIVE MODE")
        op.execute("LOCK TABLE seats, pair_scores, ratings, outcomes IN SHARE ROW EXCLUSIVE MODE")
    connection = MigrationConnection(bound)
    after = ""
    while page := connection.rows(COUNTED, (after, BATCH)):
        _regroup(connection, list(_misplaced(page)))
        after = page[-1][0]


def _misplaced(page: Sequence[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the matches, with their leaderboards before and now, that count for another one than their setup means."""
    for match, setup, counted_for in page:
        try:
            board = unpack(f"the setup of match {match}", setup, Setup).leaderboard
        except Unreadable:
            continue
        if board != counted_for:
            yield match, counted_for, board


def _regroup(connection: "MigrationConnection", found: Sequence[tuple[str, str, str]]) -> None:
    removed, added, moved = [], [], []
    for match, before, board in found:
        [(record, archived_at)] = connection.rows(RECORD, (match,))
        try:
            removed.append(added_by(match, record, before, is_archived=archived_at is not None))
        except Unreadable:  # it stays where it was counted
            continue
        added.append(removed[-1]._replace(game=board))
        moved.append((board, match))
    if moved:
        recount(connection, [match for _, match in moved], lambda: connection.change(MOVE, moved), removed, added)


class MigrationConnection:
    """The plain connection within a migration's transaction, for what a migration shares with the store."""

    kind: Kind
    committing = False

    def __init__(self, bound: sa.Connection) -> None:
        self._bound = bound
        self._sqlite = bound.dialect.name == "sqlite"
        self.kind = "sqlite" if self._sqlite else "postgresql"

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[Any]:
        return list(self._bound.exec_driver_sql(self._text(sql), tuple(parameters)))

    def change(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        for line in lines:
            self._bound.exec_driver_sql(self._text(sql), tuple(line))

    change_bulk = change

    def begin(self) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def close(self) -> None: ...

    def lost(self, error: BaseException) -> bool:
        del error
        return False

    def list_(self, values: Iterable[str]) -> Any:
        return json.dumps(list(values)) if self._sqlite else list(values)

    def from_moment(self, value: datetime) -> Any:
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds") if self._sqlite else value

    def to_moment(self, value: Any) -> datetime:
        return datetime.fromisoformat(value).replace(tzinfo=UTC) if self._sqlite else value.astimezone(UTC)

    def _text(self, sql: Sql) -> str:
        return sql.sqlite if self._sqlite else sql.postgresql
