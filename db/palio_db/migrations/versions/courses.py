"""Courses: students, submissions with their files, checks, overrides, published grades. An older Palio reads none."""

import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0009"
down_revision = "0008"
expands = True
rewrites = ()


def upgrade() -> None:
    _students()
    _submissions()
    op.create_table(
        "submission_checks",
        sa.Column("submission", Key, sa.ForeignKey("submissions.id", name=_key("submission_checks", "submission"))),
        sa.Column("revision", Key),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("body", sa.LargeBinary),
        sa.PrimaryKeyConstraint("submission", "revision", name="pk_submission_checks"),
    )
    op.create_table(
        "grade_overrides",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("student", sa.Integer, nullable=False),
        sa.Column("assignment", Key, nullable=False),
        sa.Column("points", sa.Text),
        sa.Column("late_days", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_grade_overrides"),
        sa.ForeignKeyConstraint(["student"], ["students.number"], name="fk_grade_overrides_student_students"),
    )
    op.create_index("ix_grade_overrides_student_assignment_id", "grade_overrides", ["student", "assignment", "id"])
    op.create_table(
        "published_grades",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("course", Key, nullable=False),
        sa.Column("assignment", Key, nullable=False),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_published_grades"),
    )
    op.create_index("ix_published_grades_course_assignment_id", "published_grades", ["course", "assignment", "id"])


def _students() -> None:
    op.create_table(
        "students",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("course", Key, nullable=False),
        sa.Column("id", Key, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("team", Key, nullable=False),
        sa.Column("pseudonym", Key, nullable=False),
        sa.Column("consent", Key),
        sa.Column("named", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("token", sa.LargeBinary),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("forgotten_at", UtcDateTime),
        sa.Column("columns", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_students"),
        sa.UniqueConstraint("course", "id", name="uq_students_course_id"),
        sa.UniqueConstraint("token", name="uq_students_token"),
    )
    op.create_index("ix_students_course_pseudonym", "students", ["course", "pseudonym"], unique=True)


def _submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", Key, nullable=False),
        sa.Column("student", sa.Integer, nullable=False),
        *(sa.Column(name, Key, nullable=False) for name in ("course", "assignment", "team")),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("clock", sa.Text, nullable=False),
        sa.Column("kept_at", UtcDateTime, nullable=False),
        sa.Column("digest", Key, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.ForeignKeyConstraint(["student"], ["students.number"], name="fk_submissions_student_students"),
    )
    op.create_index("ix_submissions_course_assignment_id", "submissions", ["course", "assignment", "id"])
    op.create_index("ix_submissions_student_assignment_id", "submissions", ["student", "assignment", "id"])
    op.create_table(
        "file_contents",
        sa.Column("digest", Key, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_file_contents"),
    )
    op.create_table(
        "submitted_files",
        sa.Column("submission", Key, sa.ForeignKey("submissions.id", name=_key("submitted_files", "submission"))),
        sa.Column("name", Key),
        sa.Column("content", Key, nullable=False),
        sa.PrimaryKeyConstraint("submission", "name", name="pk_submitted_files"),
        sa.ForeignKeyConstraint(["content"], ["file_contents.digest"], name="fk_submitted_files_content_file_contents"),
    )
    op.create_index("ix_submitted_files_content", "submitted_files", ["content"])
    op.create_table(
        "submission_choices",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column(
            "submission",
            Key,
            sa.ForeignKey("submissions.id", name=_key("submission_choices", "submission")),
            nullable=False,
        ),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_submission_choices"),
    )
    op.create_index("ix_submission_choices_submission", "submission_choices", ["submission"])


def _key(table: str, column: str) -> str:
    return f"fk_{table}_{column}_submissions"
