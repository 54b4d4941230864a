"""Triggers that keep the table `audit` as it was written, whatever program comes: lines can only be added.

Whoever may change the tables themselves can take a trigger off; that is the owner of the database, and nobody else.
"""

from typing import Literal, NamedTuple

SENTENCE = "lines of the audit are never changed or taken off"


class Trigger(NamedTuple):
    dialect: Literal["sqlite", "postgresql"]
    statement: str


_SQLITE = "CREATE TRIGGER audit_kept_{name} BEFORE {act} ON audit {when}BEGIN SELECT RAISE(ABORT, '{sentence}'); END"

KEPT = (
    Trigger("sqlite", _SQLITE.format(name="update", act="UPDATE", when="", sentence=SENTENCE)),
    Trigger("sqlite", _SQLITE.format(name="delete", act="DELETE", when="", sentence=SENTENCE)),
    # INSERT OR REPLACE takes the former line off without a DELETE that a trigger would see.
    Trigger(
        "sqlite",
        _SQLITE.format(
            name="replace", act="INSERT", when="WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id) ", sentence=SENTENCE
        ),
    ),
    Trigger(
        "postgresql",
        "CREATE OR REPLACE FUNCTION audit_kept() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{SENTENCE}'; END $$",
    ),
    Trigger(
        "postgresql",
        "CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_kept()",
    ),
)
