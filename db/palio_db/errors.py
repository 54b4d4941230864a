"""The errors of the store. Each is one sentence that names the database (its password masked) and the remedy."""


class StoreError(ValueError):
    """The request cannot be done by the store."""


class Unavailable(StoreError):
    """The database cannot be reached, read or written now: a retry later may succeed."""


class ReadOnly(Unavailable):
    """The database can be read but not written."""


class FileLost(Unavailable):
    """The file was deleted, moved or overwritten while it was open: new writes would be lost."""


class WrongDatabase(StoreError):
    """Not a database of Palio, or one of a newer Palio."""


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


class Expired(StoreError):
    """The token has expired."""
