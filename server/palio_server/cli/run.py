"""`palio run`: a tournament from beginning to end. `run_plan` says what is to be played, `run_tournament` plays it."""

from typing import Any

import click

from palio_rules.completing import a_file, game_spec, named_bot_spec
from palio_rules.errors import BadInstance, BadOption, MissingLibrary
from palio_rules.registry import game as rules_of
from palio_server.cli import completed_words
from palio_server.cli.command import runs
from palio_server.cli.log_option import log_option
from palio_server.cli.options import (
    db_option,
    game_or_instance,
    json_option,
    odds_option,
    option_option,
    rated_option,
    sandbox_options,
    st_option,
    tc_option,
)
from palio_server.cli.run_options import cluster_options

EXAMPLES = """
\b
Examples:
  palio run breakthrough random greedy alpha_beta:depth=2 --rounds 10 --openings book
  palio run breakthrough random greedy mcts:seconds=0.05 planner --format swiss --rounds 3
  palio run breakthrough random greedy mcts:seconds=0.05 planner --format knockout:best_of=3
  palio run breakthrough new=./new.py old=./old.py --sprt "elo0=0 elo1=10" --openings book
  palio run dominoes old=./a.py new=./b.py -rounds 50 -concurrency 4 tc=10+0.1
  palio run breakthrough:rows=8,cols=8 "exec:./engine --fast" planner --st 0.5 --browser
  palio run chexers random greedy max_n --openings 3
  palio run rush_hour random planner --rounds 5 --by-time
  palio run ./berlin52.tsp or_opt hill_climbing --st 10
  palio run breakthrough new=./new.py old=./old.py --sprt "elo0=0 elo1=10" --openings book --cluster local:4
  palio run dominoes submissions/*.py --format swiss --broken leave-out
  palio run breakthrough submissions/ --st 1 --export results.html
  palio run --resume 3                         go on with an interrupted tournament
  palio run --resume 3 --rounds 20             the same, with more rounds
  palio run dominoes random greedy --json | jq .crosstable
"""


@click.command(epilog=EXAMPLES)
@click.argument("game", required=False, shell_complete=game_spec)
@click.argument("bots", nargs=-1, metavar="[BOT] [BOT]...", shell_complete=named_bot_spec)
@click.option(
    "--format",
    metavar="NAME[:KEY=VALUE,...]",
    shell_complete=completed_words.event_format,
    help="round_robin (default), swiss, knockout, gauntlet, groups, sprt, or one of your own.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000_000),
    help="How often each pair (or three) meets, by default once; the rounds of a Swiss tournament; in races, how many "
    "are run.",
)
@click.option(
    "--games-per-encounter",
    type=click.IntRange(1, 120),
    metavar="N",
    help="Games each time that bots meet (default: one opening in all orders of the seats).",
)
@click.option(
    "--tie-breaks",
    metavar="NAME,...",
    shell_complete=completed_words.tie_breaks,
    help="What decides between equals: buchholz,sonneborn_berger,...",
)
@click.option(
    "--sprt",
    metavar="KEY=VALUE...",
    shell_complete=completed_words.sprt_settings,
    help='Play until it is decided: "elo0=0 elo1=5 alpha=0.05 beta=0.05".',
)
@tc_option
@st_option
@odds_option
@click.option(
    "--seats",
    type=click.Choice(["swapped", "reversed", "fixed"]),
    help="Who moves first: the bots of an encounter in turns (default), in turns from the other end, or always the "
    "bot that is named first.",
)
@click.option(
    "--margin",
    type=click.IntRange(0, 60_000),
    metavar="MS",
    help="Milliseconds that a move may be late without a loss (default: 200).",
)
@click.option(
    "--clock",
    type=click.Choice(["wall", "processor"]),
    help="What moves cost: time by the wall (default), or the processor time of the bot's program, for which other "
    "work on the machine does not count; one game at a time.",
)
@click.option("--concurrency", type=click.IntRange(1, 256), help="Games at once (default: one for each core).")
@click.option(
    "--affinity",
    metavar="all|CPUS",
    shell_complete=completed_words.affinity,
    help="Give each game a CPU of its own, of all or of these: 0-3,6. Bots that think at the same time have one each.",
)
@click.option(
    "--openings",
    metavar="PLIES|book|file=BOOK",
    shell_complete=completed_words.openings,
    help="Random plies before the bots take over, the balanced book of the game, or a file (text, EPD, PGN): "
    "file=BOOK, which may be followed by ,order=random|sequential ,plies=N ,start=N.",
)
@click.option("--seed", type=click.IntRange(0, 2**31), help="Seed of openings and instances (default: 1).")
@click.option("--by-time", is_flag=True, help="In a race, rank equal costs by thinking time.")
@rated_option
@click.option(
    "--strikes",
    type=click.IntRange(1, 100),
    metavar="N",
    help="Rejected moves that lose a game, for all bots (default: 3; the first one for engines by UCI, UGI and GTP).",
)
@click.option("--max-plies", type=click.IntRange(1, 100_000), metavar="N", help="Then a game is adjudicated a draw.")
@click.option(
    "--draw",
    metavar="KEY=VALUE...",
    shell_complete=completed_words.draw_settings,
    help='Adjudicate by what bots tell: "movenumber=40 movecount=8 score=0.1" (pawns in chess).',
)
@click.option(
    "--resign",
    metavar="KEY=VALUE...",
    shell_complete=completed_words.resign_settings,
    help='Adjudicate by what bots tell: "movecount=3 score=4" (pawns in chess).',
)
@click.option("--anchor", "anchors", metavar="NAME=RATING", multiple=True, help="Rate on the scale of this bot.")
@click.option("--name", help="Name of the tournament (default: the game and the bots).")
@option_option
@click.option(
    "--table-every", type=click.IntRange(1, 1_000_000), metavar="N", help="Show the table after every N games."
)
@click.option(
    "--score-every",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Show the score of each pair, and the difference in Elo, after every N games.",
)
@click.option(
    "--records",
    metavar="FILE",
    shell_complete=a_file,
    help="Append the record of each game to this file; chess as PGN if it ends in .pgn.",
)
@click.option("--records-min", is_flag=True, help="PGN of --records without comments, with few tags.")
@click.option(
    "--log-file",
    metavar="FILE[,level=LEVEL]",
    shell_complete=a_file,
    help="Add what is said to this file: level=info (default), only warnings (warn), or also each line to and from "
    "engines (trace); append=false begins it anew.",
)
@click.option(
    "--export",
    "exports",
    metavar="FILE",
    multiple=True,
    shell_complete=a_file,
    help="Write the result, by its ending: .json .csv .md .trf, or .html for a page.",
)
@click.option(
    "--broken",
    type=click.Choice(["leave-out", "forfeit", "refuse"]),
    help="Bots that cannot be started: play without them, let them lose their games by forfeit (default), or do not "
    "begin (default for two bots and SPRT).",
)
@click.option(
    "--max-crashes",
    type=click.IntRange(0, 1_000_000),
    metavar="N",
    help="A bot that crashes in N games stays away; 0: it never does (default: after 3 games in a row without a move).",
)
@db_option
@sandbox_options
@cluster_options
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page (default: any free one).")
@click.option("--mqtt", metavar="URL", help="A broker for bots and viewers: mqtt://HOST:PORT.")
@click.option("--browser", is_flag=True, help="Open the page in a browser.")
@click.option("--tv", is_flag=True, help="Open the hall's screen in a browser, and say where it is.")
@click.option("--show", metavar="BOT", multiple=True, help="Show what this bot prints, line by line.")
@json_option
@log_option
@click.option("--resume", type=click.IntRange(1, 2**31 - 1), metavar="NUMBER", help="Go on with this tournament.")
@runs
async def run(
    *, game: str | None, bots: tuple[str, ...], options: tuple[str, ...], resume: int | None, **flags: Any
) -> int | None:
    """Let BOTs play GAME in a tournament: every one against every other, or in another --format.

    When bots meet they play one opening in all orders of the seats: two games, six at a table of three. In a race all
    bots run at once, on one instance in each round; GAME may be a file with an instance then: board.in, cities.tsp,
    puzzle.json.

    A BOT is what `palio join` takes: the name of a shipped bot with its settings, a Python file, or exec:PROGRAM; write
    NAME=BOT to choose its name. A folder (subs/) means its Python files, each named after its file. Programs that are
    not Palio's own run in a sandbox; BOT@network lets one use the network. The bots run as programs of their own and
    play over real connections.

    Ctrl-C, a crash or a power cut loses nothing: --resume goes on in the middle of a game.
    """
    if resume is not None and game is not None:
        raise click.UsageError("--resume takes game and bots from the database; leave them out")
    if resume is not None and options:
        raise click.UsageError("--resume goes on as it began, --option cannot be changed; leave it out")
    if resume is None and game is None:
        raise click.UsageError("name a game and two bots, as in `palio run breakthrough random greedy`")
    from palio_server.cli.bot_folders import folder_of
    from palio_server.cli.run_options import RunOptions
    from palio_server.cli.run_plan import check_time_is_one_word, forgotten_game, new_plan, resumed_plan
    from palio_server.cli.run_tournament import run_tournament
    from palio_server.garbage import infrequent_collection

    chosen = RunOptions(**flags)
    with infrequent_collection():  # for the report, too, when there are most objects
        if resume is not None:
            return await run_tournament(await resumed_plan(chosen, resume), chosen)
        check_time_is_one_word([game or ""], chosen.tc)
        try:
            name, settings, instance = game_or_instance(game or "", options)
            rules_of(name)
        except MissingLibrary:
            raise
        except (BadOption, BadInstance) as error:
            if folder_of(game or "") is not None:
                head = (game or "").partition(":")[0]
                meant = f"{head!r} is a folder of bots; name the game before it, as in `palio run breakthrough {head}`"
            else:
                meant = forgotten_game(game or "", bots)
            if not meant:
                raise
            raise BadOption(meant) from error
        return await run_tournament(new_plan(chosen, name, settings, bots, instance), chosen)
