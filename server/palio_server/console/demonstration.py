"""`palio demo`: a server, bots as processes, a tournament in each game; then a ladder to watch."""

import asyncio
import os
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click
from msgspec import structs

from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of
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
from palio_server.tournament.heat import told
from palio_server.tournament.schedule import Schedule

BOTS = entrants(
    [
        "random",
        "greedy",
        "planner",
        "alpha_beta:depth=2",
        "max_n:depth=2",
        "paranoid:depth=2",
        "hill_climbing",
        "or_opt",
    ]
)
CLOCK = TimeControl.parse(tc="10+0.1")
PORTS = 100  # how many are tried
AT_ONCE = 2  # matches for each core: a long race shall leave room for games that can be watched beside it

# Who thinks for half a second a move can be watched; they come when the tournaments are over.
SLOW = entrants(["deep=alpha_beta:seconds=0.5", "deeper=paranoid:seconds=0.7", "deepest=max_n:seconds=0.9"])
LADDER_TIME = TimeControl.parse(tc="30+1")


@dataclass(frozen=True, slots=True)
class Event:
    """A tournament of the demo: all of them are over in well below a minute, on two busy cores."""

    game: str
    bots: tuple[str, ...]
    rounds: int = 1
    openings: int = 0
    time: TimeControl = CLOCK
    options: Mapping[str, Any] = field(default_factory=dict)

    def schedule(self) -> Schedule:
        return Schedule(self.game, self.bots, self.rounds, self.openings, 1, self.time, self.options)


DUELISTS = ("random", "greedy", "planner", "alpha_beta-depth2")
TRIO = ("greedy", "max_n-depth2", "paranoid-depth2")
SOLVERS = ("random", "greedy", "planner")
TRAVELLERS = ("random", "greedy", "hill_climbing", "or_opt")
EVENTS = (
    Event("breakthrough", DUELISTS, openings=2),
    Event("dominoes", DUELISTS, openings=2),
    Event("end_of_the_track", DUELISTS, openings=2),
    Event("chexers", TRIO, openings=3),
    Event("chexers_solo", SOLVERS, rounds=3),
    Event("rush_hour", SOLVERS, rounds=3),
    Event("tsp", TRAVELLERS, rounds=3, time=TimeControl.parse(st="2"), options={"size": 120}),
)


async def demonstrate(db: str | None, port: int, *, once: bool, browser: bool) -> int:
    """Play, show, and stay until told to stop, unless `once`."""
    cores = os.cpu_count() or 1
    settings = load(
        host="127.0.0.1",
        port=free_port(port),
        db=db,
        auth="open",
        ladder=False,
        concurrency=AT_ONCE * cores,
        worker="demo",
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
                processes.add(house.url, entrant, slots=cores)
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
    for event in EVENTS:
        plan = event.schedule()
        setups = await asyncio.to_thread(plan.setups)
        settings = {"openings": plan.openings, "rounds": plan.rounds, "time": str(plan.time)}
        with news_of(house.arena) as news, Ticker() as ticker:
            number = await house.store.create_tournament(f"demo {plan.game}", plan.game, settings, setups)
            house.arena.tournament = number
            contest = await Contest.open(house, number, plan.bots, ticker.game)
            time = told(rules_of(plan.game), plan.time)
            title = f"\nTournament {number}: {plan.game}, {', '.join(plan.bots)}, {time}"
            ticker.begin(title, contest.progress)
            await contest.play(news)
        report.show(contest.progress.table, pairs=False)


async def _leaderboards(house: House) -> None:
    for event in EVENTS:
        await house.leaderboards.update(event.game)
    click.echo()
    await show_leaders(StoreSource(house.store), None, head_to_head=False, as_json=False)


async def _stay(house: House, processes: Bots, stop: asyncio.Event) -> None:
    """A ladder of all bots and some that think longer, until told to stop."""
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
