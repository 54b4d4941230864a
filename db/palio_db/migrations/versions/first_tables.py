"""The first tables: bots and tokens, tournaments, matches with their journal, scores and ratings."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0001"
expands = False
rewrites = ()
down_revision: str | None = None


def upgrade() -> None:
    _who()
    _events()
    _matches()
    _scores()


def _who() -> None:
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", Key, nullable=False),
        sa.Column("key", Key, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("revoked_at", UtcDateTime),
        sa.UniqueConstraint("key", name="uq_bots_key"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("bot", sa.Integer, sa.ForeignKey("bots.id", name="fk_tokens_bot_bots", ondelete="CASCADE")),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("revoked_at", UtcDateTime),
        sa.UniqueConstraint("hash", name="uq_tokens_hash"),
    )
    op.create_index("ix_tokens_bot", "tokens", ["bot"])


def _events() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("game", Key, nullable=False),
        sa.Column("settings", sa.LargeBinary, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id", name="fk_entries_tournament_tournaments", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("bot", Key, nullable=False),
        sa.UniqueConstraint("tournament", "bot", name="uq_entries_tournament_bot"),
    )


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", Key, primary_key=True),
        sa.Column("game", Key, nullable=False),
        sa.Column("status", Key, nullable=False),
        sa.Column("seat0", Key, nullable=False),
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id", name="fk_matches_tournament_tournaments")),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("started_at", UtcDateTime),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("worker", sa.Text),
        sa.Column("lease_until", sa.Double),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("termination", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("plies", sa.Integer),
        sa.Column("setup", sa.LargeBinary, nullable=False),
        sa.Column("record", sa.LargeBinary),
        sa.CheckConstraint("status IN ('scheduled', 'running', 'finished', 'aborted')", name=op.f("ck_matches_status")),
        sa.CheckConstraint("(status = 'finished') = (record IS NOT NULL)", name=op.f("ck_matches_record")),
    )
    op.create_index("ix_matches_status_id_seat0_game", "matches", ["status", "id", "seat0", "game"])
    op.create_index("ix_matches_game_id", "matches", ["game", "id"])
    op.create_index("ix_matches_tournament_status_id", "matches", ["tournament", "status", "id"])
    op.create_table(
        "seats",
        sa.Column("match", Key, _match("seats"), primary_key=True),
        sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("bot", Key, nullable=False),
        sa.Column("score", sa.Double),
        sa.UniqueConstraint("bot", "match", name="uq_seats_bot_match"),
    )
    op.create_table(
        "journal",
        sa.Column("match", Key, _match("journal"), primary_key=True),
        sa.Column("kind", Key, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.CheckConstraint("kind IN ('ply', 'refusal')", name=op.f("ck_journal_kind")),
    )


def _match(table: str) -> sa.ForeignKey:
    return sa.ForeignKey("matches.id", name=f"fk_{table}_match_matches", ondelete="CASCADE")


def _scores() -> None:
    op.create_table(
        "pair_scores",
        sa.Column("game", Key, primary_key=True),
        sa.Column("first", Key, primary_key=True),
        sa.Column("second", Key, primary_key=True),
        sa.Column("wins", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.Column("losses", sa.Integer, nullable=False),
        sa.CheckConstraint("first < second", name=op.f("ck_pair_scores_order")),
    )
    op.create_table(
        "ratings",
        sa.Column("game", Key, primary_key=True),
        sa.Column("bot", Key, primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("error", sa.Double, nullable=False),
        sa.Column("provisional", sa.Boolean, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("wins", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.Column("losses", sa.Integer, nullable=False),
        sa.Column("points", sa.Double, nullable=False),
        sa.Column("illegal_moves", sa.Integer, nullable=False),
        sa.Column("time_losses", sa.Integer, nullable=False),
        sa.Column("think_ms", sa.BigInteger, nullable=False),
        sa.Column("plies", sa.BigInteger, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
    )
    op.create_index("ix_ratings_leaders", "ratings", ["game", sa.text("rating DESC"), "bot"])
