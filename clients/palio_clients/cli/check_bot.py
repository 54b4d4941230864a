"""`palio check-bot`: play the whole protocol against a bot and report its errors."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from palio_clients.cli import Misuse
from palio_clients.cli.games import plain_names
from palio_clients.cli.printing import draw_line, erase_line, say, until_stopped
from palio_rules.completing import bot_spec, game_spec

if TYPE_CHECKING:  # `palio --help` starts without sockets
    from palio_clients.checks.subject import CheckTimes, Subject

EXAMPLES = """
\b
Examples:
  palio check-bot ./mine.py
  palio check-bot ./mine.py:Mine:depth=3 --game breakthrough
  palio check-bot 'exec:./engine --level 3' --json
  palio check-bot uci:stockfish        each step of UCI, then the protocol
  palio check-bot "gtp:gnugo --mode gtp"
  palio check-bot --listen 9000        then let any program connect to ws://127.0.0.1:9000/ws/bot,
                                       or with JSON lines to 127.0.0.1:9000
"""
INTERRUPTED = 130
LONG_S = 5.0  # seconds of a check after which its name is printed, where there is no screen


@click.command("check-bot", epilog=EXAMPLES)
@click.argument("spec", required=False, shell_complete=bot_spec)
@click.option(
    "--game",
    "games",
    metavar="GAME",
    multiple=True,
    callback=plain_names,
    shell_complete=game_spec,
    help="Check only this game, also of a file (./mygame.py:Nim); may be given several times.",
)
@click.option("--listen", type=click.IntRange(0, 65535), metavar="PORT", help="Check a program that connects here.")
@click.option("--limit-ms", type=click.IntRange(1, 60_000), default=100, show_default=True, help="The short clock.")
@click.option("--patience", type=click.FloatRange(0.1, 600), default=20, show_default=True, help="Seconds for a move.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a check.")
def check_bot(
    *, spec: str | None, games: tuple[str, ...], listen: int | None, limit_ms: int, patience: float, as_json: bool
) -> None:
    """Play the whole protocol against the bot SPEC and say what it does wrong.

    Runs the bot as `palio join` would, against a scripted server, and prints one line a check: `ok`, or `FAIL` with
    what is wrong and what to do about it. What the bot prints follows `bot: `. With --listen it waits for a bot in any
    language to connect. Exit code 1 if a check has failed.
    """
    from palio_clients.checks.subject import CheckResult, CheckTimes, ConnectingSubject, JoinedSubject, Subject  # noqa: PLC0415
    from palio_clients.sdk.failures import BadBot  # noqa: PLC0415
    from palio_clients.sdk.loader import load  # noqa: PLC0415

    if (spec is None) == (listen is None):
        raise Misuse("give a bot's SPEC, or --listen PORT for a program that connects by itself")
    subject: Subject
    printer = _Printer()
    if spec is None:
        subject = ConnectingSubject(lambda line: printer.say(line, err=as_json))
    else:
        try:
            entrant = load(spec)
            entrant = entrant.only(games or (entrant.games[:1] if entrant.checks is not None else ()))
        except BadBot as error:
            raise Misuse(str(error)) from error
        for note in entrant.notes:
            say(json.dumps(asdict(CheckResult("loading", "ok", note))) if as_json else note, lines=True)
        program = bool(entrant.command)
        subject = JoinedSubject(
            spec,
            entrant.games,
            entrant.name,
            is_program=program,
            printed=lambda line: printer.say(f"bot: {line}", err=as_json),
        )
    times = CheckTimes(move=patience, limit_ms=limit_ms)
    before = []
    if spec is not None and entrant.checks is not None:
        before = [entrant.checks(game, patience, printer.begin) for game in entrant.games]
    failed = asyncio.run(until_stopped(_check(subject, listen or 0, times, printer, before, as_json=as_json)))
    if failed is None:
        say(f"interrupted during {printer.check!r}: the checks were not finished", err=True)
        sys.exit(INTERRUPTED)
    if failed:
        sys.exit(1)


class _Printer:
    """The output of a check, with the name of the check that runs.

    On a screen the name is the last line, which is rewritten; elsewhere it is printed if the check takes long.
    """

    def __init__(self) -> None:
        self.check = "the start"
        self._screen = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, check: str) -> None:
        """Show that `check` runs now."""
        self.end()
        self.check = check
        if self._screen:
            self._draw()
        else:
            self._timer = asyncio.get_running_loop().call_later(LONG_S, lambda: say(f"checking: {check}", err=True))

    def say(self, text: str, *, err: bool = False) -> None:
        """Print a text above the name."""
        drawn = self._drawn
        self._erase()
        say(text, err=err, lines=True)
        if drawn:
            self._draw()

    def end(self) -> None:
        """Remove the name."""
        self._erase()
        if self._timer is not None:
            self._timer.cancel()

    def _draw(self) -> None:
        draw_line(f"checking: {self.check}")
        self._drawn = True

    def _erase(self) -> None:
        if self._drawn:
            erase_line()
            self._drawn = False


async def _check(
    subject: "Subject",
    port: int,
    patience: "CheckTimes",
    printer: _Printer,
    before: Iterable[AsyncGenerator[Any, None]],
    *,
    as_json: bool,
) -> int:
    """Print the findings as they come; return how many checks have failed. `before`: checks of the bot's own kind."""
    from palio_clients.checks import check_bot as findings  # noqa: PLC0415

    counts = {"ok": 0, "FAIL": 0, "skip": 0}
    try:
        for checks in (*before, findings(subject, port=port, patience=patience, begins=printer.begin)):
            if counts["skip"]:
                break  # an engine that does not speak its own language cannot be asked for moves
            async with aclosing(checks) as found:  # its server ends now, too, when printing fails
                async for finding in found:
                    counts[finding.verdict] += 1
                    printer.say(json.dumps(asdict(finding)) if as_json else str(finding))
    finally:
        printer.end()
    if not as_json:
        skipped = f", {counts['skip']} not examined" if counts["skip"] else ""
        say(f"{counts['ok']} ok, {counts['FAIL']} failed{skipped}")
    return counts["FAIL"]
