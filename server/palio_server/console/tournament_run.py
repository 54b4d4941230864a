"""`palio run`: a house, the bots as processes beside it, and one tournament from its first match to its last."""

import asyncio
import contextlib
import os
import webbrowser
from collections.abc import Awaitable
from typing import Any

import click
import msgspec

from palio_server.console import report
from palio_server.console.contest import Contest
from palio_server.console.serving import present
from palio_server.console.spawn import Bots, bots
from palio_server.console.stop_signals import stop_signals
from palio_server.console.stores import database_url
from palio_server.console.ticker import Ticker
from palio_server.console.tournament_order import Order, Plan
from palio_server.house import House, running
from palio_server.settings import Settings, load

INTERRUPTED = 130  # as a shell calls a program that Ctrl-C has ended


async def play(plan: Plan, order: Order) -> int:
    """Play the plan to its end, and report. Ctrl-C puts everything away, to be resumed."""
    settings = _settings(plan, order)
    joining: asyncio.Future[House] = asyncio.get_running_loop().create_future()

    async def joins(name: str) -> None:
        await present((await joining).lobby, name)

    with Ticker(quiet=order.as_json) as ticker, stop_signals() as stop:
        async with bots(joins, ticker.tell) as processes, running(settings) as house:
            number = plan.number or await _create(house, plan)
            contest = await Contest.open(house, number, ticker.game)
            ticker.begin(_introduction(house, plan, number), contest.progress)
            if order.browser:
                webbrowser.open(house.url)
            joining.set_result(house)
            start_bots(processes, house.url, plan)
            done = await until(contest.play(), stop)
            if done:
                processes.end()
            row = await house.store.tournament(number)
            assert row is not None
    if order.as_json:
        specs = [[bot.name, bot.spec] for bot in plan.entrants]
        click.echo(msgspec.json.format(msgspec.json.encode(report.as_data(row, contest.progress.table, specs))))
    elif contest.progress.over:
        report.show(contest.progress.table)
    if done:
        return 0
    db = f" --db {order.db}" if order.db else ""
    ticker.tell(
        f"interrupted after {contest.progress.over} of {contest.progress.total} games; "
        f"go on with: palio run --resume {number}{db}"
    )
    return INTERRUPTED


def start_bots(processes: Bots, url: str, plan: Plan) -> None:
    """As many processes for each bot as it plays matches at once, if there are cores for them."""
    count = min(plan.slots, os.cpu_count() or 1)
    for entrant in plan.entrants:
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


async def _create(house: House, plan: Plan) -> int:
    return await house.store.create_tournament(plan.name, plan.game, plan.settings, plan.setups)


def _introduction(house: House, plan: Plan, number: int) -> str:
    again = "Resuming tournament" if plan.number else "Tournament"
    return f"{again} {number}: {plan.name}, on {house.url}, in {house.store.url}"
