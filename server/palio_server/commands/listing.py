"""The list of commands in the help of a group: `palio`, `palio match`, `palio bot`."""

import click

SENTENCE = 200  # characters: longer than the first sentence of any command's help


class Listing(click.Group):
    """Lists each command with its whole first sentence: click would cut it off where the line ends."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, found.get_short_help_str(SENTENCE)) for name, found in commands.items() if found]
            )
