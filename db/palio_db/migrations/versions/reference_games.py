"""Games of submissions against bots of the staff. An older Palio does not read them."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key

revision = "0011"
down_revision = "0010"
expands = True
rewrites = ()


def upgrade() -> None:
    op.create_table(
        "reference_games",
        sa.Column("submission", Key, nullable=False),
        sa.Column("match", Key, nullable=False),
        sa.Column("revision", Key, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("submission", "match", name="pk_reference_games"),
        sa.ForeignKeyConstraint(["submission"], ["submissions.id"], name="fk_reference_games_submission_submissions"),
    )
