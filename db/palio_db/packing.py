"""Text, moments and JSON on their way into the database: what no database can keep is refused with a sentence."""

from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from palio_db.errors import StoreError, Unreadable

T = TypeVar("T")

MAX_TEXT = 1000  # characters of a name, a note, a reason


def now() -> datetime:
    return datetime.now(UTC)


def checked(what: str, text: str, *, empty: bool = True) -> str:
    """`text` itself. Raises StoreError if it is too long, or has characters that a database cannot keep."""
    if not text and not empty:
        raise StoreError(f"{what} is empty; give it a name")
    if len(text) > MAX_TEXT:
        raise StoreError(f"{what} has {len(text)} characters; at most {MAX_TEXT} can be kept")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise StoreError(f"{what} {text[:40]!r} has characters that no database keeps; write it without them")
    return text


def pack(what: str, value: object) -> bytes:
    """`value` as JSON. Raises StoreError where it has no JSON form."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError) as error:  # ValueError: half a surrogate pair
        raise StoreError(f"{what} cannot be written as JSON: {error}") from None


def unpack(what: str, data: bytes, kind: type[T]) -> T:
    """Read what `pack` wrote. Raises Unreadable if it is something else."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"{what} in the database cannot be read: {str(error)[:300]}") from None
