"""Profiles of bots, the outcome of each match for each bot, unrated matches, secrets."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0005"
down_revision = "0004"
expands = False
rewrites = ("matches", "seats")

# For earlier matches, the bot at fault is derived from the scores: the one with fewer points than all others.
OUTCOMES = """
    UPDATE seats SET game = (SELECT m.game FROM matches m WHERE m.id = seats.match), outcome = (
        SELECT CASE
            WHEN m.termination = 'adjudicated' THEN 'adjudicated'
            WHEN count(o.seat) = 0 THEN 'played'
            WHEN seats.score > max(o.score) THEN 'won'
            WHEN m.termination <> 'rule' AND seats.score < min(o.score) THEN m.termination
            WHEN seats.score = max(o.score) THEN 'drawn'
            ELSE 'lost' END
        FROM matches m LEFT JOIN seats o ON o.match = m.id AND o.seat <> seats.seat
        WHERE m.id = seats.match GROUP BY m.termination
    )
    WHERE score IS NOT NULL AND match IN (SELECT id FROM matches WHERE status = 'finished')
"""


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
    op.add_column("seats", sa.Column("game", Key, server_default="", nullable=False))
    op.add_column("seats", sa.Column("outcome", Key))
    op.execute(OUTCOMES)
    _index("ix_seats_outcomes", "seats", ["bot", "game", "match", "outcome"], "outcome IS NOT NULL")
    _index("ix_matches_faults", "matches", ["termination", "id"], "termination <> 'rule'")
    op.create_index("ix_pair_scores_game_second", "pair_scores", ["game", "second"])
    op.create_index("ix_ratings_bot", "ratings", ["bot"])


def _index(name: str, table: str, columns: list[str], condition: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(condition), postgresql_where=sa.text(condition))
