"""The interval of Python's garbage collector while a server runs.

Reference counting frees nearly all objects of a match at once; what is left are a few cycles. To find them Python walks
through all objects, and nothing else happens meanwhile: with 2,500 matches in progress that took 0.4 s, every few
seconds, because it collects whenever the number of objects has grown by a quarter. Bots with a turn to answer meanwhile
lost that time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

ALL = 5000  # collections of younger objects before one of all: minutes, however busy the server is


@contextmanager
def infrequent_collection() -> Iterator[None]:
    """Collect all objects rarely within the context, and those that exist now never."""
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], ALL)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
