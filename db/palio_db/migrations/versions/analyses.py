"""Analyses of finished matches."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0002"
down_revision = "0001"
expands = False
rewrites = ()


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column(
            "match",
            Key,
            sa.ForeignKey("matches.id", name="fk_analyses_match_matches", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
