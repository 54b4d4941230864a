"""The entrants of a command line: each bot gets a unique name that describes it."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Self

from palio_rules.contract import engine_specs, llm_specs
from palio_rules.contract.bot_names import name_of
from palio_rules.contract.names import is_name, no_name, with_digest
from palio_rules.errors import BadOption, quoted
from palio_rules.plain_text import given

ON_NETWORK = "@network"
NAMED = re.compile(r"([^:/=\s]+)=(.+)", re.DOTALL)  # no colon and no slash: in a spec, `=` comes after one of them
_BLANKS_IN_NAME = re.compile(r"([^:/=]*\s[^:/=]*)=.+", re.DOTALL)


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
    """Read `SPEC` or `NAME=SPEC`; without a name the spec gives it. Raises BadOption.

    Where two specs give one name, that of the file's folder comes before it, or a digest of the spec after it: in any
    order each has its own. The same spec again is numbered. `SPEC@network` lets the bot's program use the
    network.

    >>> [entrant.name for entrant in entrants(["random", "random", "alpha_beta:depth=2", "best=./mine.py"])]
    ['random', 'random-2', 'alpha_beta-depth2', 'best']
    >>> [entrant.name for entrant in entrants(["./mine.py", "old/mine.py"])]
    ['mine', 'old-mine']
    """
    read = [_named(text) for text in texts]
    usual = _distinct(list(dict.fromkeys(spec for name, spec in read if not name)))
    names = [*(name for name, _ in read if name), *usual.values()]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadOption(f"two bots are called {quoted(twice)}; give one of them another name")
    found: dict[str, Entrant] = {}
    for name, spec in read:
        own = name or usual[spec]
        numbered = (f"{own}-{number}" for number in count(2))
        own = next(each for each in chain([own], numbered) if each not in found)
        found[own] = Entrant.read(own, spec)
    return [*found.values()]


def _named(text: str) -> tuple[str, str]:
    """Return the name, "" if none is given, and the SPEC. Raises BadOption."""
    given(text, "the bot")
    named = NAMED.fullmatch(text)
    if blanks := _BLANKS_IN_NAME.fullmatch(text):
        raise BadOption(no_name(blanks[1]))
    name, spec = (named[1], named[2]) if named else ("", text)
    if named and not is_name(name):
        raise BadOption(no_name(name))
    if spec.startswith(f"{llm_specs.SCHEME}:"):
        llm_specs.check_no_secret(spec.partition(":")[2])  # before it is shown or saved
    return name, spec


def _distinct(specs: Sequence[str]) -> dict[str, str]:
    """Return a name of its own for each of these specs, which are all different. Raises BadOption if one gives none."""
    bare = {spec: Entrant.read("", spec).spec for spec in specs}
    names = {spec: name_of(bare[spec]) for spec in specs}
    if nameless := next((spec for spec, name in names.items() if not name), None):
        raise BadOption(f"{quoted(nameless)} gives no name; write NAME=SPEC")
    for spec in _of_one_name(names):
        names[spec] = name_of(bare[spec], folder=True)
    for spec in _of_one_name(names):
        names[spec] = with_digest(names[spec], spec)
    return names


def _of_one_name(names: Mapping[str, str]) -> list[str]:
    """Return the specs whose name another one has, too."""
    used = Counter(names.values())
    return [spec for spec, name in names.items() if used[name] > 1]
