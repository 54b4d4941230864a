"""`python -m palio_clients analyse`: the process behind `palio analyse`, from a record to JSON lines."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:  # `palio --help` starts without searches
    from palio_rules.records.record import Record

INTERRUPTED = 130
SECONDS = 0.5


@click.command()
@click.argument("record", type=click.File("r", encoding="utf-8"), default="-")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=SECONDS, show_default=True, help="A position."
)
@click.option("--engine", default="", metavar="SPEC", help="An engine that judges positions: gtp:COMMAND.")
def analyse(*, record: TextIO, seconds: float, engine: str) -> None:
    """Judge every ply of RECORD (a file as `palio match export` writes it, text or JSON; - is stdin).

    Prints one JSON object a ply, in any order: palio_rules.records.record.JudgedPly.
    Ctrl-C ends it with what is done, and exit code 130.
    """
    import msgspec  # noqa: PLC0415  # `palio --help` starts without searches

    from palio_clients.analysis import analyse_record  # noqa: PLC0415
    from palio_clients.cli.printing import run_interruptible  # noqa: PLC0415
    from palio_clients.sdk.failures import ClientError  # noqa: PLC0415
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
        with _judging(engine, match) as solver:
            for ply in analyse_record(match, seconds, whole, solver):
                click.echo(msgspec.json.encode(ply))

    try:
        worked = run_interruptible(print_all, whole.cancel)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, ClientError) as error:
        raise click.ClickException(str(error)) from error
    sys.exit(INTERRUPTED if worked.interrupted else 0)


def _judging(engine: str, record: "Record") -> AbstractContextManager[Any]:
    """Return the solver that an engine is; None without an engine. Raises BadBot."""
    from palio_clients.sdk.failures import BadBot  # noqa: PLC0415
    from palio_clients.sdk.loader import load  # noqa: PLC0415

    if not engine:
        return nullcontext()
    entrant, setup = load(engine), record.setup
    if entrant.judging is None:
        raise BadBot(f"{engine} judges no positions; give an engine of Go that analyses: gtp:COMMAND")
    if setup.game not in entrant.games:
        raise BadBot(f"{engine} is for {' and '.join(entrant.games)}; this is a match of {setup.game}")
    rules = setup.rules()
    return entrant.judging(rules, rules.parse_options(setup.options))
