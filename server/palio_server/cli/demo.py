"""`palio demo`: a server, bots as processes, a tournament in each game; then a ladder to watch."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.cli.command import INTERRUPTED, runs
from palio_server.cli.event_loop import stop_signals, until
from palio_server.cli.options import db_option
from palio_server.cli.printing import say
from palio_server.processes import Bots, entrants
from palio_server.settings import HOUSE_TABLES

if TYPE_CHECKING:
    from palio_server.app_state import ServerParts
    from palio_server.tournament.terms import Terms

EXAMPLES = """
\b
Examples:
  palio demo                                   then open http://127.0.0.1:8000
  palio demo --once                            ends by itself, for scripts
"""

SEARCHERS = [f"{name}:depth=2" for name in ("alpha_beta", "max_n", "paranoid")]
BOTS = entrants(["random", "greedy", "planner", *SEARCHERS, "hill_climbing", "or_opt"])
CLOCK = TimeControl.parse(tc="10+0.1")
PORTS = 100  # how many are tried
AT_ONCE = 2  # matches for each core: a long race must leave room for games that can be watched beside it

# Bots that think for half a second a move can be watched; they come when the tournaments are over.
SLOW = entrants(["deep=alpha_beta:seconds=0.5", "deeper=paranoid:seconds=0.7", "deepest=max_n:seconds=0.9"])
LADDER_TIME = TimeControl.parse(tc="30+1")


DUELISTS = ("random", "greedy", "planner", "alpha_beta-depth2")
TRIO = ("greedy", "max_n-depth2", "paranoid-depth2")
SOLVERS = ("random", "greedy", "planner")
TRAVELLERS = ("random", "greedy", "hill_climbing", "or_opt")


@click.command(epilog=EXAMPLES)
@click.option("--once", is_flag=True, help="End after the tournaments.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port of the page.")
@click.option("--browser", is_flag=True, help="Open the page in a browser.")
@db_option
@runs
async def demo(*, once: bool, port: int, browser: bool, db: str | None) -> int | None:
    """Let shipped bots play a tournament in each game, duels, tables and races, over real connections.

    Afterwards the server stays up until Ctrl-C, with matches going on that can be watched.
    """
    from palio_server.cli.local_server import local_settings, server_with_bots

    def start(bots: Bots, url: str) -> None:
        for entrant in BOTS:
            bots.add(url, entrant, slots=cores)

    cores = os.cpu_count() or 1
    settings = local_settings(
        port=_free_port(port), db=db, concurrency=AT_ONCE * cores, worker="demo", house_bots=HOUSE_TABLES
    )
    if settings.port != port:
        say(f"port {port} is busy; this demo takes {settings.port}", err=True)
    with stop_signals() as stop:
        serving = server_with_bots(settings, partial(say, err=True), start, private=True, watched=True)
        async with serving as (server, bots):
            say(f"Palio serves on {server.url}: open it to watch")
            if browser:
                import webbrowser

                webbrowser.open(server.url)
            done = await until(_tournaments(server), stop)
            if done:
                await _leaderboards(server)
            if done and not once:
                await _stay(server, bots, stop)
            bots.end()
    return 0 if done else INTERRUPTED


class Contest(NamedTuple):
    """One of the tournaments."""

    bots: Sequence[str]
    format: str  # with its settings
    terms: "Terms"


def _contests() -> list[Contest]:
    """Return the tournaments; all are over in well below a minute, on two busy cores."""
    from palio_server.tournament.openings.choice import OpeningsChoice
    from palio_server.tournament.terms import Terms

    two, three = (OpeningsChoice(random=plies) for plies in (2, 3))
    seconds = TimeControl.parse(st="2")
    return [
        Contest(DUELISTS, "round_robin", Terms(game="breakthrough", time=CLOCK, openings=two)),
        Contest(DUELISTS, "knockout", Terms(game="dominoes", time=CLOCK, openings=two)),
        Contest(DUELISTS, "swiss:rounds=3", Terms(game="end_of_the_track", time=CLOCK, openings=two)),
        Contest(TRIO, "round_robin", Terms(game="chexers", time=CLOCK, openings=three)),
        Contest(SOLVERS, "round_robin:rounds=3", Terms(game="chexers_solo", time=CLOCK)),
        Contest(SOLVERS, "round_robin:rounds=3", Terms(game="rush_hour", time=CLOCK)),
        Contest(TRAVELLERS, "round_robin:rounds=3", Terms(game="tsp", time=seconds, options={"size": 120})),
    ]


async def _tournaments(server: "ServerParts") -> None:
    from palio_server.lobby.programs import joined

    for bot in BOTS:
        await joined(server.lobby, bot.name)  # all of them, so that the first games are those of the first round
    for contest in _contests():
        await _tournament(server, contest)


async def _tournament(server: "ServerParts", contest: Contest) -> None:
    from palio_db.event_values import Entry, TournamentDraft
    from palio_server.arena.running_tournament import RunningTournament
    from palio_server.cli.ticker import Ticker
    from palio_server.cli.tournament_report import show_report
    from palio_server.tournament.event_report import EventReport
    from palio_server.tournament.format import format_from_spec
    from palio_server.tournament.round_robin import time_text

    terms, format_ = contest.terms, format_from_spec(contest.format)
    entries = tuple(Entry(bot, number) for number, bot in enumerate(contest.bots, 1))
    draft = TournamentDraft(
        f"demo {terms.game}", terms.game, format_.name, format_.settings, terms.settings, entries, "demo", "running"
    )
    number = await server.store.create_event(draft)
    server.arena.tournament = number
    with Ticker() as ticker:
        running = await RunningTournament.open(server.store, server.arena, server.lobby, number, say=ticker.say)
        time = time_text(rules_of(terms.game), terms.time)
        what = f"{terms.game}, {format_.title.lower()}, {', '.join(contest.bots)}, {time}"
        ticker.begin(f"\nTournament {number}: {what}", running.progress)
        await running.play()
    show_report(EventReport(running.event, running.format), pairs=False)


async def _leaderboards(server: "ServerParts") -> None:
    from palio_server.cli.leaderboard import show_leaderboards
    from palio_server.cli.source import StoreSource

    for contest in _contests():
        await server.leaderboards.update(contest.terms.game)
    say()
    await show_leaderboards(StoreSource(server.store))


async def _stay(server: "ServerParts", bots: Bots, stop: asyncio.Event) -> None:
    """Run a ladder of all bots and some that think longer, until `stop`."""
    from palio_server.arena.ladder import Ladder

    for entrant in SLOW:
        bots.add(server.local_url, entrant)
    say()
    say(f"The page is {server.url}; matches go on there. `palio watch --url {server.url}` shows one here.")
    say("Ctrl-C ends the demo.")
    server.arena.tournament = None
    await until(Ladder(server.arena, server.lobby, server.store, LADDER_TIME).run(), stop)


def _free_port(first: int) -> int:
    """Return `first`, or the next port that is free. Raises BadOption."""
    from palio_server.network.listeners import bind

    for port in range(first, min(first + PORTS, 65536)):
        try:
            bind("127.0.0.1", port).close()
        except OSError:
            continue
        return port
    raise BadOption(f"the ports {first} to {first + PORTS - 1} are all busy; choose another --port")
