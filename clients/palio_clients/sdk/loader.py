"""The bot of a SPEC: a shipped name, a file, a module's class, or any program that speaks JSON lines.

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

The last five begin with a **scheme**: a name in the entry-point group `palio.bot_schemes`. Its function takes the text
after the colon and returns an `Entrant`, or raises BadBot with the remedy. A package with another kind of bot registers
its own scheme.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from palio_clients.sdk.bot import Bot, MoveT, StateT, games_of, maker
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.player import BotPlayer, Player, Report
from palio_rules import registry
from palio_rules.contract.messages import Omission
from palio_rules.contract.names import is_name, no_name
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.interpreter import append_working_directory
from palio_rules.python_file import module_of_file, place
from palio_rules.registry import module_loaded
from palio_rules.spec import Spec, file_meant_by

# A bot that can be entered into matches: its default name, its games, and the factory of its players.

Make = Callable[[Report], Player]


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot before any match. `make` makes the player of one match."""

    name: str
    games: tuple[str, ...]
    make: Make
    own_process: bool = False  # all its code runs in another process
    command: tuple[str, ...] = ()  # of a program on stdin and stdout; its players only pass on messages
    without: tuple[Omission, ...] = ()  # messages that its players do not use, and the server need not send
    about: str = ""  # its author's line
    notes: tuple[str, ...] = ()  # decisions made on loading, for people who want to check them
    staying: Callable[[], AbstractAsyncContextManager[Make]] | None = None  # see `stay`

    def stay(self) -> AbstractAsyncContextManager[Make]:
        """Return a factory of players for many matches, which may share slow start-up work until this context ends."""
        return nullcontext(self.make) if self.staying is None else self.staying()

    def named(self, name: str) -> "Entrant":
        """Return the same bot under another name. Raises BadBot if the protocol does not allow that name."""
        if not is_name(name):
            raise BadBot(no_name(name))
        return replace(self, name=name)

    def only(self, games: Sequence[str]) -> "Entrant":
        """Return the same bot for `games`; () keeps all of its own. Raises BadBot if it does not play one."""
        for game in games:
            if game not in self.games:
                raise BadBot(f"{self.name} does not play {game!r}; {nearest(game, self.games)}")
        return replace(self, games=tuple(dict.fromkeys(games)) or self.games)


def entrant_of(
    bot: type[Bot[StateT, MoveT]], make: Callable[[], Bot[StateT, MoveT]] | None = None, name: str = ""
) -> Entrant:
    """Return the entrant of the class `bot`; `make` makes an instance if the class needs arguments."""
    games = games_of(bot) or registry.games()
    return Entrant(
        name or bot.__name__.lower(),
        games,
        lambda report: BotPlayer(make or bot, report, bot),
        without=unused(bot),
        about=bot.about,
    )


def unused(bot: type[Bot[StateT, MoveT]]) -> tuple[Omission, ...]:
    """Return what a bot of this class need not be sent: the list of moves, and others' moves if it ignores them."""
    return ("moves", "played") if bot.opponent_moved is Bot.opponent_moved else ("moves",)


def name_from(text: str) -> str:
    """Return the valid name that is most like `text`, for example a file's name with settings."""
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
    """Return whether `spec` begins with a scheme: then its bot is not a class that `bot_of` finds."""
    head, colon, _ = spec.partition(":")
    return bool(colon and entry_points(group=SCHEMES, name=head))


def bot_of(spec: str) -> tuple[type[Bot], dict[str, str]]:
    """Return the class that `spec` names, and its settings as written there. Raises BadBot, as `load` does."""
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
        for game in games_of(bot):
            registry.game(game)
    except BadOption as error:
        raise BadBot(f"{bot.__name__}: {error}") from None
    return bot, known


def _split(rest: str) -> tuple[str, str]:
    """Split the text after the first colon: a class name, settings, or both."""
    first, colon, more = rest.partition(":")
    if colon:
        return first, more
    return ("", first) if "=" in first else (first, "")


def _installed(name: str) -> type[Bot]:
    entries = {entry.name: entry for entry in entry_points(group=BOTS)}
    if name not in entries:
        meant = "; ".join(filter(None, (nearest(name, entries), file_meant_by(name))))
        raise BadBot(f"no bot called {quoted(name)} is installed; {meant}")
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
        append_working_directory()
        return importlib.import_module(name)
    except Exception as error:
        raise BadBot(f"{name} cannot be imported: {place(error, '')}; is it installed in {sys.prefix}?") from error


def _module_of_file(path: Path) -> ModuleType:
    """Return an author's file as a module; the module of a played game, if that is in the same file."""
    registry.games()  # a game's file is run first, so that the bot imports the same classes from it
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
    """Return the default name of a bot that is a class: with settings, because another depth is another player."""
    head, _, rest = spec.partition(":")
    stem = Path(head).stem if "/" in head or head.endswith(".py") else head
    return name_from("-".join(filter(None, [stem, rest])).replace("=", ""))


def module_named(head: str) -> ModuleType:
    """Return the module that a spec names, as a file or by its name. Raises BadBot."""
    named_file = head.endswith(".py") or "/" in head or "\\" in head
    return _module_of_file(Path(head)) if named_file else _module(head)
