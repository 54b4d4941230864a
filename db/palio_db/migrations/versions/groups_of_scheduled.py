"""Groups of scheduled matches: the bots beside the first one, and indexes of what waits to be played."""

import msgspec
import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key

revision = "0003"
down_revision = "0002"
expands = False
rewrites = ("matches",)

WAITING = sa.text(
    "SELECT matches.id, seats.bot FROM matches JOIN seats ON seats.match = matches.id "
    "WHERE matches.status IN ('scheduled', 'running') AND seats.seat > 0 ORDER BY matches.id, seats.seat"
)


def upgrade() -> None:
    op.add_column("matches", sa.Column("others", Key, server_default="", nullable=False))
    _fill()
    op.drop_index("ix_matches_status_id_seat0_game", "matches")
    op.create_index("ix_matches_status_id", "matches", ["status", "id"])
    _index("ix_matches_scheduled", ["game", "seat0", "others", "id"])
    _index("ix_matches_scheduled_tournament", ["tournament", "game", "seat0", "others", "id"])


def _fill() -> None:
    """Fill the column for scheduled matches only: it is never read for finished ones."""
    connection = op.get_bind()
    others: dict[str, list[str]] = {}
    for match, bot in connection.execute(WAITING):
        others.setdefault(match, []).append(bot)
    if others:
        lines = [{"match": match, "others": msgspec.json.encode(bots).decode()} for match, bots in others.items()]
        connection.execute(sa.text("UPDATE matches SET others = :others WHERE id = :match"), lines)


def _index(name: str, columns: list[str]) -> None:
    condition = sa.text("status = 'scheduled'")
    op.create_index(name, "matches", columns, sqlite_where=condition, postgresql_where=condition)
