"""The entrants of a command line: each bot gets a unique name that describes it."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Self

from palio_rules.contract import engine_specs, llm_specs
from palio_rules.contract.names import is_name, like_name, no_name
from palio_rules.errors import BadOption, quoted
from palio_rules.plain_text import given

ON_NETWORK = "@network"
NAMED = re.compile(r"([^:/=\s]+)=(.+)", re.DOTALL)  # no colon and no slash: in a spec, `=` comes after one of them
_BLANKS_IN_NAME = re.compile(r"([^:/=]*\s[^:/=]*)=.+", re.DOTALL)
_COURSEWORK = re.compile(r"[^:]+:(?P<file>.+?)(?::(?P<settings>[^:/\\]*=[^:]*))?")  # the part after `handout:`


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament: its name there, and the SPEC for `palio join`."""

    name: str
    spec: str
    network: bool = False  # its program may use the network, for instance to ask a language model
    folder: str = ""  # where its program is started; "": the current folder
    first_game: str = ""  # with its settings, for the check of an engine; "": it is not checked before it joins

    @classmethod
    def read(cls, name: str, text: str) -> Self:
        """Return a bot from its SPEC, which may end in `@network`; if a file of that very name exists, it is the file.

        >>> Entrant.read("mine", "./mine.py@network")
        Entrant(name='mine', spec='./mine.py', network=True)
        """
        spec = given(text, "the bot").removesuffix(ON_NETWORK)
        if spec == text or os.path.exists(text):  # noqa: PTH110  # which knows that no file has a name of 5,000 letters
            return cls(name, text)
        return cls(name, spec, network=True)

    @property
    def text(self) -> str:
        """The text that `read` reads."""
        return self.spec + (ON_NETWORK if self.network else "")

    @property
    def is_program(self) -> bool:
        """True if it plays in processes of its own, one a match, to which `palio join` talks by pipes."""
        return self.spec.partition(":")[0] in ("exec", *engine_specs.SCHEMES)

    @property
    def is_engine(self) -> bool:
        """True if it speaks the language of engines."""
        return self.spec.partition(":")[0] in engine_specs.SCHEMES

    @property
    def ponders(self) -> bool:
        """True if it is an engine that thinks on its opponent's time."""
        scheme, _, rest = self.spec.partition(":")
        if not self.is_engine:
            return False
        ponder = f"{engine_specs.OPTION}ponder=true"
        return any(setting.casefold() == ponder for setting in engine_specs.parts_of(scheme, rest)[1])


def entrants(texts: Sequence[str]) -> list[Entrant]:
    """Read `SPEC` or `name=SPEC`; without a name the spec gives it, and repeated ones are numbered. Raises BadOption.

    `SPEC@network` lets the bot's program use the network.

    >>> [entrant.name for entrant in entrants(["random", "random", "alpha_beta:depth=2", "best=./mine.py"])]
    ['random', 'random-2', 'alpha_beta-depth2', 'best']
    """
    found: list[Entrant] = []
    taken: set[str] = set()
    for text in texts:
        given(text, "the bot")
        named = NAMED.fullmatch(text)
        if blanks := _BLANKS_IN_NAME.fullmatch(text):
            raise BadOption(no_name(blanks[1]))
        spec = named[2] if named else text
        if spec.startswith(f"{llm_specs.SCHEME}:"):
            llm_specs.check_no_secret(spec.partition(":")[2])  # before it is shown or saved
        name = named[1] if named else _name_of(Entrant.read("", text).spec)
        if named and (name in taken or not is_name(name)):
            twice = f"two bots are called {quoted(name)}; give one of them another name"
            raise BadOption(twice if name in taken else no_name(name))
        base, numbers = name, count(2)
        while name in taken:
            name = f"{base[:37]}-{next(numbers)}"
        taken.add(name)
        found.append(Entrant.read(name, spec))
    return found


def _name_of(spec: str) -> str:
    """Return a name for the bot behind `spec`, settings included: another depth is another player, with
    its own rating.
    """
    kind, colon, rest = spec.partition(":")
    if kind == "policy" and rest:
        kind, colon, rest = rest.partition(":")
    if kind == "handout" and (found := _COURSEWORK.fullmatch(rest)):
        file = Path(found["file"])
        text = "-".join(part for part in (file.parent.name, file.stem, found["settings"]) if part)
    elif kind == llm_specs.SCHEME and colon:
        text = llm_specs.name_of(rest) or kind  # without a model `palio join` reports what is missing
    elif kind in engine_specs.SCHEMES and colon:
        argv, _ = engine_specs.parts_of(kind, rest)
        text = Path(argv[0]).stem if argv else ""
    elif kind == "exec" and colon:
        text = Path(rest.split()[0]).stem if rest.split() else ""
    elif "/" in kind or kind.endswith(".py"):
        text = Path(kind).stem + (f"-{rest}" if rest else "")
    else:
        text = f"{kind}-{rest}" if rest else kind
    name = like_name(text.replace("=", ""))
    if not name:
        raise BadOption(f"{quoted(spec)} gives no name; write NAME=SPEC")
    return name
