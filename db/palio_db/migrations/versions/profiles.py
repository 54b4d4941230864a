"""What is known of each bot beyond its results, matches that are not rated, and secrets of the server's own."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "profiles",
        sa.Column("bot", Key, primary_key=True),
        sa.Column("about", sa.Text, server_default="", nullable=False),
        sa.Column("builds", sa.Text, server_default="[]", nullable=False),
        sa.Column("first_seen", UtcDateTime),
        sa.Column("last_seen", UtcDateTime),
    )
    op.create_table(
        "secrets", sa.Column("name", Key, primary_key=True), sa.Column("value", sa.LargeBinary, nullable=False)
    )
    op.add_column("matches", sa.Column("rated", sa.Boolean, server_default=sa.true(), nullable=False))
