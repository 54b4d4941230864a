"""The bot of a SPEC: a shipped name, a file, a module's class, or any program that speaks JSON lines.

random                          a bot that is installed under this name (entry-point group `palio.bots`)
alpha_beta:depth=4,seed=7       with settings
./mine.py                       the one Bot class in a file
./mine.py:Mine:depth=3          one of several, with settings
my_package.bots:Mine            a class of an importable module
exec:./engine --flags           a program, see `palio_clients.sdk.stdio`
policy:./trained.py:Policy      a policy trained on the environments, see `palio_clients.addons.policies`
handout:dominoes:./hw4.py       a file that was written for a course, see `palio_clients.handouts`
uci:./engine,option.Hash=64     an engine that speaks UCI, UGI with `ugi:`, GTP with `gtp:`; `palio_clients.engines`
llm:http://HOST/v1,model=NAME   a language model behind an endpoint, see `palio_clients.addons.llm`

The last five begin with a **scheme**: a name in the entry-point group `palio.bot_schemes`. Its function takes the text
after the colon and returns an `Entrant`, or raises BadBot with the remedy. A package with another kind of bot registers
its own scheme.
"""

import importlib
import inspect
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from palio_clients.sdk.bot import Bot, MoveT, StateT, games_of, maker
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.player import BotPlayer, Player, Report
from palio_rules import registry
from palio_rules.contract.bot_names import name_of
from palio_rules.contract.messages import Omission
from palio_rules.contract.names import is_name, no_name
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.game import Game
from palio_rules.interpreter import append_working_directory
from palio_rules.plain_text import given_path
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
    strict: bool = False  # its first rejected move loses, as other programs referee engines
    about: str = ""  # its author's line
    notes: tuple[str, ...] = ()  # decisions made on loading, for people who want to check them
    staying: Callable[[], AbstractAsyncContextManager[Make]] | None = None  # see `stay`
    staying_for: Callable[[str], AbstractAsyncContextManager[Make]] | None = None  # see `checked_for`
    warm_up: Callable[[Game[Any, Any]], None] | None = None  # see `Bot.warm_up`; None: nothing has to be compiled
    checks: Callable[[str, float, Callable[[str], None]], AsyncGenerator[Any, None]] | None = (
        None  # see `palio check-bot`
    )
    judging: Callable[[Game[Any, Any], Any], AbstractContextManager[Any]] | None = (
        None  # a `Solver` for a match with these options, see `palio analyse --engine`
    )

    def stay(self) -> AbstractAsyncContextManager[Make]:
        """Return a factory of players for many matches, which may share slow start-up work until this context ends."""
        return nullcontext(self.make) if self.staying is None else self.staying()

    def checked_for(self, game: str) -> "Entrant":
        """Return the same bot, which is checked before it joins: can it play `game`, a name with settings?"""
        return self if self.staying_for is None else replace(self, staying=partial(self.staying_for, game))

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
    """Return the entrant of the class `bot`; `make` makes an instance if the class needs arguments.

    Raises BadBot for what is no class of bots, or cannot choose a move.
    """
    if not _is_bot(bot):
        raise BadBot(f"{quoted(bot)} is no class of bots; give the class itself: run(Mine, URL)")
    _check_choose(bot, bot.__name__)
    games = games_of(bot) or registry.games()
    return Entrant(
        name or usual_name(bot.__name__.lower()),
        games,
        lambda report: BotPlayer(make or bot, report, bot),
        without=unused(bot),
        about=bot.about,
        warm_up=None if getattr(bot.warm_up, "__func__", None) is Bot.warm_up.__func__ else bot.warm_up,  # type: ignore[attr-defined]
    )


def unused(bot: type[Bot[StateT, MoveT]]) -> tuple[Omission, ...]:
    """Return what a bot of this class need not be sent: the list of moves, and others' moves if it ignores them."""
    return ("moves", "played") if bot.opponent_moved is Bot.opponent_moved else ("moves",)


def usual_name(spec: str) -> str:
    """Return the name of the bot behind `spec` that was given none."""
    return name_of(spec) or "bot"


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
        known_heads = {entry.name for group in (BOTS, SCHEMES) for entry in entry_points(group=group)}
        if head not in known_heads:
            meant = nearest(head, known_heads)
            raise BadBot(f"{quoted(head)} in {quoted(spec)} is no installed bot and no scheme; {meant}")
        raise BadBot(f"{quoted(class_name)} in {quoted(spec)} is no setting; write key=value, separated by commas")
    else:
        bot = _installed(head)
    try:
        known = dict(Spec.parse(f"{head}:{settings}").settings) if settings else {}
        for game in games_of(bot):
            registry.game(game)
    except BadOption as error:
        raise BadBot(f"{_place(head, bot)}: {error}") from None
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
        path = given_path(path, "the file")
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
            lines = " and ".join(f"{name}{f' in line {line}' if (line := _line(own[name])) else ''}" for name in leaves)
            choices = " or ".join(f"{where}:{name}" for name in leaves)
            raise BadBot(f"{where} has {len(leaves)} bots, {lines}; choose one: {choices}")
        class_name = leaves[0]
    elif class_name not in own:
        raise BadBot(f"{where} has no Bot called {quoted(class_name)}; {nearest(class_name, own)}")
    bot = own[class_name]
    _check_choose(bot, _place(where, bot))
    return bot


def _check_choose(bot: type[Bot], called: str) -> None:
    """Raise BadBot, about the class as it is `called`, unless it has a `choose` that takes a state and a clock."""
    if inspect.isabstract(bot):
        raise BadBot(f"{called} cannot move; give it a method choose(self, state, clock)")
    if (taken := _other_arguments(bot)) is not None:
        raise BadBot(f"{called} has choose{taken}, which is called otherwise: choose(self, state, clock)")


def _other_arguments(bot: type[Bot]) -> str | None:
    """Return the arguments of `choose`, as written, if it cannot be called with a state and a clock; else None."""
    try:
        signature = inspect.signature(bot.choose)
    except (TypeError, ValueError):  # a callable that does not tell
        return None
    own = () if isinstance(inspect.getattr_static(bot, "choose"), staticmethod | classmethod) else (None,)
    try:
        signature.bind(*own, None, None)
    except TypeError:
        return str(signature)
    return None


def _place(where: str, bot: type[Bot]) -> str:
    """Return a class with its file and line: `./mine.py, line 3: Mine`."""
    line = _line(bot)
    return f"{where}{f', line {line}' if line else ''}: {bot.__name__}"


def _line(bot: type[Bot]) -> int:
    """Return the line where a class begins; 0 if it is not known."""
    try:
        return inspect.getsourcelines(bot)[1]
    except (OSError, TypeError):  # a class made at run time, or a file that has changed
        return 0


def _is_bot(value: object) -> TypeGuard[type[Bot]]:
    return isinstance(value, type) and issubclass(value, Bot)


def module_named(head: str) -> ModuleType:
    """Return the module that a spec names, as a file or by its name. Raises BadBot."""
    named_file = head.endswith(".py") or "/" in head or "\\" in head
    return _module_of_file(Path(head)) if named_file else _module(head)
