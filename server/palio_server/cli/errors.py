"""Every error becomes one sentence on stderr and an exit code."""

import click

from palio_rules.errors import BadInstance, BadOption, BadPosition, BadRecord, Rejection, WireError, nearest
from palio_rules.extras import missing_part

FAILURE, USAGE = 1, 2
INTERRUPTED = 130  # as a shell calls a program that Ctrl-C has ended


class CommandFailed(Exception):
    """A command cannot do what it was asked for; the message is a sentence for people, with the remedy."""


def explain(error: Exception) -> tuple[str, int]:
    """One sentence for any error, and the exit code."""
    from palio_db.errors import StoreError
    from palio_server.processes import BotFailed

    while isinstance(error, ExceptionGroup):  # a task group's only news is its first error
        error = error.exceptions[0]
    match error:
        case click.ClickException():
            return _sentence(error), error.exit_code
        case BadOption():
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


def _sentence(error: click.ClickException) -> str:
    """Click's message in our voice: one sentence, lower case, with the nearest name or the way to the help."""
    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        known = [name for parameter in ctx.command.params for name in parameter.opts if name.startswith("--")]
        return f"there is no option {error.option_name}; {nearest(error.option_name, known)}"
    message = (message[:1].lower() + message[1:]).rstrip(".").replace("valid integer range", "valid integer")
    if isinstance(error, click.UsageError) and ctx is not None and ";" not in message:  # no remedy in it yet
        return f"{message}; see {ctx.command_path} --help"
    return message
