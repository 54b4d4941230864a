"""How often Python looks for garbage while a server runs.

Nearly all that a match leaves is freed at once, by counting references; what is left are a few cycles. To find them
Python walks through all objects there are, and nothing else happens meanwhile: with 2,500 matches in progress that took
0.4 s, every few seconds, because it looks whenever a quarter more objects are there. Whoever moved meanwhile paid.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

ALL = 5000  # times that the younger objects are looked through before all are: minutes, however busy the server is


@contextmanager
def rarely_collected() -> Iterator[None]:
    """In the context all objects are looked through once in a long while, and those that are there by now never."""
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], ALL)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
