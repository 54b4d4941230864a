"""Checks as JSON, as the store keeps them: fractions are texts, as "15/2"."""

from fractions import Fraction
from typing import Any

import msgspec

from palio_db.errors import Unreadable
from palio_server.courses.values import Checked


def encode_checked(checked: Checked) -> bytes:
    """Return the JSON of a check."""
    return msgspec.json.encode(checked, enc_hook=str)


def decode_checked(body: bytes) -> Checked:
    """Read what `encode_checked` wrote. Raises Unreadable."""
    try:
        return msgspec.json.decode(body, type=Checked, dec_hook=_fraction)
    except (msgspec.DecodeError, ValueError, ZeroDivisionError) as error:
        raise Unreadable(f"a check in the database cannot be read: {str(error)[:300]}") from None


def _fraction(kind: type, value: Any) -> Any:
    if kind is Fraction and isinstance(value, str):
        return Fraction(value)
    raise NotImplementedError(f"{kind} is not part of a check")
