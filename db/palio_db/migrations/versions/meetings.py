"""The table of which bots met in which matches, kept by triggers. An older Palio is not affected."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key
from palio_db.meetings import FILL_ALL, TRIGGERS

revision = "0014"
down_revision = "0013"
expands = True
rewrites = ("seats",)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        # Servers write matches before seats, and a later migration changes matches: in another order, both could wait
        # for each other.
        op.execute("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
    op.create_table(
        "meetings",
        *(sa.Column(name, Key, primary_key=True) for name in ("first", "second", "game", "match")),
        sa.CheckConstraint("first < second", name="order"),
        sqlite_with_rowid=False,
    )
    for statement in TRIGGERS[op.get_bind().dialect.name]:  # first, because servers schedule on when this is over
        op.execute(statement)
    op.execute(FILL_ALL)
