"""Bans, former names of bots, and the addresses that played; the audit can lose an address. An older Palio goes on."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import KEPT, Key, UtcDateTime

revision = "0018"
down_revision = "0017"
expands = True
rewrites = ("seats",)  # they are read for the index


def upgrade() -> None:
    op.create_table(
        "bans",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", Key, nullable=False),
        sa.Column("value", Key, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("until", UtcDateTime),
        sa.UniqueConstraint("kind", "value"),
    )
    op.create_table(
        "former_names",
        sa.Column("key", Key, primary_key=True),
        sa.Column("name", Key, nullable=False),
        sa.Column("successor", Key, nullable=False),
        sa.Column("erased_at", UtcDateTime),
    )
    op.add_column("seats", sa.Column("address", Key))
    known = sa.text("address IS NOT NULL")
    op.create_index("ix_seats_address", "seats", ["address"], sqlite_where=known, postgresql_where=known)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER audit_kept_update")
    else:
        op.execute("DROP TRIGGER audit_kept ON audit")
        op.execute("DROP TRIGGER IF EXISTS audit_kept_update ON audit")
    for each in KEPT:
        if each.dialect == op.get_bind().dialect.name and each.renewed:
            op.execute(each.statement)
