"""From `ugi:./engine --flags option.Hash=64 go.depth=6` to a bot.

The words are read as a shell would. Those that begin so are for us, wherever they stand; the rest is the command:

option.NAME=VALUE        an option of the engine, set before each match: 'option.Move Overhead=50'
go.depth=N               each search ends at this depth; or go.nodes=N, go.movetime=MS. Without it: by the clocks
position=fen             positions as chess players write them; position=startpos: the engine knows this game's first
"""

import shlex
import shutil
from pathlib import Path
from typing import get_args

from palio_clients.engines.ugi import texts
from palio_clients.engines.ugi.engine_player import Settings, UgiPlayer
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, name_from
from palio_rules import registry
from palio_rules.completing import completed_by, programs, starting
from palio_rules.errors import nearest, quoted
from palio_rules.interpreter import python

OPTION, GO, POSITION = "option.", "go.", "position="
LIMITS = ("depth", "nodes", "movetime")
MOST = 2**31
OURS = python("-m", "palio_clients")


def completions(typed: str) -> list[str]:
    """Complete a spec: the program, its arguments, and the words for us."""
    *before, last = typed.split(" ")
    ahead = "".join(f"{word} " for word in before)
    if last.startswith(GO):
        return starting((f"{GO}{limit}=" for limit in LIMITS), last, ahead)
    if last.startswith(POSITION):
        return starting((f"{POSITION}{writing}" for writing in get_args(texts.Writing)), last, ahead)
    return programs(typed) + (starting((OPTION, GO, POSITION), last, ahead) if before else [])


@completed_by(completions)
def engine(spec: str) -> Entrant:
    """The bot that `ugi:` and `spec` name. Raises BadBot: one sentence with the remedy."""
    argv, settings = read_spec(spec)
    if not argv:
        raise BadBot("ugi: names no program; write ugi:./engine --flags")
    command = [*OURS, *argv[1:]] if argv[:2] == ["palio", "ugi"] else argv  # it needs no server: a sandbox has none
    if shutil.which(command[0]) is None:
        raise BadBot(f"there is no program {argv[0]!r}; check the path and that it may be executed (chmod +x)")
    return Entrant(
        name_from(Path(argv[0]).stem),
        duels(),
        lambda report: UgiPlayer(command, settings, report, argv[0]),
        own_process=True,
    )


def duels() -> tuple[str, ...]:
    """The installed games that UGI can play: those for two."""
    return tuple(name for name in registry.games() if texts.is_for(registry.game(name)))


def read_spec(spec: str) -> tuple[list[str], Settings]:
    """The command's words, and what is for us. Raises BadBot."""
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise BadBot(f"ugi:{spec} cannot be read: {error}; quote it as for a shell") from None
    argv: list[str] = []
    options: dict[str, str] = {}
    go: tuple[str, int] | None = None
    writing: texts.Writing = "text"
    for word in words:
        key, equals, value = word.partition("=")
        if word.startswith(OPTION):
            options.update([_option(word)])
        elif word.startswith(GO) and equals:
            if go is not None:
                raise BadBot(f"ugi: {word}: a search has one limit, and {GO}{go[0]} is given already")
            go = _limit(word, key.removeprefix(GO), value)
        elif word.startswith(POSITION):
            writing = _writing(value)
        else:
            argv.append(word)
    return argv, Settings(options, go, writing)


def _option(word: str) -> tuple[str, str]:
    name, equals, value = word.removeprefix(OPTION).partition("=")
    if not name.strip() or not equals:
        raise BadBot(f"ugi: {quoted(word)} sets no option; write option.NAME=VALUE")
    if "\n" in word or "\r" in word:
        raise BadBot(f"ugi: {quoted(word)} has a line break, which no option of UGI can have")
    return name.strip(), value.strip()


def _limit(word: str, kind: str, value: str) -> tuple[str, int]:
    if kind not in LIMITS:
        raise BadBot(f"ugi: {quoted(word)} limits nothing; {nearest(kind, LIMITS)}")
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value[:20]) <= MOST:
        raise BadBot(f"ugi: {quoted(word)}: write a whole number from 1 on, as in {GO}{kind}=6")
    return kind, int(value)


def _writing(value: str) -> texts.Writing:
    for each in get_args(texts.Writing):
        if value == each:
            found: texts.Writing = each
            return found
    known = nearest(value, get_args(texts.Writing))
    raise BadBot(f"ugi: {POSITION}{quoted(value)} is no way to write positions; {known}")
