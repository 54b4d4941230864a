"""`python -m palio_clients analyse`: the process behind `palio analyse`, from a record to JSON lines."""

import os
import sys
from typing import TextIO

import click

INTERRUPTED = 130
SECONDS = 0.5


@click.command()
@click.argument("record", type=click.File("r", encoding="utf-8"), default="-")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=SECONDS, show_default=True, help="A position."
)
def analyse(*, record: TextIO, seconds: float) -> None:
    """Judge every ply of RECORD (a file as `palio match export` writes it, text or JSON; - is stdin).

    Prints one JSON object a ply, in any order: palio_rules.records.record.JudgedPly.
    Ctrl-C ends it with what is done, and exit code 130.
    """
    import msgspec  # noqa: PLC0415  # `palio --help` starts without searches

    from palio_clients.analysis import analyse_record  # noqa: PLC0415
    from palio_clients.cli.printing import run_interruptible  # noqa: PLC0415
    from palio_clients.solving.budget import Budget  # noqa: PLC0415
    from palio_rules.records import record_from_text  # noqa: PLC0415
    from palio_rules.records.record import Record  # noqa: PLC0415

    text = record.read()
    try:
        match = msgspec.json.decode(text, type=Record) if text.lstrip().startswith("{") else record_from_text(text)
    except ValueError as error:
        raise click.ClickException(f"{record.name} is no record: {error}") from error
    whole = Budget()

    def print_all() -> None:
        for ply in analyse_record(match, seconds, whole):
            click.echo(msgspec.json.encode(ply))

    try:
        worked = run_interruptible(print_all, whole.cancel)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    sys.exit(INTERRUPTED if worked.interrupted else 0)
