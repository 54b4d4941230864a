"""`palio demo`: a server, four bots as processes, a round robin in each of three games; then a ladder to watch."""

import asyncio
import os
import webbrowser

import click
from msgspec import structs

from palio_rules.errors import BadOption
from palio_rules.time_control import TimeControl
from palio_server.console import report
from palio_server.console.contest import Contest, news_of
from palio_server.console.leaders import show_leaders
from palio_server.console.serving import present, tell
from palio_server.console.sources import StoreSource
from palio_server.console.spawn import Bots, Joins, bots, entrants
from palio_server.console.stop_signals import stop_signals
from palio_server.console.stores import database_url
from palio_server.console.ticker import Ticker
from palio_server.console.tournament_run import INTERRUPTED, until
from palio_server.house import House, running
from palio_server.ladder import Ladder
from palio_server.network.http_server import bind
from palio_server.settings import load
from palio_server.tournament.schedule import RoundRobin

GAMES = ("breakthrough", "dominoes", "end_of_the_track")
BOTS = entrants(["random", "greedy", "planner", "alpha_beta:depth=2"])
TIME = TimeControl.parse(tc="10+0.1")
ROUNDS, OPENING_PLIES = 2, 2  # 24 matches a game: well below a minute for all three, on two busy cores
PORTS = 100  # how many are tried

# Who thinks for half a second a move can be watched; they come when the tournaments are over.
SLOW = entrants(["deep=alpha_beta:seconds=0.5", "deeper=alpha_beta:seconds=0.7"])
LADDER_TIME = TimeControl.parse(tc="60+1")


async def demonstrate(db: str | None, port: int, *, once: bool, browser: bool) -> int:
    """Play, show, and stay until told to stop, unless `once`."""
    cores = os.cpu_count() or 1
    settings = load(
        host="127.0.0.1", port=free_port(port), db=db, auth="open", ladder=False, concurrency=cores, worker="demo"
    )
    settings = structs.replace(settings, db=database_url(settings.db))
    if settings.port != port:
        click.echo(f"port {port} is busy; this demo takes {settings.port}", err=True)
    joining: asyncio.Future[House] = asyncio.get_running_loop().create_future()

    async def joins(name: str) -> None:
        await present((await joining).lobby, name)

    with stop_signals() as stop:
        async with bots(joins, tell) as processes, running(settings) as house:
            joining.set_result(house)
            click.echo(f"Palio serves on {house.url}: open it to watch")
            if browser:
                webbrowser.open(house.url)
            for entrant in BOTS:
                processes.add(house.url, entrant, slots=-(-2 * cores // len(BOTS)))
            done = await until(_tournaments(house, joins), stop)
            if done:
                await _leaderboards(house)
            if done and not once:
                await _stay(house, processes, stop)
            processes.end()
    return 0 if done else INTERRUPTED


async def _tournaments(house: House, joins: Joins) -> None:
    for bot in BOTS:
        await joins(bot.name)  # all of them, so that the first games are those of the first round
    for game in GAMES:
        plan = RoundRobin(game, [bot.name for bot in BOTS], rounds=ROUNDS, openings=OPENING_PLIES, time=TIME)
        settings = {"openings": plan.openings, "rounds": plan.rounds, "time": str(TIME)}
        with news_of(house.arena) as news, Ticker() as ticker:
            number = await house.store.create_tournament(f"demo {game}", game, settings, plan.setups())
            house.arena.tournament = number
            contest = await Contest.open(house, number, plan.bots, ticker.game)
            ticker.begin(f"\nTournament {number}: {game}, {', '.join(plan.bots)}, {TIME}", contest.progress)
            await contest.play(news)
        report.show(contest.progress.table, pairs=False)


async def _leaderboards(house: House) -> None:
    for game in GAMES:
        await house.leaderboards.update(game)
    click.echo()
    await show_leaders(StoreSource(house.store), None, head_to_head=False, as_json=False)


async def _stay(house: House, processes: Bots, stop: asyncio.Event) -> None:
    """A ladder of all bots and two that think longer, until told to stop."""
    for entrant in SLOW:
        processes.add(house.url, entrant)
    click.echo(f"\nThe page is {house.url}; matches go on there. `palio watch --url {house.url}` shows one here.")
    click.echo("Ctrl-C ends the demo.")
    house.arena.tournament = None
    await until(Ladder(house.arena, house.lobby, house.store, LADDER_TIME).run(), stop)


def free_port(first: int) -> int:
    """`first`, or the next port that nobody listens on. Raises BadOption."""
    for port in range(first, min(first + PORTS, 65536)):
        try:
            bind("127.0.0.1", port).close()
        except OSError:
            continue
        return port
    raise BadOption(f"the ports {first} to {first + PORTS - 1} are all busy; choose another --port")
