"""What one bot may use up. Frozen values, and how people write them."""

import re
from dataclasses import dataclass

from palio_rules.errors import BadOption, quoted

MIB, GIB = 2**20, 2**30
_SIZE = re.compile(r"(\d{1,12})([KMG]?)", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": MIB, "G": GIB}
LEAST_MEMORY = 32 * MIB  # Python and the library for bots alone take two thirds of it
LEAST_PROCESSES = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes. All of a bot's processes share `memory`, `processes` and `scratch`; `files` is for each."""

    memory: int = GIB
    processes: int = 32  # threads count, too
    files: int = 256  # open at once
    scratch: int = 64 * MIB  # in its own folder; no file is longer
    entries: int = 10_000  # files and folders there
    cores: int = 1  # for threads that compute at once, while the server awaits an answer

    def __post_init__(self) -> None:
        if self.memory < LEAST_MEMORY:
            least = f"a bot needs {size_text(LEAST_MEMORY)} at least"
            raise BadOption(f"memory {size_text(self.memory)} is too little: {least}")
        if self.processes < LEAST_PROCESSES:
            raise BadOption(f"processes {self.processes} are too few: a bot needs {LEAST_PROCESSES} at least")
        if self.cores < 1:
            raise BadOption(f"cores {self.cores} are too few: a bot needs 1 at least")

    def __str__(self) -> str:
        sizes = f"memory {size_text(self.memory)}, processes {self.processes}"
        return f"{sizes}, open files {self.files}, scratch {size_text(self.scratch)}"


def parse_size(text: str) -> int:
    """`1G`, `512M`, `64K` or bytes. Raises BadOption.

    >>> parse_size("1G"), parse_size("512m")
    (1073741824, 536870912)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise BadOption(f"{quoted(text)} is no size; write a number and K, M or G, as in 512M")
    return int(found[1]) * _UNITS[found[2].upper()]


def size_text(size: int) -> str:
    """The shortest exact spelling.

    >>> size_text(2**30), size_text(1536 * 2**20), size_text(1000)
    ('1G', '1536M', '1000')
    """
    for unit in ("G", "M", "K"):
        if size and size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return str(size)
