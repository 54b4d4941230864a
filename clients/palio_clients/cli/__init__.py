"""The subcommands of `palio` that concern bots."""

import click


class Misuse(click.ClickException):
    """An invalid command line, with a sentence that tells why; exit code 2."""

    exit_code = 2
