"""`palio run`: a house, the bots as processes beside it, and one tournament from its first match to its last."""

import asyncio
import contextlib
import os
import webbrowser
from collections.abc import Awaitable
from typing import Any

import click
import msgspec

from palio_rules.errors import BadOption
from palio_rules.record import Setup
from palio_rules.registry import game as rules_of
from palio_server.console import report
from palio_server.console.contest import Contest, Said, news_of
from palio_server.console.serving import present
from palio_server.console.spawn import BotFailed, Bots, bots
from palio_server.console.stop_signals import stop_signals
from palio_server.console.stores import database_url, open_store
from palio_server.console.ticker import Ticker
from palio_server.console.tournament_order import Order, Plan
from palio_server.drawing import aside
from palio_server.house import House, running
from palio_server.settings import Settings, load
from palio_server.tournament.schedule import Schedule

INTERRUPTED = 130  # as a shell calls a program that Ctrl-C has ended


async def play(plan: Plan, order: Order) -> int:
    """Play the plan to its end, and report. Ctrl-C puts everything away, to be resumed. Raises BotFailed and others."""
    with Ticker(quiet=order.as_json) as ticker, stop_signals() as stop:
        for hint in plan.hints:
            ticker.tell(hint)
        run = _Run(plan, order, ticker, stop)
        try:
            contest = await run.play()
        except BotFailed as failure:
            where = await run.put_back()
            raise BotFailed(f"{failure}\nstopped{where}" if where else str(failure)) from None
        hint = "" if run.done else await run.put_back()
    if contest is not None:
        _report(plan, order, contest)
    if run.done:
        return 0
    click.echo(f"interrupted{hint}", err=True)
    return INTERRUPTED


class _Run:
    """One call of `palio run`."""

    def __init__(self, plan: Plan, order: Order, ticker: Ticker, stop: asyncio.Event) -> None:
        self.done = False
        self._plan, self._order, self._ticker, self._stop = plan, order, ticker, stop
        self._number = plan.number
        self._setups: list[tuple[int, Setup]] = []  # of a tournament that is not in the database yet
        self._contest: Contest | None = None
        self._house: asyncio.Future[House] = asyncio.get_running_loop().create_future()

    async def play(self) -> Contest | None:
        """The contest, over or interrupted; None if it was stopped before it had begun."""
        plan = self._plan
        if plan.schedule is not None and not await until(self._draw(plan.schedule), self._stop):
            return None
        settings = _settings(plan, self._order)
        async with bots(self._joins, self._ticker.tell, goes_on=self._goes_on) as processes, running(settings) as house:
            house.arena.tournament = self._number or 0  # no other one: its bots may have the same names
            self._house.set_result(house)
            house.arena.on_result.append(lambda record: processes.forgive(record.setup.bots))
            start_bots(processes, house.url, plan)
            if not await until(self._all_joined(), self._stop):
                return None
            with news_of(house.arena) as news:
                self._contest = contest = await self._begin(house, processes.said)
                self.done = await until(contest.play(news), self._stop)
            if self.done:
                processes.end()
            await house.leaderboards.update(plan.game)
            contest.row = await house.store.tournament(contest.row.id) or contest.row
        return contest

    async def put_back(self) -> str:
        """Schedule matches in progress again, with what has been played, so that no server takes them; how to go on."""
        if self._number is None:
            return ""
        async with open_store(self._order.db) as store:
            for claim in await store.reclaim(self._plan.worker, lease_s=60):
                await store.release(claim)
        db = f" --db {self._order.db}" if self._order.db else ""
        games = f" after {self._contest.progress.over} of {self._contest.progress.total} games" if self._contest else ""
        return f"{games}; go on with: palio run --resume {self._number}{db}"

    async def _draw(self, schedule: Schedule) -> None:
        """Find openings or instances, beside the event loop: some of them take seconds each. Raises BadOption."""
        if rules_of(schedule.game).kind != "race":
            self._setups = await aside(schedule.setups)
            return
        heats = schedule.matches()
        with self._ticker.counting("instances", schedule.rounds) as count:
            while (heat := await aside(lambda: next(heats, None))) is not None:
                self._setups.append(heat)
                count()

    async def _begin(self, house: House, said: Said) -> Contest:
        """The tournament gets into the database when all bots are here: one that cannot begin leaves no trace."""
        plan, known = self._plan, self._number is not None
        if self._number is None:
            self._number = await house.store.create_tournament(plan.name, plan.game, plan.settings, self._setups)
        house.arena.tournament = self._number
        names = [bot.name for bot in plan.entrants]
        contest = await Contest.open(house, self._number, names, self._ticker.game, said)
        title = f"{'Resuming tournament' if known else 'Tournament'} {self._number}: {plan.name}"
        self._ticker.begin(f"{title}, on {house.url}, in {house.store.url}", contest.progress)
        if self._order.browser:
            webbrowser.open(house.url)
        return contest

    async def _joins(self, name: str) -> None:
        await present((await asyncio.shield(self._house)).lobby, name)

    async def _goes_on(self, name: str) -> bool:
        """A tournament does not begin without a bot, but may go on without it."""
        return self._contest is not None and await self._contest.withdraw(name)

    async def _all_joined(self) -> None:
        """Raises BadOption if one of them does not play the game: its matches would never begin."""
        for bot in self._plan.playing:
            await self._joins(bot.name)
        here = {bot.name: bot.games for bot in (await self._house).lobby.connected()}
        for bot in self._plan.playing:
            if self._plan.game not in (plays := here.get(bot.name, (self._plan.game,))):
                raise BadOption(f"{bot.name} does not play {self._plan.game}, but {', '.join(plays)}; leave it out")


def _report(plan: Plan, order: Order, contest: Contest) -> None:
    if order.as_json:
        specs = [[bot.name, bot.spec] for bot in plan.entrants]
        data = report.as_data(contest.row, contest.progress.table, specs)
        click.echo(msgspec.json.format(msgspec.json.encode(data)))
    elif contest.progress.over:
        report.show(contest.progress.table)


def start_bots(processes: Bots, url: str, plan: Plan) -> None:
    """As many processes for each bot as it plays matches at once, if there are cores for them."""
    count = min(plan.slots, os.cpu_count() or 1)
    for entrant in plan.playing:
        processes.add(url, entrant, count, -(-plan.slots // count))


async def until(work: Awaitable[Any], stop: asyncio.Event) -> bool:
    """Wait for `work` or for `stop`, whichever comes first; True if the work is done."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
            return True
        return False
    finally:
        for task in (working, stopping):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _settings(plan: Plan, order: Order) -> Settings:
    settings = load(
        host="127.0.0.1",
        port=order.port,
        db=order.db,
        mqtt=order.mqtt,
        auth="open",
        ladder=False,
        concurrency=plan.concurrency,
        worker=plan.worker,
    )
    return msgspec.structs.replace(settings, db=database_url(settings.db))
