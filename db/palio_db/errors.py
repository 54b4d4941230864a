"""The errors of the store. Each is one sentence that names the database (its password masked) and the remedy."""

from palio_db.values import ArchivePlace


class StoreError(ValueError):
    """The request cannot be done by the store."""


class BadAddress(StoreError):
    """A text that is no address of a database."""


class Unavailable(StoreError):
    """The database cannot be reached, read or written now: a retry later may succeed."""


class ReadOnly(Unavailable):
    """The database can be read but not written."""


class FileLost(Unavailable):
    """The file was deleted, moved or overwritten while it was open: new writes would be lost."""


class WrongDatabase(StoreError):
    """Not a database of Palio, or one of a newer Palio."""


class Outdated(WrongDatabase):
    """The tables are those of an older Palio; `palio migrate` upgrades them."""


class Damaged(WrongDatabase):
    """The file's content is damaged."""


class LeaseLost(StoreError):
    """The claim of this write is no longer held: another worker has the match, or it is over. Stop playing it."""


class NameTaken(StoreError):
    """The name is in use; names that differ only in case count as equal."""


class AlreadyPlanned(StoreError):
    """An encounter of this number exists already: read the event again."""


class Unreadable(StoreError):
    """Data in the database is damaged, or from another Palio; `what` is the message without the remedy."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; run palio verify")
        self.what = what


class NotFound(StoreError):
    """No such bot, token, tournament or match exists."""


class Archived(StoreError):
    """The moves of the match are in an archive's file, no longer in the database."""

    def __init__(self, match: str, place: ArchivePlace) -> None:
        super().__init__(
            f"the moves of match {match} were archived on {place.at:%Y-%m-%d}, in {place.file}; "
            "palio import with that file brings them back"
        )
        self.place = place


class Expired(StoreError):
    """The token has expired."""


class DayLimit(StoreError):
    """The student has handed in as often today as the assignment allows."""
