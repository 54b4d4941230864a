"""Tasks about strangers' files, and their answers: the values between `inspection` and `inspector`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import msgspec

BEGUN = b"+"  # before the answer: what ends the process from here on is due to the files
SHARE = 0.25  # of a similar pair: of the tokens that are not the skeleton's, of one of both


class Block(NamedTuple):
    """Lines of both that are alike, first and last."""

    file: str
    lines: tuple[int, int]
    other_file: str
    other_lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions, by ID. Shares are of the tokens of each that are not in the skeleton, 0 to 1."""

    first: str
    second: str
    shares: tuple[float, float]
    tokens: int  # alike, in the first
    blocks: tuple[Block, ...]

    @property
    def share(self) -> float:
        return max(self.shares)


class Answer(msgspec.Struct, frozen=True, tag=True):
    """An answer of the inspecting process."""


class Refusal(Answer, frozen=True):
    """The files are not accepted; `why` is a sentence for the student."""

    why: str


class Failed(Answer, frozen=True):
    """The task has no answer; `why` follows the name of the files: "take more than 10 s"."""

    why: str


class Taken(Answer, frozen=True):
    files: dict[str, bytes]
    left_out: tuple[str, ...]


class PythonError(Answer, frozen=True):
    """`why` is a sentence, "" if all files are Python."""

    why: str


class Similar(Answer, frozen=True):
    """The similar pairs, and the submissions that could not be compared, each with the reason."""

    pairs: list[Pair]
    left_out: dict[str, str]


class Imports(Answer, frozen=True):
    """The first words of what each file imports, without Python's own."""

    of_files: list[set[str]]


class BotFile(Answer, frozen=True):
    """The bot or game that a Python file seems to define, found without running it."""

    bot: bool = False
    game: str = ""  # that its bot names
    has_game: bool = False
    line_of_games: int = 0  # of the only line that names the games of a bot; 0: there is none, or more than one


AnyAnswer = Refusal | Failed | Taken | PythonError | Similar | Imports | BotFile


class Asked(Protocol):
    """The files that an assignment asks for: names of files, as patterns, and their size together, in bytes."""

    @property
    def name(self) -> str: ...
    @property
    def files(self) -> tuple[str, ...]: ...
    @property
    def optional(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> int: ...


class Task(msgspec.Struct, frozen=True, tag=True):
    """A task of the inspecting process."""


class TakeFiles(Task, frozen=True):
    """Accept files, or an archive of them, for an assignment, see `Asked`."""

    given: Sequence[tuple[str, bytes]]
    name: str
    files: tuple[str, ...]
    optional: tuple[str, ...]
    size: int
    strict: bool


class CheckPython(Task, frozen=True):
    """Find the first file that is not Python."""

    files: Mapping[str, bytes]


class FindSimilar(Task, frozen=True):
    submissions: Mapping[str, Mapping[str, bytes]]
    skeleton: Mapping[str, bytes]
    groups: Mapping[str, str]
    share: float


class FindImports(Task, frozen=True):
    """Find what files import."""

    files: Sequence[bytes]


class ReadBotFile(Task, frozen=True):
    file: bytes


AnyTask = TakeFiles | CheckPython | FindSimilar | FindImports | ReadBotFile
