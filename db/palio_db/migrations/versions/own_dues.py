"""Students' own due dates, and what programs said of faults in a course's matches. An older Palio reads neither."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0017"
down_revision = "0016"
expands = True
rewrites = ()


def upgrade() -> None:
    op.create_table(
        "own_due_dates",
        sa.Column("student", sa.Integer, nullable=False),
        sa.Column("assignment", Key, nullable=False),
        sa.Column("due", UtcDateTime, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("student", "assignment", name="pk_own_due_dates"),
        sa.ForeignKeyConstraint(["student"], ["students.number"], name="fk_own_due_dates_student_students"),
    )
    op.create_table(
        "fault_texts",
        sa.Column("match", Key, nullable=False),
        sa.Column("submission", Key, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match", "submission", name="pk_fault_texts"),
        sa.ForeignKeyConstraint(["submission"], ["submissions.id"], name="fk_fault_texts_submission_submissions"),
    )
    op.create_index("ix_fault_texts_submission", "fault_texts", ["submission"])
