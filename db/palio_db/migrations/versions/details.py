"""A column for what the rules say of a result: "Black wins by 3.5 points". An older Palio is not affected."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
expands = True
rewrites = ()


def upgrade() -> None:
    op.add_column("matches", sa.Column("detail", sa.Text))
