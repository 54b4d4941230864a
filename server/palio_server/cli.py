"""The `palio` command: finds its subcommands by entry point, and turns every error into one sentence.

A subcommand's module is imported when it is called, or listed; it must import heavy things (FastAPI, SQLAlchemy, numpy)
inside of its functions, so that `palio --help` and `palio join` start fast.
"""

import os
import re
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points, requires, version
from typing import Any

import click

from palio_rules.errors import nearest
from palio_rules.plain_text import plain
from palio_server.commands.listing import Listing
from palio_server.console.habits import normalise

GROUP = "palio.commands"
USAGE, FAILURE, INTERRUPTED = 2, 1, 130

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


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


class Palio(Listing):
    """A group whose commands are loaded when they are needed."""

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
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _entries():
            raise click.UsageError(f"there is no command {args[0]!r}; {nearest(args[0], _entries())}", ctx)
        return super().resolve_command(ctx, args)


def _broken(name: str, sentence: str) -> click.Command:
    """Stands in for a command that cannot be loaded, and says so."""

    def fail(**_: object) -> None:
        raise click.ClickException(sentence)

    context = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, short_help="(cannot be loaded)", context_settings=context)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click calls it so
    if wanted and not ctx.resilient_parsing:
        click.echo(f"palio {version('palio')}")
        ctx.exit()


@click.group(cls=Palio, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Say which palio.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error (also: PALIO_DEBUG=1).")
def palio(*, debug: bool) -> None:
    """Tournaments for programs that play games: run them, serve them, watch them, rank them."""
    if debug:
        os.environ["PALIO_DEBUG"] = "1"


def main(args: Sequence[str] | None = None) -> None:
    """Run `palio`; ends the process with 0, with 1 for a failure, with 2 for a command line that cannot be read."""
    sys.exit(run(sys.argv[1:] if args is None else args))


def run(args: Sequence[str]) -> int:
    """Run `palio` and give its exit code; every error has become a sentence on stderr."""
    try:
        code: Any = palio.main(normalise(args), prog_name="palio", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message(), err=True)
        return USAGE
    except click.ClickException as error:
        return _say(_sentence(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _close_stdout()  # `palio leaderboard | head`: who reads no further misses nothing
        return FAILURE
    except Exception as error:  # noqa: BLE001 - the last frontier: a user gets a sentence, PALIO_DEBUG=1 the traceback
        return _say(*_explain(error))
    return code if isinstance(code, int) else 0


def _say(sentence: str, code: int) -> int:
    if os.environ.get("PALIO_DEBUG") == "1" and sys.exc_info()[0] is not None:
        traceback.print_exc()
    click.echo(f"palio: {plain(sentence, lines=True)}", err=True)
    return code


def _sentence(error: click.ClickException) -> str:
    """Click's message, in our voice: one sentence, lower case, with the nearest name or the way to the help."""
    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        known = [name for parameter in ctx.command.params for name in parameter.opts if name.startswith("--")]
        return f"there is no option {error.option_name}; {nearest(error.option_name, known)}"
    message = (message[:1].lower() + message[1:]).rstrip(".").replace("valid integer range", "valid integer")
    if isinstance(error, click.UsageError) and ctx is not None and ";" not in message:  # no remedy in it yet
        return f"{message}; see {ctx.command_path} --help"
    return message


def _explain(error: Exception) -> tuple[str, int]:
    """One sentence for any other error, and the exit code."""
    while isinstance(error, ExceptionGroup):  # a task group's only news is its first error
        error = error.exceptions[0]
    match error:
        case ModuleNotFoundError(name=str(module)) if extra := _extra(module):
            return f"this needs {module}, which is not installed; pip install 'palio[{extra}]'", FAILURE
        case OSError(strerror=str(reason)):
            reason = reason[:1].lower() + reason[1:]
            return f"{reason}: {error.filename}" if error.filename else reason, FAILURE
        case ValueError() if type(error).__module__.startswith("palio_"):
            return str(error), USAGE if type(error).__name__ == "BadOption" else FAILURE
        case _ if type(error).__module__.startswith("palio_"):
            return str(error), FAILURE
    return f"unexpected {type(error).__name__}: {error}; PALIO_DEBUG=1 shows where", FAILURE


def _extra(module: str) -> str | None:
    """Which of our extras brings `module`: the bots' one rather than the server's where both do."""
    top = module.partition(".")[0]
    found = [re.match(r"([\w-]+).*extra == ['\"](bots|server)['\"]", line) for line in requires("palio") or []]
    return min((line[2] for line in found if line and line[1].lower() == top.lower()), default=None)


def _close_stdout() -> None:
    """Keep the interpreter from flushing into the closed pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
