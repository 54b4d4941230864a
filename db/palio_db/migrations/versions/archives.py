"""Matches whose moves are in an archive's file, and counts of each bot's outcomes."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0012"
down_revision = "0011"
expands = True
rewrites = ()


def upgrade() -> None:
    op.add_column("matches", sa.Column("archived_at", UtcDateTime))
    op.add_column("matches", sa.Column("archive", sa.Text))
    op.create_table(
        "outcomes",
        *(sa.Column(name, Key, primary_key=True) for name in ("bot", "game", "outcome")),
        sa.Column("count", sa.Integer, nullable=False),
    )
