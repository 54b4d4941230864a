"""From `uci:./engine --flags,option.Hash=64,nodes=1000` to a bot.

`palio_rules.contract.engine_specs` splits the text. What is for us, after a comma or as a word of the command:

option.NAME=VALUE        an option of the engine, set before each match: `option.Move Overhead=50`
nodes=N, go.nodes=N      each search ends there; or depth, movetime. Without it: by the clocks
position=fen             positions as chess players write them; position=startpos: the engine knows this game's first
restart=on               each match has a process of its own; without it the engine stays for the next one
book=FILE, own.book=FILE moves from a Polyglot book (chess); bookdepth=N: N moves of it; bookseed=N: other choices
"""

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import get_args

from palio_clients.checks.subject import CheckResult
from palio_clients.engines import texts
from palio_clients.engines.check import EngineCheck
from palio_clients.engines.first_game import checked
from palio_clients.engines.language import Language
from palio_clients.engines.own_book import DEPTH, OwnBook
from palio_clients.engines.player import LanguagePlayer, Settings
from palio_clients.engines.process import Start, start_engine
from palio_clients.engines.started import StartedEngine
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, Make, usual_name
from palio_clients.sdk.player import Report
from palio_rules import registry
from palio_rules.completing import programs, starting
from palio_rules.contract.engine_specs import BOOKS, GO, LIMITS, OPTION, OWN, POSITION, RESTART, SCHEMES, parts_of
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.interpreter import python

MOST = 2**31
OURS = python("-m", "palio_clients")


def completions(_scheme: str, typed: str) -> list[str]:
    """Complete a spec: the program, its arguments, and the words for us."""
    *before, last = typed.split(" ")
    ahead = "".join(f"{word} " for word in before)
    command, comma, setting = last.rpartition(",")
    if comma:
        writings = (f"{POSITION}{each}" for each in get_args(texts.Writing))
        return starting(
            (OPTION, *(f"{each}=" for each in (*LIMITS, *BOOKS)), *writings, RESTART), setting, f"{ahead}{command},"
        )
    if last.startswith(GO):
        return starting((f"{GO}{limit}=" for limit in LIMITS), last, ahead)
    if last.startswith(POSITION):
        return starting((f"{POSITION}{writing}" for writing in get_args(texts.Writing)), last, ahead)
    return programs(typed) + (starting((OPTION, GO, POSITION, RESTART), last, ahead) if before else [])


def entrant(language: Language, spec: str, start: Start = start_engine) -> Entrant:
    """Return the bot of an engine that speaks `language`. Raises BadBot: one sentence with the remedy.

    `start` starts the engine.
    """
    scheme = language.scheme
    argv, settings = read_spec(scheme, spec)
    if argv and settings.book is not None:
        settings.book.check()
    command = command_of(scheme, argv)

    @asynccontextmanager
    async def staying(game: str | None = None) -> AsyncIterator[Make]:
        waiting: list[StartedEngine] = []
        if game is not None:
            waiting.append(await checked(language, command, argv[0], settings.options, game, start))
        try:
            if not settings.stays:
                await asyncio.gather(*(each.engine.end_program() for each in waiting))
                yield make
                return
            yield lambda report: LanguagePlayer(language, command, settings, report, argv[0], waiting, start)
        finally:
            await asyncio.gather(*(each.engine.end_program() for each in waiting))

    def make(report: Report) -> LanguagePlayer:
        return LanguagePlayer(language, command, settings, report, argv[0], start=start)

    def checks(game: str, patience: float, begins: Callable[[str], None]) -> AsyncGenerator[CheckResult, None]:
        return EngineCheck(language, command, argv[0], settings, game, patience).results(begins)

    return Entrant(
        usual_name(f"{scheme}:{spec}"),
        duels() if is_ours(argv) else _games(language, settings),
        make,
        own_process=True,
        without=("moves",),  # an engine has rules of its own
        strict=True,
        staying=staying if settings.stays else None,
        staying_for=staying,
        checks=checks,
    )


def is_ours(argv: Sequence[str]) -> bool:
    """Return whether a command is one of our own that make an engine of a bot, as `palio uci`."""
    return argv[0] == "palio" and argv[1:2] in [[each] for each in SCHEMES]


def command_of(scheme: str, argv: Sequence[str]) -> list[str]:
    """Return the command that starts the engine. Raises BadBot if there is no such program."""
    if not argv:
        raise BadBot(f"{scheme}: names no program; write {scheme}:./engine --flags")
    command = [*OURS, *argv[1:]] if is_ours(argv) else list(argv)  # it needs no server: a sandbox has none
    if shutil.which(command[0]) is None:
        raise BadBot(f"there is no program {argv[0]!r}; check the path and that it may be executed (chmod +x)")
    return command


def _games(language: Language, settings: Settings) -> tuple[str, ...]:
    """Return the games for two; of a language with a game of its own that game, or the one that the spec's option says.

    A server would offer an engine for every game that it joins with, and it would lose those that it does not know.
    """
    if not language.usual_game:
        return duels()
    chosen = [value for name, value in settings.options.items() if name.casefold() == language.game_option.casefold()]
    return tuple(name for name in duels() if name in chosen) or (language.usual_game,)


def duels() -> tuple[str, ...]:
    """Return the installed games that engines can play: those for two."""
    return tuple(name for name in registry.games() if texts.is_for(registry.game(name)))


def read_spec(scheme: str, spec: str) -> tuple[list[str], Settings]:
    """Return the command's words, and what is for us. Raises BadBot."""
    try:
        argv, words = parts_of(scheme, spec)
    except BadOption as error:
        raise BadBot(str(error)) from None
    options: dict[str, str] = {}
    go: tuple[str, int] | None = None
    writing: texts.Writing = "text"
    stays = True
    own: dict[str, str] = {}
    for word in words:
        key, _, value = word.partition("=")
        if word.startswith(OPTION):
            options.update([_option(scheme, word)])
        elif word.startswith(GO):
            if go is not None:
                raise BadBot(f"{scheme}: {word}: a search has one limit, and {GO}{go[0]} is given already")
            go = _limit(scheme, word, key.removeprefix(GO), value)
        elif word.startswith(OWN):
            own |= _of_book(scheme, word, key.removeprefix(OWN), value)
        elif word.startswith(RESTART):
            if value not in ("on", "off"):
                raise BadBot(f"{scheme}: {quoted(word)}: write restart=on or restart=off")
            stays = value == "off"
        else:
            writing = _writing(scheme, value)
    return argv, Settings(options, go, writing, stays, _book(scheme, own))


def _of_book(scheme: str, word: str, key: str, value: str) -> dict[str, str]:
    """Return a setting of the engine's own book. Raises BadBot."""
    if key not in BOOKS:
        raise BadBot(f"{scheme}: {quoted(word)} is no setting; {nearest(key, BOOKS)}")
    if key == "book" and not value:
        raise BadBot(f"{scheme}: {quoted(word)} names no file; write book=FILE.bin")
    if key != "book" and (not value.isascii() or not value.isdecimal() or not 1 <= int(value[:20]) <= MOST):
        raise BadBot(f"{scheme}: {quoted(word)}: write a whole number from 1 on, as in {key}=8")
    return {key: value}


def _book(scheme: str, own: Mapping[str, str]) -> OwnBook | None:
    if "book" in own:
        return OwnBook(own["book"], int(own.get("bookdepth", DEPTH)), int(own.get("bookseed", 1)))
    if own:
        raise BadBot(f"{scheme}: {next(iter(own))}= is about a book; name it: book=FILE.bin")
    return None


def _option(scheme: str, word: str) -> tuple[str, str]:
    name, equals, value = word.removeprefix(OPTION).partition("=")
    if not name.strip() or not equals:
        raise BadBot(f"{scheme}: {quoted(word)} sets no option; write option.NAME=VALUE")
    if "\n" in word or "\r" in word:
        raise BadBot(f"{scheme}: {quoted(word)} has a line break, which no option of an engine can have")
    return name.strip(), value.strip()


def _limit(scheme: str, word: str, kind: str, value: str) -> tuple[str, int]:
    if kind not in LIMITS:
        raise BadBot(f"{scheme}: {quoted(word)} limits nothing; {nearest(kind, LIMITS)}")
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value[:20]) <= MOST:
        raise BadBot(f"{scheme}: {quoted(word)}: write a whole number from 1 on, as in {GO}{kind}=6")
    return kind, int(value)


def _writing(scheme: str, value: str) -> texts.Writing:
    for each in get_args(texts.Writing):
        if value == each:
            found: texts.Writing = each
            return found
    known = nearest(value, get_args(texts.Writing))
    raise BadBot(f"{scheme}: {POSITION}{quoted(value)} is no way to write positions; {known}")
