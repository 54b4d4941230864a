"""The server of a soak: an unchanged `palio serve`, which on SIGUSR1 also writes how many tasks its event loop has.

Usage: soak_server.py FILE WORDS...: the number goes into FILE, the words are those after `palio`.
"""

import asyncio
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

from palio_server.cli import main


def tell(file: Path, *_: object) -> None:
    """Write the number of tasks; called by Python between two steps of the loop, in its thread."""
    with suppress(RuntimeError):  # the loop is not running yet, or has ended
        file.write_text(str(len(asyncio.all_tasks())))


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, partial(tell, Path(sys.argv[1])))
    sys.argv = ["palio", *sys.argv[2:]]
    main()
