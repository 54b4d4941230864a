"""Why the store says no. Each is one sentence that names the database (its password masked) and the remedy.

ValueError
└── StoreError           what was asked cannot be done; str() is the sentence that an operator reads
    ├── Unavailable      the database is not there, or not now: asking again later may help
    ├── WrongDatabase    there is a database, but not one that this Palio can use
    ├── LeaseLost        the match belongs to another worker by now; stop playing it
    ├── NameTaken        somebody else has this name
    ├── Unreadable       what is stored here was not written by this Palio, or it is damaged
    └── NotFound         nothing is stored under this name or number
"""


class StoreError(ValueError):
    """What was asked of the store cannot be done."""


class Unavailable(StoreError):
    """The database cannot be reached, read or written now."""


class WrongDatabase(StoreError):
    """Not a database of Palio, or one of a newer Palio."""


class LeaseLost(StoreError):
    """A write under a claim that is no longer ours: the match went to another worker, or is over."""


class NameTaken(StoreError):
    """The name is in use; names that differ only in case count as the same."""


class Unreadable(StoreError):
    """Something in the database is damaged, or of another Palio; `what` says it without the remedy."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; run palio verify")
        self.what = what


class NotFound(StoreError):
    """There is no such bot, token, tournament or match."""
