"""`--log json`: a command's output on stderr, as lines for people or for programs."""

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
    """Return True if `--log json` was chosen; for all code that writes a sentence to stderr."""
    lines = sys.modules.get("palio_server.log_lines")  # without the option the module is not loaded
    return lines is not None and bool(lines.as_json())


def on_stderr(sentence: str, level: str = "info") -> None:
    """Write a sentence to stderr; in a log for programs it is a line like every other."""
    if not logs_json():
        say(sentence, err=True, lines=True)
        return
    import logging

    logger = logging.getLogger("palio")
    if level == "info":  # a command's own messages are always shown, as in text
        logger.setLevel(logging.INFO)
    logger.log(getattr(logging, level.upper()), "%s", sentence)


def teller() -> Callable[[str], None]:
    """Return a function that writes to stdout for people; in a log for programs, to stderr like everything else."""
    return on_stderr if logs_json() else say_text
