"""What all adapters share: a student's module, called by the names that the handout gives."""

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
    """The file is not what the handout asks for; str() is a sentence for its author."""


class Coursework(Bot):
    """A bot that plays what a student's file says.

    One adapter per handout. Its constructor takes the settings of a spec; `choose` returns the move as the student's
    code returned it, in numbers, strings and lists or tuples; the referee says whether it is legal.
    """

    program: ClassVar[bool] = False  # the file is no module but a program, which the adapter runs itself

    setup: Any  # the position in which the match begins; these four are there from `prepare` on
    path: Path  # of the student's file
    handout: Path  # the folder of the handout's modules
    module: ModuleType  # the student's file, unless it is a program

    def read(self, text: Any) -> str:
        """What the `text.Text` of the file tells before it runs: the form of a term that it plays by, or "".

        Raises Unfit if it certainly cannot play.
        """
        return ""

    def seat_played(self, seat: int, move: Any) -> None:
        """A seat has played `move`, perhaps this one: for handouts whose players are told of every move."""

    @property
    def file(self) -> str:
        return name_of(self.path)

    def has(self, name: str) -> bool:
        """Whether the file has a class or function called `name`."""
        return callable(getattr(self.module, name, None))

    def named(self, name: str, wanted: str = "") -> Any:
        """The class or function called `name`. Raises Unfit if there is none; `wanted` is its signature."""
        if not self.has(name):
            raise self.unfit(f"has no {wanted or name}; keep the handout's own names")
        return getattr(self.module, name)

    def method(self, player: Any, name: str, wanted: str) -> Any:
        """The method `name` of what the file has made. Raises Unfit if there is none; `wanted` is its signature."""
        found = getattr(player, name, None)
        if not callable(found):
            raise Unfit(f"{type(player).__name__} of {self.file} has no {wanted}; keep the handout's own names")
        return found

    def unfit(self, what: str) -> Unfit:
        """What to raise about a file that lacks something; of a notebook with the cell that should have defined it."""
        failed: list[str] = getattr(self.module, FAILED_CELLS, [])
        return Unfit(f"{self.file} {what}{f' ({failed[0]})' if failed else ''}")

    def given(self, name: str, handout: str) -> Any:
        """What the file calls `name`, or else the module `handout`; the student's own, if one is beside the file."""
        return getattr(self.module if self.has(name) else importlib.import_module(handout), name)

    def see(self, *, value: object = None, depth: int | None = None, nodes: object = None) -> None:
        """Tell the viewers what the student's search found, as far as it is what it should be."""
        score = float(value) if isinstance(value, int | float) and math.isfinite(value) else None
        self.tell(depth=depth, nodes=nodes if type(nodes) is int and nodes >= 0 else None, score=score)


def name_of(path: Path) -> str:
    """What sentences call a student's file: a package by its folder, too, for all of their files are called alike."""
    return "/".join(path.parts[-2:]) if path.name == PACKAGE else path.name


def unpacked(answer: object, asked: str, shape: str) -> Any:
    """A tuple that the handout describes as `shape`. Raises Unfit if `answer` has not so many parts."""
    parts = shape.count(", ") + 1
    if not isinstance(answer, tuple | list) or len(answer) != parts:
        raise Unfit(f"{asked} returned {quoted(answer)}, the handout asks for ({shape})")
    return answer


def plain(value: object) -> Any:
    """Tuples become lists, numpy's numbers and arrays Python's. Raises Unfit for what can be no move of any game."""
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
