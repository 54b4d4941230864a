"""`palio run` at work: a server, the bots as processes beside it, and one tournament from first match to last."""

import asyncio
import os
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from palio_rules.errors import BadOption
from palio_rules.records.record import Setup
from palio_rules.registry import is_race
from palio_server.cli.errors import INTERRUPTED
from palio_server.cli.event_loop import stop_signals, until
from palio_server.cli.local_server import joined, local_settings, server_with_bots
from palio_server.cli.run_plan import Plan, RunOptions
from palio_server.cli.ticker import Ticker
from palio_server.processes import BotFailed, Bots
from palio_server.tournament.schedule import Schedule

if TYPE_CHECKING:  # the bots are started before anything of the server is loaded
    from palio_server.arena.running_tournament import RunningTournament, Stderr
    from palio_server.parts import ServerParts


async def run_tournament(plan: Plan, chosen: RunOptions) -> int:
    """Play the plan to its end, and report. Ctrl-C puts everything away, to be resumed. Raises BotFailed and others."""
    with Ticker(quiet=chosen.as_json) as ticker, stop_signals() as stop:
        for hint in plan.hints:
            ticker.warn(hint)
        run = _Run(plan, chosen, ticker, stop)
        try:
            tournament = await run.play()
        except BotFailed as failure:
            where = await run.put_back()
            raise BotFailed(f"{failure}\nstopped{where}" if where else str(failure)) from None
        hint = "" if run.done else await run.put_back()
    if tournament is not None:
        _report(plan, chosen, tournament)
    if run.done:
        return 0
    click.echo(f"interrupted{hint}", err=True)
    return INTERRUPTED


class _Run:
    def __init__(self, plan: Plan, chosen: RunOptions, ticker: Ticker, stop: asyncio.Event) -> None:
        self.done = False
        self._plan, self._chosen, self._ticker, self._stop = plan, chosen, ticker, stop
        self._number = plan.number
        self._setups: list[tuple[int, Setup]] = []  # of a tournament that is not in the database yet
        self._tournament: RunningTournament | None = None

    async def play(self) -> "RunningTournament | None":
        """The tournament, over or interrupted; None if it was stopped before it had begun."""
        plan, chosen = self._plan, self._chosen
        settings = local_settings(
            port=chosen.port, db=chosen.db, mqtt=chosen.mqtt, concurrency=plan.concurrency, worker=plan.worker
        )
        running = server_with_bots(
            settings, self._ticker.warn, partial(_start_bots, plan), private=True, goes_on=self._goes_on
        )
        async with running as (server, bots):
            from palio_server.arena.running_tournament import news_of

            server.arena.tournament = self._number or 0  # no other one: its bots may have the same names
            if plan.schedule is not None and not await until(self._draw(plan.schedule), self._stop):
                return None
            if not await until(self._all_joined(server), self._stop):
                return None
            with news_of(server.arena) as news:
                self._tournament = tournament = await self._begin(server, bots.stderr)
                self.done = await until(tournament.play(news), self._stop)
            if self.done:
                bots.end()
            await server.leaderboards.update(plan.game)
            tournament.row = await server.store.tournament(tournament.row.id) or tournament.row
        return tournament

    async def put_back(self) -> str:
        """Schedule matches in progress again, with what has been played, so that no server takes them; how to go on."""
        if self._number is None:
            return ""
        from palio_server.cli.source import open_store

        async with open_store(self._chosen.db) as store:
            for claim in await store.reclaim(self._plan.worker, lease_s=60):
                await store.release(claim)
        db = f" --db {self._chosen.db}" if self._chosen.db else ""
        progress = self._tournament.progress if self._tournament else None
        games = f" after {progress.over} of {progress.total} games" if progress else ""
        return f"{games}; go on with: palio run --resume {self._number}{db}"

    async def _draw(self, schedule: Schedule) -> None:
        """Find openings or instances, beside the event loop: some of them take seconds each. Raises BadOption."""
        from palio_server.arena.search_thread import search_in_thread

        if not is_race(schedule.game):
            self._setups = await search_in_thread(schedule.setups)
            return
        heats = schedule.matches()
        with self._ticker.counting("instances", schedule.rounds) as count:
            while (heat := await search_in_thread(lambda: next(heats, None))) is not None:
                self._setups.append(heat)
                count()

    async def _begin(self, server: "ServerParts", stderr: "Stderr") -> "RunningTournament":
        """The tournament gets into the database when all bots are here: one that cannot begin leaves no trace."""
        from palio_server.arena.running_tournament import RunningTournament

        plan, known = self._plan, self._number is not None
        if self._number is None:
            self._number = await server.store.create_tournament(plan.name, plan.game, plan.settings, self._setups)
        server.arena.tournament = self._number
        names = [bot.name for bot in plan.entrants]
        tournament = await RunningTournament.open(
            server.store, server.arena, self._number, names, self._ticker.say, stderr
        )
        title = f"{'Resuming tournament' if known else 'Tournament'} {self._number}: {plan.name}"
        self._ticker.begin(f"{title}, on {server.url}, in {server.store.url}", tournament.progress)
        if self._chosen.browser:
            import webbrowser

            webbrowser.open(server.url)
        return tournament

    async def _goes_on(self, name: str) -> bool:
        """A tournament does not begin without a bot, but may go on without it."""
        return self._tournament is not None and await self._tournament.withdraw(name)

    async def _all_joined(self, server: "ServerParts") -> None:
        """Raises BadOption if one of them does not play the game: its matches would never begin."""
        for bot in self._plan.playing:
            await joined(server.lobby, bot.name)
        here = {bot.name: bot.games for bot in server.lobby.connected()}
        for bot in self._plan.playing:
            if self._plan.game not in (plays := here.get(bot.name, (self._plan.game,))):
                raise BadOption(f"{bot.name} does not play {self._plan.game}, but {', '.join(plays)}; leave it out")


def _start_bots(plan: Plan, bots: Bots, url: str) -> None:
    """As many processes for each bot as it plays matches at once, if there are cores for them.

    One is enough for a program, which is another process for each match anyhow: ours starts and watches it.
    """
    most = min(plan.slots, os.cpu_count() or 1)
    for entrant in plan.playing:
        count = 1 if entrant.is_program else most
        bots.add(url, entrant, count, -(-plan.slots // count))


def _report(plan: Plan, chosen: RunOptions, tournament: "RunningTournament") -> None:
    from palio_server.cli.tournament_report import report_data, show_report

    if chosen.as_json:
        specs = [(bot.name, bot.spec) for bot in plan.entrants]
        data = report_data(tournament.row, tournament.progress.table, specs)
        click.echo(msgspec.json.format(msgspec.json.encode(data)))
    elif tournament.progress.over:
        show_report(tournament.progress.table)
