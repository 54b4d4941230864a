"""Identities of matches: 16 characters that sort by age, are safe in URLs and topics, and differ across processes."""

import secrets
import threading
import time

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u; sorted, in one case
_RANDOM_BITS = 35  # below 45 bits of milliseconds, which last until the year 3084


class Ids:
    """Makes identities. Within one process each is greater than the one before, even in the same millisecond."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> str:
        with self._lock:
            fresh = time.time_ns() // 1_000_000 << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
            if fresh >> _RANDOM_BITS > self._last >> _RANDOM_BITS:
                self._last = fresh
            else:  # a batch within one millisecond: small steps keep it in order and away from other processes
                self._last += 1 + secrets.randbits(8)
            return _text(self._last)


def _text(number: int) -> str:
    return "".join(ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))
