"""What the parts of the store have in common."""

from datetime import UTC, datetime

from palio_db.database import Database
from palio_db.ids import Ids


class Part:
    """A part of the store: the methods about one noun. `Store` is all of them together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids = Ids()


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)
