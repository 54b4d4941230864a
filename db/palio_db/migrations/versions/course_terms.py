"""Tournaments and practice games of courses. An older Palio reads neither."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0010"
down_revision = "0009"
expands = True
rewrites = ()


def upgrade() -> None:
    op.create_table(
        "course_tournaments",
        sa.Column("id", sa.Integer, nullable=False),
        *(sa.Column(name, Key, nullable=False) for name in ("course", "assignment", "kind")),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("worker", Key, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
        sa.Column("tournament", sa.Integer),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_course_tournaments"),
        sa.UniqueConstraint(
            "course", "assignment", "kind", "at", name="uq_course_tournaments_course_assignment_kind_at"
        ),
        sa.ForeignKeyConstraint(
            ["tournament"], ["tournaments.id"], name="fk_course_tournaments_tournament_tournaments"
        ),
    )
    op.create_table(
        "practice_games",
        sa.Column("id", Key, nullable=False),
        sa.Column("student", sa.Integer, nullable=False),
        sa.Column("course", Key, nullable=False),
        sa.Column("assignment", Key, nullable=False),
        sa.Column("classmate", sa.Integer),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("state", Key, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("match", Key),
        sa.Column("submissions", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_practice_games"),
        sa.ForeignKeyConstraint(["student"], ["students.number"], name="fk_practice_games_student_students"),
        sa.ForeignKeyConstraint(["classmate"], ["students.number"], name="fk_practice_games_classmate_students"),
    )
    op.create_index("ix_practice_games_student_assignment_id", "practice_games", ["student", "assignment", "id"])
    op.create_index("ix_practice_games_course_state_id", "practice_games", ["course", "state", "id"])
