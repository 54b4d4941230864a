"""`palio ugi`: a bot as an engine of the Universal Game Interface."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import say, until_stopped
from palio_rules.completing import bot_spec
from palio_rules.completing import game_spec as completed_game

CHUNK = 65_536  # bytes that are read at once
EXAMPLES = """
\b
Examples:
  palio ugi champion --game breakthrough:rows=8,cols=8
  palio ugi alpha_beta:depth=4 --game dominoes
  palio ugi ./mine.py
"""


@click.command(epilog=EXAMPLES)
@click.argument("spec", shell_complete=bot_spec)
@click.option(
    "--game",
    "game_spec",
    shell_complete=completed_game,
    help="The game and its settings; not needed for a bot that plays one game only.",
)
def ugi(*, spec: str, game_spec: str | None) -> None:
    """Let the bot SPEC play as an engine in any program that speaks UGI, on standard input and output.

    UGI, the Universal Game Interface, is UCI's grammar for any game of two players: `ugi`, `isready`, `position`, `go`,
    `stop`, `quit`. The bot's settings are the engine's options. Nothing but UGI is on standard output.
    """
    from palio_clients.sdk.failures import ClientError  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    out = _only_ours()
    try:
        failure = asyncio.run(until_stopped(_converse(spec, game_spec, out)))
    except (ClientError, BadOption) as error:
        raise Misuse(str(error)) from error
    finally:
        out.flush()
    if failure:
        raise click.ClickException(failure)
    sys.stderr.flush()
    os._exit(0)  # do not wait for a bot that still thinks in its thread and cannot be stopped


def _only_ours() -> BinaryIO:
    """Return standard output for UGI only: a bot's own output, in Python or below, goes to stderr."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return out


async def _converse(spec: str, game_spec: str | None, out: BinaryIO) -> str:
    """Answer until the GUI quits. Returns a sentence, or a traceback, if the bot has failed."""
    from palio_clients.engines.ugi.speaker import Speaker  # noqa: PLC0415
    from palio_clients.engines.ugi.thinker import Thinker  # noqa: PLC0415

    rules, options = _game(spec, game_spec)
    thinker = Thinker(spec, rules, options, lambda sentence: say(f"palio ugi: {sentence}", err=True))
    speaker = Speaker(rules, rules.start(options), thinker, _writer(out), _version())
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    _read_in_a_thread(lines, speaker.leaving)
    try:
        while (line := await lines.get()) is not None and await speaker.hear(line):
            pass
    finally:
        await speaker.close()
    return "" if speaker.failure is None else str(speaker.failure)


def _game(spec: str, game_spec: str | None) -> tuple[Any, Any]:
    from palio_clients.engines.ugi import texts  # noqa: PLC0415
    from palio_clients.sdk.loader import load  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415
    from palio_rules.registry import game_from_spec  # noqa: PLC0415

    if game_spec is None:
        games = load(spec).games
        if len(games) != 1:
            raise BadOption(f"{spec} plays {len(games)} games; choose one: --game {games[0]}")
        game_spec = games[0]
    rules, options = game_from_spec(game_spec)
    if not texts.is_for(rules):
        raise BadOption(f"UGI is for games of two players; {rules.name} is a {rules.kind}, see palio run")
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
