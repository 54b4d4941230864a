"""The common shape of commands: groups that list and refuse, and coroutines as callbacks."""

import gc
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from palio_rules.errors import BadInstance, BadOption, BadPosition, BadRecord, Rejection, WireError, nearest
from palio_rules.extras import missing_part

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


P = ParamSpec("P")

SENTENCE = 200  # characters: longer than the first sentence of any command's help


class Group(click.Group):
    """A group that lists each command with its whole first sentence, and refuses an unknown one with the nearest known
    one.
    """

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem[str]"]:
        """Return completions like click, which cuts each sentence off after 45 characters."""
        items = super().shell_complete(ctx, incomplete)
        for item in items:
            if (command := self.get_command(ctx, item.value)) is not None:
                item.help = command.get_short_help_str(SENTENCE)
        return items

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write commands like click, which would cut a sentence off where the line ends."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(SENTENCE)) for name, command in found if command])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            known = self.list_commands(ctx)
            if args[0] == "help":
                asked = args[1:2] if args[1:2] and args[1] in known else []
                remedy = f"write {' '.join([ctx.command_path, *asked])} --help"
            else:
                remedy = nearest(args[0], known)
            raise click.UsageError(f"there is no command {args[0]!r}; {remedy}", ctx)
        return super().resolve_command(ctx, args)


def runs(function: Callable[P, Coroutine[Any, Any, int | None]]) -> Callable[P, int | None]:
    """Make a click callback of a coroutine function."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> int | None:
        from palio_server.cli.event_loop import run

        return run(function(*args, **kwargs))

    return call


# Errors: each becomes one sentence on stderr and an exit code.

FAILURE, USAGE = 1, 2
INTERRUPTED = 130  # the code of shells for a program that Ctrl-C has ended


class CommandFailed(Exception):
    """A command that failed; the message is a sentence for people, with the remedy. `code` is a server's."""

    def __init__(self, sentence: str, code: str = "") -> None:
        super().__init__(sentence)
        self.code = code


LISTS = re.compile(r"; /api/(match|tournament)e?s lists them$")


def with_command(sentence: str, url: str) -> str:
    """Return a sentence of the server at `url`, with a command where it names a path of its API."""
    return LISTS.sub(lambda found: f"; `palio {found[1]} list --url {url}` shows what there is", sentence)


def explain(error: Exception) -> tuple[str, int]:
    """Return one sentence for any error, and the exit code."""
    from palio_db.errors import BadAddress, StoreError
    from palio_server.processes import BotFailed

    while isinstance(error, ExceptionGroup):  # a task group adds nothing to its first error
        error = error.exceptions[0]
    match error:
        case click.ClickException():
            return _sentence(error), error.exit_code
        case BadOption() | BadAddress():
            return str(error), USAGE
        case BotFailed(usage=True):
            return str(error), USAGE
        case CommandFailed() | BotFailed() | StoreError():
            return str(error), FAILURE
        case BadInstance() | BadPosition() | BadRecord() | Rejection() | WireError():
            return str(error), FAILURE
        case ModuleNotFoundError() if sentence := missing_part(error):
            return sentence, FAILURE
        case OSError(strerror=str(reason)):
            reason = reason[:1].lower() + reason[1:]
            return f"{reason}: {error.filename}" if error.filename else reason, FAILURE
    return f"unexpected {type(error).__name__}: {error}; PALIO_DEBUG=1 shows where", FAILURE


# First words of click's own messages; in our messages a capital marks a name.
_OF_CLICK = frozenset(
    (
        "Argument",
        "Command",
        "Could",
        "Directory",
        "File",
        "Got",
        "Invalid",
        "Missing",
        "No",
        "Option",
        "Path",
        "The",
        "Value",
    )
)


def _sentence(error: click.ClickException) -> str:
    """Return click's message in our style: one sentence, lower case, with the nearest name or the way to the help."""
    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        known = [name for parameter in ctx.command.params for name in parameter.opts if name.startswith("--")]
        return f"there is no option {error.option_name}; {nearest(error.option_name, known)}"
    if message.partition(" ")[0] in _OF_CLICK:
        message = message[:1].lower() + message[1:]
    message = message.rstrip(".").replace("valid integer range", "valid integer")
    if isinstance(error, click.UsageError) and ctx is not None and ";" not in message:  # no remedy in it yet
        return f"{message}; see {ctx.command_path} --help"
    return message


# The import of a library of many modules.


@contextmanager
def loading() -> Iterator[None]:
    """Import within this context without garbage collection, and exclude the imported objects from later ones.

    There is no garbage among them, and a collection takes a tenth of the time that SQLAlchemy needs to be imported.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
