"""How a command loads a library of many modules."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Import within this context: nobody looks for garbage meanwhile, nor in what was imported ever after.

    There is none, and to look for it takes a tenth of the time that SQLAlchemy needs to be imported.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
