"""`--log json`: what a command says on stderr, as lines for people or for programs."""

import os
import sys
from collections.abc import Callable

import click

from palio_server.cli.printing import say, say_text


def _choose(_ctx: click.Context, _param: click.Parameter, value: str) -> None:
    if value == "json":
        from palio_server.log_lines import log_json

        log_json()
        if os.environ.get("PALIO_DEBUG") == "1":
            import logging

            logging.getLogger("palio_server").setLevel(logging.INFO)


log_option = click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    envvar="PALIO_LOG",
    callback=_choose,
    expose_value=False,
    help="How to log: for people (text, the default), or a JSON object a line (also: PALIO_LOG).",
)


def logs_json() -> bool:
    """Whether `--log json` was chosen; asked by whoever has a sentence for stderr."""
    lines = sys.modules.get("palio_server.log_lines")  # who has not chosen it has not loaded it, and need not
    return lines is not None and bool(lines.as_json())


def on_stderr(sentence: str, level: str = "info") -> None:
    """A sentence on stderr; in a log for programs it is a line like every other."""
    if not logs_json():
        say(sentence, err=True, lines=True)
        return
    import logging

    logger = logging.getLogger("palio")
    if level == "info":  # what a command says by itself is always shown, as it is in text
        logger.setLevel(logging.INFO)
    logger.log(getattr(logging, level.upper()), "%s", sentence)


def teller() -> Callable[[str], None]:
    """Says on stdout where people read it; in a log for programs, on stderr like everything else."""
    return on_stderr if logs_json() else say_text
