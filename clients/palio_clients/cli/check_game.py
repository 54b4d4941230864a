"""`palio check-game`: check one game against the laws of all games."""

import json
import sys
from dataclasses import asdict

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import say
from palio_rules.completing import game_setting, game_spec
from palio_rules.errors import BadOption

EXAMPLES = """
\b
Examples:
  palio check-game ./mygame.py:Nim
  palio check-game ./mygame.py:Nim:stones=15 --positions 2000 --seed 7
  palio check-game breakthrough --json
  palio check-game openspiel:hex:board_size=5
"""


@click.command("check-game", epilog=EXAMPLES)
@click.argument("game", shell_complete=game_spec)
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=game_setting,
    help="A setting of the game.",
)
@click.option(
    "--positions", type=click.IntRange(2, 1_000_000), default=200, show_default=True, help="Positions to look at."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**31), default=0, show_default=True, help="Seed of the random games to them."
)
@click.option(
    "--plies", type=click.IntRange(1, 1_000_000), default=5000, show_default=True, help="In which a game has an end."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a law.")
def check_game(*, game: str, options: tuple[str, ...], positions: int, seed: int, plies: int, as_json: bool) -> None:
    """Hold GAME to the laws of all games, and say which one it breaks, where, and what to do about it.

    GAME is a file's class (./mygame.py:Nim), or the name of an installed game, with settings. Prints one line a law:
    `ok`, or `FAIL` with the position in which it is broken and the moves that led there. The same seed looks at the
    same positions. Exit code 1 if a law is broken.
    """
    from palio_rules.laws import findings, walk_through  # noqa: PLC0415  # `palio --help` starts without them
    from palio_rules.registry import game_from_spec  # noqa: PLC0415

    try:
        rules, chosen = game_from_spec(game, options)
    except BadOption as error:
        raise Misuse(str(error)) from error
    counts = {"ok": 0, "FAIL": 0, "skip": 0}
    for finding in findings(walk_through(rules, chosen, positions, seed, plies)):
        counts[finding.verdict] += 1
        say(json.dumps(asdict(finding)) if as_json else str(finding), lines=True)
    if not as_json:
        skipped = f", {counts['skip']} not examined" if counts["skip"] else ""
        say(f"{counts['ok']} ok, {counts['FAIL']} failed{skipped}")
    if counts["FAIL"]:
        sys.exit(1)
