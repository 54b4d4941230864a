"""`palio ugi`, `palio uci` and `palio gtp`: a bot as an engine, on standard input and output."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import say, until_stopped
from palio_rules.completing import bot_spec
from palio_rules.completing import game_spec as completed_game

if TYPE_CHECKING:  # `palio --help` starts without engines
    from palio_clients.engines.language import Language

CHUNK = 65_536  # bytes that are read at once
UGI_EXAMPLES = """
\b
Examples:
  palio ugi champion --game breakthrough:rows=8,cols=8
  palio ugi alpha_beta:depth=4 --game dominoes
  palio ugi ./mine.py
"""
UCI_EXAMPLES = """
\b
Examples:
  palio uci alpha_beta:depth=3                an engine for any GUI of chess
  palio uci ./mine.py
  palio uci champion --game breakthrough      for GUIs that know UCI_Variant
"""
GTP_EXAMPLES = """
\b
Examples:
  palio gtp mcts:seconds=1                    a program for GoGui, twogtp or a server of Go
  palio gtp ./mine.py --game go:size=19
"""
_GAME = click.option(
    "--game",
    "game_spec",
    shell_complete=completed_game,
    help="The game and its settings; not needed for a bot that plays one game only.",
)
_CHESS = click.option(
    "--game", "game_spec", shell_complete=completed_game, help="The game and its settings; chess, if the bot plays it."
)


@click.command(epilog=UGI_EXAMPLES)
@click.argument("spec", shell_complete=bot_spec)
@_GAME
def ugi(*, spec: str, game_spec: str | None) -> None:
    """Let the bot SPEC play as an engine in any program that speaks UGI, on standard input and output.

    UGI, the Universal Game Interface, is UCI's grammar for any game of two players: `ugi`, `isready`, `position`, `go`,
    `stop`, `quit`. The bot's settings are the engine's options. Standard output has only UGI.
    """
    from palio_clients.engines.ugi import UGI  # noqa: PLC0415

    _run(UGI.title, spec, game_spec, UGI.usual_game, partial(_speaker, UGI))


@click.command(epilog=UCI_EXAMPLES)
@click.argument("spec", shell_complete=bot_spec)
@_CHESS
def uci(*, spec: str, game_spec: str | None) -> None:
    """Let the bot SPEC play as an engine in any GUI for chess, by UCI on standard input and output.

    It answers `uci`, `isready`, `position`, `go`, `stop`, `ponderhit`, `quit`. The bot's settings are the engine's
    options. Standard output has only UCI.
    """
    from palio_clients.engines.uci import UCI  # noqa: PLC0415

    _run(UCI.title, spec, game_spec, UCI.usual_game, partial(_speaker, UCI))


@click.command(epilog=GTP_EXAMPLES)
@click.argument("spec", shell_complete=bot_spec)
@click.option("--game", "game_spec", shell_complete=completed_game, help="The settings of go before the first command.")
def gtp(*, spec: str, game_spec: str | None) -> None:
    """Let the bot SPEC play Go in any program that speaks GTP, on standard input and output.

    It answers the commands of GTP version 2 for play, handicap, time and the score, by area as Tromp and Taylor count.
    Standard output has only GTP.
    """
    _run("GTP", spec, game_spec, "go", _gtp_speaker)


def _speaker(language: "Language", *parts: Any) -> "Speaks":
    from palio_clients.engines.speaker import Speaker  # noqa: PLC0415

    rules, options, thinker, write, version = parts
    return Speaker(language, rules, rules.start(options), thinker, write, version)


def _gtp_speaker(rules: Any, options: Any, thinker: Any, write: Callable[[str], None], version: str) -> "Speaks":
    from palio_clients.engines.gtp_speaker import GtpSpeaker  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    if rules.name != "go":
        raise BadOption(f"GTP is for go, not for {rules.name}; leave --game out, or give go with its settings")
    return GtpSpeaker(options, rules.start(options), thinker, write, version)


class Speaks(Protocol):
    """One conversation, see `Speaker`."""

    failure: Any
    leaving: asyncio.Event

    async def hear(self, line: str) -> bool:
        """Do what the line says; False: the conversation is over."""

    async def close(self) -> None: ...


MakeSpeaker = Callable[[Any, Any, Any, Callable[[str], None], str], Speaks]  # rules, options, thinker, write, version


def _run(title: str, spec: str, game_spec: str | None, usual_game: str, make: MakeSpeaker) -> None:
    from palio_clients.sdk.failures import ClientError  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    out = _only_ours()
    try:
        failure = asyncio.run(until_stopped(_converse(title, spec, game_spec, usual_game, make, out)))
    except (ClientError, BadOption) as error:
        raise Misuse(str(error)) from error
    finally:
        out.flush()
    if failure:
        raise click.ClickException(failure)
    sys.stderr.flush()
    os._exit(0)  # do not wait for a bot that still thinks in its thread and cannot be stopped


def _only_ours() -> BinaryIO:
    """Return standard output for the engine's lines only: a bot's own output, in Python or below, goes to stderr."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return out


async def _converse(
    title: str, spec: str, game_spec: str | None, usual_game: str, make: MakeSpeaker, out: BinaryIO
) -> str:
    """Answer until the GUI quits. Returns a sentence, or a traceback, if the bot has failed."""
    from palio_clients.engines.thinker import Thinker  # noqa: PLC0415

    rules, options = _game(title, spec, game_spec, usual_game)
    verb = title.casefold()
    thinker = Thinker(spec, rules, options, lambda sentence: say(f"palio {verb}: {sentence}", err=True))
    speaker = make(rules, options, thinker, _writer(out), _version())
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    _read_in_a_thread(lines, speaker.leaving)
    try:
        while (line := await lines.get()) is not None and await speaker.hear(line):
            pass
    finally:
        await speaker.close()
    return "" if speaker.failure is None else str(speaker.failure)


def _game(title: str, spec: str, game_spec: str | None, usual_game: str) -> tuple[Any, Any]:
    from palio_clients.engines import texts  # noqa: PLC0415
    from palio_clients.sdk.loader import load  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415
    from palio_rules.registry import game_from_spec  # noqa: PLC0415

    if game_spec is None:
        games = load(spec).games
        if usual_game in games:
            games = (usual_game,)
        if len(games) != 1:
            raise BadOption(f"{spec} plays {len(games)} games; choose one: --game {games[0]}")
        game_spec = games[0]
    rules, options = game_from_spec(game_spec)
    if not texts.is_for(rules):
        raise BadOption(f"{title} is for games of two players; {rules.name} is a {rules.kind}, see palio run")
    return rules, options


def _writer(out: BinaryIO) -> Callable[[str], None]:
    def write(line: str) -> None:
        with suppress(OSError):  # the GUI is gone: the end of the input follows
            out.write(f"{line}\n".encode())

    return write


def _read_in_a_thread(lines: "asyncio.Queue[str | None]", leaving: asyncio.Event) -> None:
    """Put the lines of stdin into the queue, None at its end: a thread can read pipes, files and terminals."""
    from palio_clients.sdk.lines import Lines  # noqa: PLC0415
    from palio_clients.sdk.program import STDIN  # noqa: PLC0415

    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        with suppress(RuntimeError):  # the conversation is over
            if line is None or line.strip() == "quit":
                loop.call_soon_threadsafe(leaving.set)  # at once, during any wait
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        cut = Lines()
        while data := os.read(STDIN, CHUNK):  # not by `sys.stdin`, whose lock an exiting interpreter needs
            for line in cut.feed(data):
                put("" if line is None else line.decode(errors="replace"))
        for line in cut.end():
            put("" if line is None else line.decode(errors="replace"))
        put(None)

    threading.Thread(target=read, name="stdin", daemon=True).start()


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("palio")
    except PackageNotFoundError:
        return "unknown"
