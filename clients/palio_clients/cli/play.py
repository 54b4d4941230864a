"""`palio play`: a board in the terminal."""

import os
import secrets
import sys
from typing import TYPE_CHECKING, Any

import click

from palio_clients.cli import Misuse
from palio_rules.completing import bot_spec, game_seat, game_setting, game_spec
from palio_rules.errors import BadOption, nearest
from palio_rules.extras import missing_part
from palio_rules.plain_text import plain

if TYPE_CHECKING:  # `palio --help` starts without a screen
    from palio_clients.sdk.loader import Entrant
    from palio_clients.terminal.app import PlayApp
    from palio_clients.terminal.opponent import LocalMatch
    from palio_rules.game import Game

EXAMPLES = """
\b
Examples:
  palio play dominoes                                 both sides by hand; r, 1 to 9 play a move
  palio play dominoes:rows=6,cols=6 alpha_beta:depth=3
  palio play dominoes random -o rows=4 --seat horizontal
  palio play dominoes handout:dominoes:./adversarial_search.py
  palio play breakthrough ./mine.py
  palio play chexers max_n ./mine.py                  you and two bots, in the order of play
  palio play chexers_solo                             a puzzle
"""


def _games_with_boards(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[Any]:
    from palio_rules.registry import game, installed  # noqa: PLC0415

    found = game_spec(ctx, parameter, typed)
    return [word for word in found if word not in installed() or _by_touch(game(word))]


@click.command(epilog=EXAMPLES)
@click.argument("game", shell_complete=_games_with_boards)
@click.argument("bots", metavar="[BOT]...", nargs=-1, shell_complete=bot_spec)
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
    "--seat", shell_complete=game_seat, help="The side that you play against bots; by default the one that moves first."
)
@click.option("--seed", type=click.IntRange(min=0), help="Draws a random board; by default another one each time.")
def play(*, game: str, bots: tuple[str, ...], options: tuple[str, ...], seat: str | None, seed: int | None) -> None:
    """Play GAME on a board in the terminal, with mouse or keys; alone, or against BOT.

    GAME is dominoes, breakthrough, chess, chexers, chexers_solo, end_of_the_track, go or rush_hour, with settings as
    in dominoes:rows=6,cols=6. BOT is any bot that `palio join` takes: an installed bot, a file, a class, a program, a
    student's file; if more than one seat is left, one bot plays all of them, or each has its own. In the window: click
    to move, r plays a random move, 1 to 9 the best one within so many plies, p passes, u undo, n new game, ? help, q
    quit.
    """
    from palio_clients.sdk.failures import BadBot  # noqa: PLC0415
    from palio_clients.terminal.opponent import LocalMatch  # noqa: PLC0415  # `palio --help` starts without a screen

    try:
        rules, settings = _game(game, options)
        match = LocalMatch.begin(rules, settings, secrets.randbits(32) if seed is None else seed)
        opponents = _opponents(bots, seat, match)
    except (BadOption, BadBot) as error:
        raise Misuse(str(error)) from error
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Misuse("palio play draws on a terminal, and this is none; run it without pipes and redirections")
    app = _window(match, settings, opponents)
    app.run()
    for line in app.printed:
        click.echo(plain(line, lines=True), nl=False, err=True)
    sys.exit(app.return_code)


def _game(spec: str, options: tuple[str, ...]) -> tuple["Game[Any, Any]", Any]:
    """Return the game and its settings, those of `-o` after those of the spec. Raises BadOption."""
    from palio_rules.registry import game, game_from_spec, games  # noqa: PLC0415

    rules, settings = game_from_spec(spec, options)
    if not _by_touch(rules):
        boards = [name for name in games() if _by_touch(game(name))]
        raise BadOption(f"there is no board for {rules.name} yet; {nearest(rules.name, boards)}")
    return rules, settings


def _by_touch(rules: "Game[Any, Any]") -> bool:
    """Return whether the board in the terminal can play it: by single touches, with listed moves."""
    return rules.gestures is not None and rules.gestures.kind == "touches"


def _opponents(bots: tuple[str, ...], seat: str | None, match: "LocalMatch") -> dict[int, "Entrant"]:
    """Return the bots by seat, without the person at the terminal. Raises BadBot or BadOption with the remedy."""
    rules = match.rules
    if seat is not None and seat not in rules.seats:
        raise BadOption(f"{rules.name} has no seat {seat!r}; {nearest(seat, rules.seats)}")
    if not bots:
        if seat is not None:
            raise BadOption(f"without a bot you play every side; name one, as in palio play {rules.name} random")
        return {}
    if rules.kind == "race":
        raise BadOption(f"{rules.name} is played alone; leave {bots[0]!r} out")
    from palio_clients.terminal.opponent import isolated  # noqa: PLC0415

    mine = rules.seats.index(seat) if seat else match.to_move
    left = [number for number in range(len(rules.seats)) if number != mine]
    if len(bots) not in (1, len(left)):
        count = "one bot" if len(left) == 1 else f"one bot for all of them or {len(left)}"
        raise BadOption(
            f"{rules.name} has {len(left)} other {'seat' if len(left) == 1 else 'seats'}; name {count}, got {len(bots)}"
        )
    entrants = [isolated(bot).only([rules.name]) for bot in bots]
    return dict(zip(left, entrants * (len(left) // len(bots)), strict=True))


def _window(match: "LocalMatch", settings: Any, bots: dict[int, "Entrant"]) -> "PlayApp":
    try:
        from palio_clients.terminal.app import PlayApp  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (sentence := missing_part(error, "play")) is None:
            raise
        raise click.ClickException(sentence) from None
    return PlayApp(match, settings, bots, colour=not os.environ.get("NO_COLOR"))
