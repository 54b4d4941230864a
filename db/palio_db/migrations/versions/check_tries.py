"""A column that counts how often the check of a submission was begun. An older Palio does not count."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
expands = True
rewrites = ()


def upgrade() -> None:
    op.add_column("submission_checks", sa.Column("tries", sa.Integer, server_default="0", nullable=False))
