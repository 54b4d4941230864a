"""From a SPEC to a bot: a shipped name, a file, a module's class, or any program that speaks JSON lines.

random                          a bot that is installed under this name (entry-point group `palio.bots`)
alpha_beta:depth=4,seed=7       with settings
./mine.py                       the one Bot class in a file
./mine.py:Mine:depth=3          one of several, with settings
my_package.bots:Mine            a class of an importable module
exec:./engine --flags           a program, see `palio_clients.sdk.stdio`
policy:./trained.py:Policy      a policy trained on the environments, see `palio_clients.addons.policies`
handout:dominoes:./hw4.py       a file that was written for a course, see `palio_clients.handouts`
ugi:./engine --flags            an engine of the Universal Game Interface, see `palio_clients.engines.ugi`
llm:http://HOST/v1,model=NAME   a language model behind an endpoint, see `palio_clients.addons.llm`

The last five begin with a **scheme**: a name in the entry-point group `palio.bot_schemes`. Its function takes what
follows the colon and returns an `Entrant`, or raises BadBot with the remedy. A package that brings another kind of bot
registers a scheme of its own.
"""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from palio_clients.sdk.bot import Bot, MoveT, StateT, maker
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.player import BotPlayer, Player, Report
from palio_rules import registry
from palio_rules.contract.messages import Omission
from palio_rules.contract.names import is_name, no_name
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.interpreter import look_here_last
from palio_rules.python_file import module_of_file, place
from palio_rules.registry import module_loaded
from palio_rules.spec import Spec

# A bot that can be entered into matches: its usual name, the games it plays, and how to make a player.

Make = Callable[[Report], Player]


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot before any match. `make` makes the player of one match."""

    name: str
    games: tuple[str, ...]
    make: Make
    own_process: bool = False  # whatever its code does, it does in another process than ours
    command: tuple[str, ...] = ()  # of a program on stdin and stdout; its players do nothing but pass on messages
    without: tuple[Omission, ...] = ()  # what its players make no use of, and the server need not send
    about: str = ""  # its author's line
    notes: tuple[str, ...] = ()  # what was decided on loading it, for whoever wants to check that
    staying: Callable[[], AbstractAsyncContextManager[Make]] | None = None  # see `stay`

    def stay(self) -> AbstractAsyncContextManager[Make]:
        """What makes players, for many matches: they may share what takes long to start, which ends with this."""
        return nullcontext(self.make) if self.staying is None else self.staying()

    def named(self, name: str) -> "Entrant":
        """The same bot under another name. Raises BadBot if the protocol does not allow that name."""
        if not is_name(name):
            raise BadBot(no_name(name))
        return replace(self, name=name)

    def only(self, games: Sequence[str]) -> "Entrant":
        """The same bot for `games`; for all of its own where none are given. Raises BadBot if it does not play one."""
        for game in games:
            if game not in self.games:
                raise BadBot(f"{self.name} does not play {game!r}; {nearest(game, self.games)}")
        return replace(self, games=tuple(dict.fromkeys(games)) or self.games)


def entrant_of(
    bot: type[Bot[StateT, MoveT]], make: Callable[[], Bot[StateT, MoveT]] | None = None, name: str = ""
) -> Entrant:
    """The entrant that plays as the class `bot`; `make` makes an instance where calling the class alone does not."""
    games = tuple(bot.games) or registry.games()
    return Entrant(
        name or bot.__name__.lower(),
        games,
        lambda report: BotPlayer(make or bot, report, bot),
        without=unused(bot),
        about=bot.about,
    )


def unused(bot: type[Bot[StateT, MoveT]]) -> tuple[Omission, ...]:
    """What a bot of this class need not be sent: it asks its position for moves, and may not care what others play."""
    return ("moves", "played") if bot.opponent_moved is Bot.opponent_moved else ("moves",)


def name_from(text: str) -> str:
    """The name that the protocol allows and that is most like `text`, a file's name with settings, for example."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:40] or "bot"


BOTS, SCHEMES = "palio.bots", "palio.bot_schemes"  # entry-point groups


def load(spec: str) -> Entrant:
    """Load the bot that `spec` names. Raises BadBot: one sentence with the remedy."""
    head, colon, rest = spec.partition(":")
    if colon and (schemes := entry_points(group=SCHEMES, name=head)):
        scheme: Callable[[str], Entrant] = _imported(next(iter(schemes)), f"what reads {head}: specs")
        return scheme(rest)
    bot, known = bot_of(spec)
    return entrant_of(bot, maker(bot, known), usual_name(spec))


def has_scheme(spec: str) -> bool:
    """Whether `spec` begins with a scheme: then its bot is no class of which `bot_of` knows."""
    head, colon, _ = spec.partition(":")
    return bool(colon and entry_points(group=SCHEMES, name=head))


def bot_of(spec: str) -> tuple[type[Bot], dict[str, str]]:
    """The class that `spec` names, and its settings as they are written there. Raises BadBot, as `load` does."""
    head, _, rest = spec.partition(":")
    if not head:
        raise BadBot(f"{quoted(spec)} names no bot; write a name, ./file.py, package.module:Class or exec:./program")
    class_name, settings = _split(rest)
    if head.endswith(".py") or "/" in head or "\\" in head:
        bot = _choose(_module_of_file(Path(head)), class_name, head)
    elif "." in head:
        if not class_name:
            raise BadBot(f"{quoted(spec)} names a module but no class; write {head}:ClassName")
        bot = _choose(_module(head), class_name, head)
    elif class_name:
        raise BadBot(f"{quoted(class_name)} in {quoted(spec)} is no setting; write key=value, separated by commas")
    else:
        bot = _installed(head)
    try:
        known = dict(Spec.parse(f"{head}:{settings}").settings) if settings else {}
        for game in bot.games:
            registry.game(game)
    except BadOption as error:
        raise BadBot(f"{bot.__name__}: {error}") from None
    return bot, known


def _split(rest: str) -> tuple[str, str]:
    """What follows the first colon: a class name, settings, or both."""
    first, colon, more = rest.partition(":")
    if colon:
        return first, more
    return ("", first) if "=" in first else (first, "")


def _installed(name: str) -> type[Bot]:
    entries = {entry.name: entry for entry in entry_points(group=BOTS)}
    if name not in entries:
        hint = f"; for a file write ./{name}.py" if os.path.exists(f"{name}.py") else ""  # noqa: PTH110  # however long
        raise BadBot(f"no bot called {quoted(name)} is installed; {nearest(name, entries)}{hint}")
    found = _imported(entries[name], f"the bot {name!r}")
    if not _is_bot(found):
        raise BadBot(f"what is installed as the bot {name!r} is no subclass of palio_clients.Bot; fix its entry point")
    return found


def _imported(entry: EntryPoint, what: str) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise BadBot(f"{what} cannot be imported: {place(error, '')}") from error


def _module(name: str) -> ModuleType:
    try:
        look_here_last()
        return importlib.import_module(name)
    except Exception as error:
        raise BadBot(f"{name} cannot be imported: {place(error, '')}; is it installed in {sys.prefix}?") from error


def _module_of_file(path: Path) -> ModuleType:
    """An author's file as a module; the one of a game that is played, where that is in the same file."""
    registry.games()  # a game's file is run first: what the bot imports of it are then the classes that are played
    try:
        return module_loaded(path.resolve()) or module_of_file(path, "palio_bot")
    except BadOption as error:
        raise BadBot(str(error)) from error.__cause__


def _choose(module: ModuleType, class_name: str, where: str) -> type[Bot]:
    own = {name: value for name, value in vars(module).items() if _is_bot(value) and value is not Bot}
    if not class_name:
        defined = {name: bot for name, bot in own.items() if bot.__module__ == module.__name__}
        parents = {parent for bot in defined.values() for parent in bot.__mro__[1:]}
        leaves = sorted(name for name, bot in defined.items() if bot not in parents)
        if not leaves:
            raise BadBot(f"{where} has no Bot; write a class with `from palio import Bot` and `class Mine(Bot)`")
        if len(leaves) > 1:
            choices = " or ".join(f"{where}:{name}" for name in leaves)
            raise BadBot(f"{where} has {len(leaves)} bots; choose one: {choices}")
        class_name = leaves[0]
    elif class_name not in own:
        raise BadBot(f"{where} has no Bot called {quoted(class_name)}; {nearest(class_name, own)}")
    bot = own[class_name]
    if inspect.isabstract(bot):
        raise BadBot(f"{bot.__name__} in {where} cannot move; give it a method choose(self, state, clock)")
    return bot


def _is_bot(value: object) -> TypeGuard[type[Bot]]:
    return isinstance(value, type) and issubclass(value, Bot)


def usual_name(spec: str) -> str:
    """The usual name of a bot that is a class: settings included, because another depth is another player."""
    head, _, rest = spec.partition(":")
    stem = Path(head).stem if "/" in head or head.endswith(".py") else head
    return name_from("-".join(filter(None, [stem, rest])).replace("=", ""))


def module_named(head: str) -> ModuleType:
    """The module that a spec names, as a file or by its name. Raises BadBot."""
    named_file = head.endswith(".py") or "/" in head or "\\" in head
    return _module_of_file(Path(head)) if named_file else _module(head)
