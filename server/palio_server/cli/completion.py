"""`palio completion` and `palio man`: texts for a shell and for `man`, made from the commands themselves."""

import re
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

_RANGES = (  # as click writes them, and in words
    (r"([\d.]+)<=x<=([\d.]+)", r"\1 to \2"),
    (r"([\d.]+)<x<=([\d.]+)", r"more than \1, at most \2"),
    (r"\bx>=([\d.]+)", r"\1 or more"),
    (r"\bx>([\d.]+)", r"more than \1"),
)


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
    yield ".nh"  # names of options are not broken at the ends of lines
    yield ".ad l"  # nor are words pulled apart around a long URL
    yield ".SH NAME"
    yield rf"palio \- {_escaped(ctx.command.get_short_help_str(200).rstrip('.'))}"
    yield ".SH SYNOPSIS"
    yield r".B palio"
    yield r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGS\fR]..."
    yield ".SH OPTIONS"
    yield from _options(ctx)
    yield ".TP"
    yield r".B \-h, \-\-help"
    yield "Show what a command does, with its options and examples, and exit."
    yield ".SH COMMANDS"
    yield from _commands(ctx)
    yield ".SH EXAMPLES"
    yield from _example(ctx.command)


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
        yield from _example(command)
        if isinstance(command, click.Group):
            yield from _commands(inner)


def _options(ctx: click.Context) -> Iterator[str]:
    """Yield the options of the command itself; an argument is described in the command's help."""
    for parameter in ctx.command.params:
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield ".TP"
            yield rf".B {_escaped(record[0].replace(' RANGE', ''))}"
            yield _escaped(_ranges_in_words(" ".join(record[1].split()))) or r"\&"


def _ranges_in_words(text: str) -> str:
    """Return click's `[1<=x<=9]` in words.

    >>> _ranges_in_words("How many. [default: 5; 1<=x<=9]")
    'How many. [default: 5; 1 to 9]'
    """
    for written, said in _RANGES:
        text = re.sub(written, said, text)
    return text


def _example(command: click.Command) -> Iterator[str]:
    """Yield the lines of the examples in the help."""
    lines = [line.strip() for line in (command.epilog or "").replace("\b", "").splitlines() if line.strip()]
    if len(lines) > 1:
        yield from (".PP", _escaped(lines[0]), ".PP", ".RS", ".nf")
        yield from map(_escaped, lines[1:])
        yield from (".fi", ".RE")


def _escaped(text: str) -> str:
    """Return the text for roff: no line begins a request, and a hyphen is a hyphen."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    text = text.replace("^", r"\(ha").replace("~", r"\(ti")
    return rf"\&{text}" if text.startswith(".") else text
