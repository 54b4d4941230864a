"""`palio completion` and `palio man`: what a shell and `man` are told, from the commands themselves."""

import os
from collections.abc import Iterator
from importlib.metadata import entry_points

import click
from click.shell_completion import CompletionItem, get_completion_class

VARIABLE = "_PALIO_COMPLETE"
GROUPS = {
    "game": ("palio.games",),
    "games": ("palio.games",),
    "bots": ("palio.bots", "palio.bot_schemes"),
    "spec": ("palio.bots", "palio.bot_schemes"),
    "format": ("palio.formats",),
}  # by parameter, the groups of entry points whose names it takes
FILES = ("bots", "spec", "game")  # take files, too

EXAMPLES = """
\b
Examples:
  eval "$(palio completion bash)"              in ~/.bashrc
  eval "$(palio completion zsh)"               in ~/.zshrc
  palio completion fish > ~/.config/fish/completions/palio.fish
"""


@click.command(epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> None:
    """Print a script that lets SHELL complete verbs, options, bots, games and formats."""
    made = get_completion_class(shell)
    assert made is not None
    script = made(_root(), {}, "palio", VARIABLE)
    click.echo(script.source_template % script.source_vars())


@click.command()
def man() -> None:
    """Print the manual page of palio: palio man | man -l -."""
    click.echo("\n".join(_page(click.Context(_root(), info_name="palio"))))


def completes(command: click.Command) -> click.Command:
    """The command, which completes the names that its parameters take, where a shell asks."""
    if VARIABLE in os.environ:
        for parameter in command.params:
            if parameter.name in GROUPS:
                parameter._custom_shell_complete = _names  # noqa: SLF001  # as `shell_complete=` sets it
    return command


def _names(_ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    found = sorted(
        entry.name + (":" if group == "palio.bot_schemes" else "")
        for group in GROUPS[parameter.name or ""]
        for entry in entry_points(group=group)
    )
    items = [CompletionItem(name) for name in found if name.startswith(incomplete)]
    return items or ([CompletionItem(incomplete, type="file")] if parameter.name in FILES else [])


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
