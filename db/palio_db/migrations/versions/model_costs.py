"""Costs of language models, in the sums of each bot, over plies that reported them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
expands = True
rewrites = ()


def upgrade() -> None:
    for name in ("asked_plies", "tokens_in", "tokens_out", "cost_nano", "latency_ms"):
        op.add_column("ratings", sa.Column(name, sa.BigInteger, server_default="0", nullable=False))
