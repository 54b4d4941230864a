"""Why the store says no. Each is one sentence that names the database (its password masked) and the remedy."""


class StoreError(ValueError):
    """What was asked of the store cannot be done."""


class Unavailable(StoreError):
    """The database cannot be reached, read or written now: asking again later may help."""


class ReadOnly(Unavailable):
    """The database can be read, and takes nothing that is written."""


class FileLost(Unavailable):
    """The file was deleted, moved or overwritten while it was open: what is written to it would be gone."""


class WrongDatabase(StoreError):
    """Not a database of Palio, or one of a newer Palio."""


class Damaged(WrongDatabase):
    """The file is not as its database has left it."""


class LeaseLost(StoreError):
    """A write under a claim that is no longer ours: the match went to another worker, or is over. Stop playing it."""


class NameTaken(StoreError):
    """The name is in use; names that differ only in case count as the same."""


class AlreadyPlanned(StoreError):
    """Somebody else has planned an encounter under this number: read the event again."""


class Unreadable(StoreError):
    """Something in the database is damaged, or of another Palio; `what` says it without the remedy."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; run palio verify")
        self.what = what


class NotFound(StoreError):
    """There is no such bot, token, tournament or match."""


class Expired(StoreError):
    """The token was good until a moment that has passed."""
