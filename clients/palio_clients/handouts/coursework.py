"""The base of all adapters: a student's module, called by the names of the handout."""

import importlib
import math
from numbers import Integral, Real
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.failures import PlayerFailed
from palio_rules.errors import quoted
from palio_rules.python_file import PACKAGE

FAILED_CELLS = "__failed_cells__"  # of a notebook's module: a sentence for each


class Unfit(PlayerFailed):
    """A file that does not fit the handout; str() is a sentence for its author."""


class Coursework(Bot):
    """A bot that plays the moves of a student's file.

    One adapter per handout. Its constructor takes the settings of a spec; `choose` returns the move as the student's
    code returned it, in numbers, strings and lists or tuples; the referee decides whether it is legal.
    """

    program: ClassVar[bool] = False  # the file is not a module but a program, which the adapter runs itself

    setup: Any  # the position in which the match begins; these five are set before `prepare`
    path: Path  # of the student's file
    root: Path  # the folder that its SPEC names
    handout: Path  # the folder of the handout's modules
    module: ModuleType  # the student's file, unless it is a program

    def read(self, text: Any) -> str:
        """Return the term's form that the file follows, or "", by its `text.Text`, before it runs.

        Raises Unfit if it certainly cannot play.
        """
        return ""

    def seat_played(self, seat: int, move: Any) -> None:
        """Handle a `move` of any seat, this one included: for handouts whose players get every move."""

    @property
    def file(self) -> str:
        return name_of(self.path)

    def has(self, name: str) -> bool:
        """Return whether the file has a class or function called `name`."""
        return callable(getattr(self.module, name, None))

    def named(self, name: str, wanted: str = "") -> Any:
        """Return the class or function called `name`. Raises Unfit if there is none; `wanted` is its signature."""
        if not self.has(name):
            raise self.unfit(f"has no {wanted or name}; keep the handout's own names")
        return getattr(self.module, name)

    def method(self, player: Any, name: str, wanted: str) -> Any:
        """Return the method `name` of the student's object.

        Raises Unfit if there is none; `wanted` is its signature.
        """
        found = getattr(player, name, None)
        if not callable(found):
            raise Unfit(f"{type(player).__name__} of {self.file} has no {wanted}; keep the handout's own names")
        return found

    def unfit(self, what: str) -> Unfit:
        """Return the error about a file that lacks something; for a notebook with the cell at fault."""
        failed: list[str] = getattr(self.module, FAILED_CELLS, [])
        return Unfit(f"{self.file} {what}{f' ({failed[0]})' if failed else ''}")

    def given(self, name: str, handout: str) -> Any:
        """Return the file's `name`, or else the module `handout`; the student's own, if one is beside the file."""
        return getattr(self.module if self.has(name) else importlib.import_module(handout), name)

    def report(self, *, value: object = None, depth: int | None = None, nodes: object = None) -> None:
        """Report the student's search results to viewers, if they have the right types."""
        score = float(value) if isinstance(value, int | float) and math.isfinite(value) else None
        self.tell(depth=depth, nodes=nodes if type(nodes) is int and nodes >= 0 else None, score=score)


def name_of(path: Path) -> str:
    """Return a student file's name for sentences: a package with its folder, because its files have common names."""
    return "/".join(path.parts[-2:]) if path.name == PACKAGE else path.name


def unpacked(answer: object, asked: str, shape: str) -> Any:
    """Unpack a tuple that the handout describes as `shape`. Raises Unfit if `answer` has another number of parts."""
    parts = shape.count(", ") + 1
    if not isinstance(answer, tuple | list) or len(answer) != parts:
        raise Unfit(f"{asked} returned {quoted(answer)}, the handout asks for ({shape})")
    return answer


def plain(value: object) -> Any:
    """Convert tuples to lists, numpy's numbers and arrays to Python's. Raises Unfit for values that no game accepts."""
    match value:
        case None | bool() | str():
            return value
        case Integral():
            return int(value)
        case Real():
            return float(value)
        case list() | tuple():
            return [plain(part) for part in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    raise Unfit(f"the file returned {quoted(value)} for a move, which is none in any game")
