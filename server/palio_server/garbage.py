"""How often Python looks for garbage while a server runs.

Nearly all that a match leaves is freed at once, by counting references; what is left are a few cycles. To find them
Python walks through all objects there are, and nothing else happens meanwhile: with 2,500 matches in progress that took
0.4 s, every few seconds, because it looks whenever a quarter more objects are there. Whoever moved meanwhile paid.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 5000  # new objects before the youngest are looked through; some milliseconds for ten times as many
ALL = 500  # times that the second youngest have been looked through before all are: minutes, however busy it is


@contextmanager
def rarely_collected() -> Iterator[None]:
    """In the context all objects are looked through once in a long while, and those that are there by now never."""
    before = gc.get_threshold()
    gc.set_threshold(YOUNG, before[1], ALL)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
