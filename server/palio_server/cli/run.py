"""`palio run`: a tournament from beginning to end. `run_plan` says what is to be played, `run_tournament` plays it."""

from typing import Any

import click

from palio_server.cli.command import runs
from palio_server.cli.options import db_option, game_or_instance, json_option, option_option, st_option, tc_option

EXAMPLES = """
\b
Examples:
  palio run breakthrough random greedy alpha_beta:depth=2 --rounds 10 --openings 2
  palio run dominoes old=./a.py new=./b.py -rounds 50 -concurrency 4 tc=10+0.1
  palio run breakthrough:rows=8,cols=8 "exec:./engine --fast" planner --st 0.5 --browser
  palio run chexers random greedy max_n --openings 3
  palio run rush_hour random planner --rounds 5 --by-time
  palio run ./berlin52.tsp or_opt hill_climbing --st 10
  palio run --resume 3                         go on with an interrupted tournament
  palio run dominoes random greedy --json | jq .crosstable
"""


@click.command(epilog=EXAMPLES)
@click.argument("game", required=False)
@click.argument("bots", nargs=-1, metavar="[BOT] [BOT]...")
@click.option(
    "--rounds",
    type=int,
    default=1,
    show_default=True,
    help="How often each pair (or three) meets, each time in all orders of the seats; in races, how many are run.",
)
@tc_option
@st_option
@click.option("--concurrency", type=click.IntRange(1, 256), help="Matches at once (default: one for each core).")
@click.option("--openings", type=int, default=0, metavar="PLIES", help="Random plies before the bots take over.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31), default=1, show_default=True, help="Seed of openings and instances."
)
@click.option("--by-time", is_flag=True, help="In a race, rank equal costs by thinking time.")
@click.option("--name", help="Name of the tournament (default: the game and the bots).")
@option_option
@db_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page (default: any free one).")
@click.option("--mqtt", metavar="URL", help="A broker for bots and viewers: mqtt://HOST:PORT.")
@click.option("--browser", is_flag=True, help="Open the page in a browser.")
@json_option
@click.option("--resume", type=click.IntRange(1, 2**31 - 1), metavar="NUMBER", help="Go on with this tournament.")
@runs
async def run(
    *, game: str | None, bots: tuple[str, ...], options: tuple[str, ...], resume: int | None, **flags: Any
) -> int | None:
    """Let every BOT play GAME against every other, each opening twice with the seats swapped.

    Games for three are played by every three bots, each opening in all six orders. In a race all bots run at once, on
    one instance in each round; GAME may be a file with an instance then: board.in, cities.tsp, puzzle.json.

    A BOT is what `palio join` takes: the name of a shipped bot with its settings, a Python file, or exec:PROGRAM; write
    NAME=BOT to choose its name. The bots run as programs of their own and play over real connections.
    """
    if resume is not None and game is not None:
        raise click.UsageError("--resume takes game and bots from the database; leave them out")
    if resume is None and game is None:
        raise click.UsageError("name a game and two bots, as in `palio run breakthrough random greedy`")
    from palio_server.cli.run_plan import RunOptions, new_plan, resumed_plan
    from palio_server.cli.run_tournament import run_tournament

    chosen = RunOptions(**flags)
    if resume is not None:
        return await run_tournament(await resumed_plan(chosen, resume), chosen)
    name, settings, instance = game_or_instance(game or "", options)
    return await run_tournament(new_plan(chosen, name, settings, bots, instance), chosen)
