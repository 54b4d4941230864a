"""From what was typed to a position: text, `start`, a file with an instance, or `-` for stdin."""

import sys
from pathlib import Path
from typing import Any

from palio_rules.errors import BadOption, BadPosition
from palio_rules.game import Game
from palio_rules.instances.files import READERS, read_file
from palio_rules.registry import game, game_from_spec

START = "start"


def read_position(spec: str, text: str, options: tuple[str, ...] = (), seed: int = 0) -> tuple[Game[Any, Any], Any]:
    """The game of `spec`, with settings as in `dominoes:rows=6`, and the position that `text` means.

    Either may be a file with an instance. Raises BadOption, BadPosition or BadInstance with the place and the reason.
    """
    file = next((name for name in (spec, text) if Path(name).suffix.lower() in READERS), None)
    if file is not None:
        return _from_file(file, spec, text, options)
    if options:
        spec += f"{',' if ':' in spec else ':'}{','.join(options)}"
    rules, settings = game_from_spec(spec)
    if text == START:
        return rules, rules.start(settings, seed)
    if settings != rules.options_type():
        raise BadOption(f"a position holds its settings; leave those of {rules.name} out, or solve from {START!r}")
    if text == "-":
        text = sys.stdin.read().strip()
    try:
        return rules, rules.parse_state(text)
    except BadPosition as error:
        raise BadPosition(f"{rules.name}: {error}") from None


def _from_file(file: str, spec: str, text: str, options: tuple[str, ...]) -> tuple[Game[Any, Any], Any]:
    found = read_file(file)
    rules = game(found.game)
    if spec not in (file, rules.name):
        raise BadOption(f"{file} is an instance of {rules.name}, not of {spec}; write palio solve {file}")
    if spec == file and text != START:
        raise BadOption(f"{file} is a position by itself; leave {text!r} out")
    given = dict(option.partition("=")[::2] for option in options)
    return rules, rules.start(rules.parse_options(found.with_settings(file, given)))
