"""An append-only audit log, tokens that expire, void matches, and counters of changes."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import KEPT, Key, UtcDateTime

revision = "0006"
down_revision = "0005"
expands = False
rewrites = ()


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("token", sa.Integer),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("act", Key, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("outcome", Key, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    for each in KEPT:
        if each.dialect == op.get_bind().dialect.name:
            op.execute(each.statement)
    op.create_table(
        "changes", sa.Column("name", Key, primary_key=True), sa.Column("count", sa.BigInteger, nullable=False)
    )
    op.add_column("tokens", sa.Column("expires_at", UtcDateTime))
    op.add_column("matches", sa.Column("voided_at", UtcDateTime))
    op.add_column("matches", sa.Column("voided_by", sa.Text))
    op.add_column("matches", sa.Column("void_reason", sa.Text))
