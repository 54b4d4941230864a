"""The faults of files that a course's staff wrote: all of them at once, each with file, line and remedy."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palio_rules.errors import BadOption


class CourseError(BadOption):
    """Files of a course that cannot be used. `faults` has a sentence for each fault, `str()` a line for each, below the
    number of several.
    """

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        head = [f"{len(self.faults)} faults:"] if len(self.faults) > 1 else []
        super().__init__("\n".join([*head, *self.faults]))


@dataclass(slots=True)
class Faults:
    """A list of faults that grows while files are read."""

    found: list[tuple[str, int, str]] = field(default_factory=list)  # file, line from 1 (0: none), sentence

    def add(self, file: str, line: int, text: str) -> None:
        self.found.append((file, line, text))

    @property
    def sentences(self) -> Sequence[str]:
        """`assignments/dominoes/assignment.toml, line 7: …`, by file and line, each once."""
        return [
            f"{file}, line {line}: {text}" if line else f"{file}: {text}"
            for file, line, text in sorted(dict.fromkeys(self.found), key=lambda each: each[:2])
        ]

    def check(self) -> None:
        """Raise CourseError if there is a fault."""
        if self.found:
            raise CourseError(self.sentences)
