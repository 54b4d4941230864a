"""The shape of our commands: groups that list and refuse, and coroutines as what a command does."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from palio_rules.errors import nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

P = ParamSpec("P")

SENTENCE = 200  # characters: longer than the first sentence of any command's help


class Group(click.Group):
    """Lists each command with its whole first sentence, and refuses an unknown one with the nearest known one."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem[str]"]:
        """As click does, which cuts each sentence off after 45 characters."""
        items = super().shell_complete(ctx, incomplete)
        for item in items:
            if (command := self.get_command(ctx, item.value)) is not None:
                item.help = command.get_short_help_str(SENTENCE)
        return items

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, which would cut a sentence off where the line ends."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(SENTENCE)) for name, command in found if command])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            raise click.UsageError(f"there is no command {args[0]!r}; {nearest(args[0], self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


def runs(function: Callable[P, Coroutine[Any, Any, int | None]]) -> Callable[P, int | None]:
    """Make a click callback of a coroutine function."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> int | None:
        from palio_server.cli.event_loop import run

        return run(function(*args, **kwargs))

    return call
