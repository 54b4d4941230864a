"""The subcommands of `palio` that concern bots."""

import click


class Misuse(click.ClickException):
    """The command line makes no sense, and one sentence says why; exit code 2."""

    exit_code = 2
