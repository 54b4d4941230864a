"""PostgreSQL notifies other processes of scheduled matches and changes. An older Palio is not affected."""

from alembic import op

from palio_db.notices import TRIGGERS

revision = "0007"
down_revision = "0006"
expands = True
rewrites = ()


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for statement in TRIGGERS:
            op.execute(statement)
