"""`palio completion` and `palio man`: what a shell and `man` are told, from the commands themselves."""

from collections.abc import Iterator

import click

from palio_server.cli.palio import COMPLETING
from palio_server.cli.shells import SHELLS

EXAMPLES = """
\b
Examples:
  eval "$(palio completion bash)"              in ~/.bashrc
  eval "$(palio completion zsh)"               in ~/.zshrc, after compinit
  palio completion fish > ~/.config/fish/completions/palio.fish
"""


@click.command(epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(*, shell: str) -> None:
    """Print a script that lets SHELL complete verbs, options and what they take: bots, games, formats, files."""
    click.echo(SHELLS[shell](_root(), {}, "palio", COMPLETING).source(), nl=False)


@click.command()
def man() -> None:
    """Print the manual page of palio: palio man | man -l -."""
    click.echo("\n".join(_page(click.Context(_root(), info_name="palio"))))


def _root() -> click.Group:
    root = click.get_current_context().find_root().command
    assert isinstance(root, click.Group)
    return root


def _page(ctx: click.Context) -> Iterator[str]:
    yield '.TH PALIO 1 "" "palio" "Palio"'
    yield ".SH NAME"
    yield rf"palio \- {_escaped(ctx.command.get_short_help_str(200))}"
    yield ".SH SYNOPSIS"
    yield r".B palio"
    yield r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGS\fR]..."
    yield ".SH OPTIONS"
    yield from _options(ctx)
    yield ".SH COMMANDS"
    yield from _commands(ctx)


def _commands(ctx: click.Context) -> Iterator[str]:
    group = ctx.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=ctx)
        yield f".SS {_escaped(' '.join([inner.command_path, *command.collect_usage_pieces(inner)]))}"
        for paragraph in (command.help or "").replace("\b", "").split("\n\n"):
            yield ".PP"
            yield _escaped(" ".join(paragraph.split()))
        yield from _options(inner)
        if isinstance(command, click.Group):
            yield from _commands(inner)


def _options(ctx: click.Context) -> Iterator[str]:
    for parameter in ctx.command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            yield ".TP"
            yield rf".B {_escaped(record[0])}"
            yield _escaped(" ".join(record[1].split())) or r"\&"


def _escaped(text: str) -> str:
    """As roff reads it: no line of ours begins a request, and a hyphen is a hyphen."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text
