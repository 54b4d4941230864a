"""From here on records are packed, matches may be archived, and outcomes are counted."""

from alembic import op

revision = "0013"
down_revision = "0012"
expands = False  # an older Palio cannot read a packed record, and does not count outcomes
rewrites = ("seats",)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        # Servers count on when this transaction is over. They write matches, seats, outcomes in this order, and later
        # migrations change matches and seats: in another order, both could wait for each other.
        op.execute("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
        op.execute("LOCK TABLE seats, outcomes IN SHARE ROW EXCLUSIVE MODE")
    op.execute("DELETE FROM outcomes")
    op.execute(
        "INSERT INTO outcomes (bot, game, outcome, count) SELECT bot, game, outcome, count(*) FROM seats "
        "WHERE outcome IS NOT NULL GROUP BY bot, game, outcome"
    )
