"""The `palio` command: finds its verbs by entry point, and ends every error in one sentence.

A verb's module is imported when it is called, or listed; it must import what is heavy (SQLAlchemy, numpy)
inside of its functions, so that `palio --help` and `palio join` start fast.
"""

import os
import re
import signal
import sys
import traceback
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from palio_rules.plain_text import given, plain
from palio_rules.version import BUILD
from palio_server.cli.command import FAILURE, INTERRUPTED, USAGE, Group, explain
from palio_server.cli.help_text import HelpContext, with_our_help
from palio_server.cli.log_option import logs_json
from palio_server.cli.printing import say

GROUP = "palio.commands"
SPELLINGS = "palio.spellings"  # entry points: by verb, a function that reads the options of other programs after it
COMPLETING = "_PALIO_COMPLETE"  # in the environment when a shell requests completions

EXAMPLES = """
\b
Examples:
  palio demo                                          see bots play, in a browser
  palio run breakthrough random greedy alpha_beta:depth=2 --rounds 5
  palio serve --ladder                                a standing server
  palio join ws://127.0.0.1:8000 ./mine.py --name mine
  palio watch                                         follow the newest match here
  palio leaderboard --game breakthrough
"""

_SINGLE_DASH = re.compile(r"-[a-z][a-z-]+\d*(=.*)?", re.DOTALL)  # two letters at least: -o and -h stay unchanged
_TIME = re.compile(r"(tc|st)=(.+)")


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


class Palio(Group):
    """A group whose commands are loaded when they are needed."""

    context_class = HelpContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_entries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = _entries().get(cmd_name)
        if entry is None:
            return None
        try:
            command: click.Command = entry.load()
        except (ImportError, AttributeError) as error:  # another distribution's fault must not spoil our --help
            return _broken(cmd_name, f"the command {cmd_name!r} cannot be loaded: {error}; reinstall what brings it")
        return with_our_help(command)


def _broken(name: str, sentence: str) -> click.Command:
    def fail(**_: object) -> None:
        raise click.ClickException(sentence)

    context = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, short_help="(cannot be loaded)", context_settings=context)


@click.group(cls=Palio, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(BUILD, message="palio %(version)s", help="Show the version, and what it was built from.")
@click.option("--debug", is_flag=True, help="Show tracebacks, and log what is refused (also: PALIO_DEBUG=1).")
def palio(*, debug: bool) -> None:
    """Tournaments for programs that play games: run them, serve them, watch them, rank them."""
    if debug:
        os.environ["PALIO_DEBUG"] = "1"
    if os.environ.get("PALIO_DEBUG") == "1":
        import logging  # most commands have no use for it

        logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")  # on stderr
        logging.getLogger("palio_server").setLevel(logging.INFO)


def main(args: Sequence[str] | None = None) -> None:
    """Run `palio`; ends the process with 0, with 1 for a failure, with 2 for a command line that cannot be read."""
    code = call(sys.argv[1:] if args is None else args)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C while the interpreter ends must not change the code
    sys.exit(code)


def call(args: Sequence[str]) -> int:
    """Run `palio` and give its exit code; every error has become a sentence on stderr."""
    if COMPLETING in os.environ:
        from palio_server.cli import shells

        shells.register()
    try:
        words, notes = _read([given(word, "the word") for word in args])
        for note in notes:
            say(f"palio: {note}", err=True)
        code: Any = palio.main(words, prog_name="palio", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        say(shown.format_message(), err=True, lines=True)
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return _closed_pipe()
    except ExceptionGroup as group:
        _, other = group.split(BrokenPipeError)
        return _closed_pipe() if other is None else _say(*explain(group))
    except Exception as error:  # noqa: BLE001 - the last frontier: a user gets a sentence, PALIO_DEBUG=1 the traceback
        return _say(*explain(error))
    return code if isinstance(code, int) else 0


def _read(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return a command line in `palio`'s form, from one in the style of cutechess-cli and fastchess.

    `-concurrency 4` is read as `--concurrency 4`, and `tc=10+0.1` and `st=0.5` as `--tc 10+0.1` and `--st 0.5`;
    words after `--` are unchanged. After `run`, all options of both programs are known (the entry-point group
    `palio.spellings`); the second value has sentences about options without effect. Raises BadOption for one that has
    no meaning here.

    >>> _read(["run", "breakthrough", "a", "b", "-rounds", "10", "tc=10+0.1"])
    (['run', 'breakthrough', 'a', 'b', '--rounds', '10', '--tc', '10+0.1'], [])
    """
    read: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*read, word, *rest], []
        if all(each.startswith("-") for each in read):
            for entry in entry_points(group=SPELLINGS, name=word):
                translation = entry.load()(rest)
                return [*read, word, *translation.words], translation.notes
        if found := _TIME.fullmatch(word):
            read += [f"--{found[1]}", found[2]]
        else:
            read.append(f"-{word}" if _SINGLE_DASH.fullmatch(word) else word)
    return read, []


def _closed_pipe() -> int:
    """End as in `palio leaderboard | head`: the reader misses nothing, and no exit flushes into a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILURE


def _say(sentence: str, code: int) -> int:
    if logs_json():
        import logging

        shown = os.environ.get("PALIO_DEBUG") == "1" and sys.exc_info()[0] is not None
        logging.getLogger("palio").error("%s", plain(sentence, lines=True), exc_info=shown)
        return code
    if os.environ.get("PALIO_DEBUG") == "1" and sys.exc_info()[0] is not None:
        traceback.print_exc()
    say(f"palio: {sentence}", err=True, lines=True)
    return code
