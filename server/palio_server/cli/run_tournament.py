"""`palio run` at work: a server, the bots as processes beside it, and one tournament from first match to last."""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from palio_db.errors import StoreError
from palio_db.event_values import TournamentDraft
from palio_rules.errors import BadOption, nearest
from palio_rules.registry import game as rules_of
from palio_server.cli.broken_bots import BrokenBots, reason
from palio_server.cli.command import INTERRUPTED
from palio_server.cli.event_loop import stop_signals, until
from palio_server.cli.export_files import write_exports
from palio_server.cli.known_programs import known_programs, other_programs
from palio_server.cli.local_server import local_settings, server_with_bots
from palio_server.cli.log_option import on_stderr
from palio_server.cli.printing import show_json
from palio_server.cli.run_log import LogChoice, RunLog
from palio_server.cli.run_options import RunOptions
from palio_server.cli.run_plan import MAX_CRASHES, RunPlan, cpu_shares
from palio_server.cli.ticker import Announcer, Ticker, Watching, announcing
from palio_server.processes import BotFailed, Bots, Broken, CpuShares, OutputFolder
from palio_server.processes.compile_process import CompileProcess, compiling
from palio_server.processes.lost_matches import CRASHED, CrashLimit, crashed
from palio_server.registry import addon
from palio_server.settings import Settings, strangers
from palio_server.tournament.event import FILES
from palio_server.tournament.progress import PrintedResults

if TYPE_CHECKING:
    from palio_rules.records.record import Record
    from palio_server.app_state import ServerParts
    from palio_server.arena.kept_event import Stderr
    from palio_server.arena.running_tournament import RunningTournament
    from palio_server.arena.store_watch import StoreWatch
    from palio_server.cli.records_file import Recorder
    from palio_server.tournament.event_faults import EventFault


class RunningBots(Protocol):
    """The interface of bots for a tournament, on this machine or on workers."""

    async def stderr(self, name: str) -> list[str]: ...
    def give_up(self, name: str, why: str) -> None: ...
    def end(self) -> None: ...


class Cluster(Protocol):
    """A cluster that was chosen (`palio_server.addons.cluster`)."""

    def server(
        self,
        settings: Settings,
        plan: RunPlan,
        say: Callable[[str], None],
        goes_on: Callable[[str, str], Awaitable[bool]],
        most: int | None,
        broken: Broken,
        stop: asyncio.Event,
    ) -> "AbstractAsyncContextManager[tuple[ServerParts, RunningBots]]":
        """Open a server whose games the cluster plays; `most`: games at once; `broken`: bots that cannot travel."""


def chosen_cluster(chosen: RunOptions) -> Cluster | None:
    """Return the cluster; None if games are played here. Raises BadOption."""
    if chosen.cluster is None:
        for name, given in (("--cluster-tls", chosen.cluster_tls), ("--calibrate", chosen.calibrate)):
            if given:
                raise BadOption(f"{name} is about a cluster's workers; say which: --cluster tcp://HOST:8786 or local:4")
        return None
    found: Cluster = addon("cluster").parse(chosen.cluster, chosen.cluster_tls, calibrate=chosen.calibrate)
    return found


ROUND_BY_ROUND = ("swiss", "knockout", "groups")  # formats in which most pairs meet once or never


async def run_tournament(plan: RunPlan, chosen: RunOptions) -> int:
    """Play the plan to its end, and report. Ctrl-C puts everything away, to be resumed. Raises BotFailed and others."""
    if plan.number is not None:
        chosen = chosen.with_files(plan.settings.get(FILES, {}))
    with opened_log(chosen) as log, Ticker(quiet=chosen.as_json, log=None if log is None else log.note) as ticker:
        check_shown(plan, chosen)
        output = OutputFolder(chosen.show, ticker.show)
        run = _Run(plan, chosen, ticker, output, log)
        with stop_signals(run.tell_the_way_on) as run.stop:
            for hint in filter(None, (strangers(), *plan.hints)):
                ticker.warn(hint)
            try:
                tournament = await run.play()
            except BotFailed as failure:
                if not failure.usage:
                    _tell_kept(output, ticker)
                where = await run.put_back()
                raise BotFailed(f"{failure}\nstopped{where}" if where else str(failure), usage=failure.usage) from None
            finally:
                output.close()
            _tell_kept(output, ticker)
            hint = "" if run.done else await run.put_back()
    try:
        if tournament is not None:
            _report(run, chosen, tournament)
    finally:  # also after Ctrl-C in the report
        if not run.done:
            on_stderr(f"interrupted{hint}")
    if not run.done:
        return INTERRUPTED
    row = None if tournament is None else tournament.row
    if row is not None and row.aborted and not row.finished:
        on_stderr("palio: no game has a result; the lines above say why", "error")
        return 1
    return 0


@contextmanager
def opened_log(chosen: RunOptions) -> Iterator[RunLog | None]:
    """Open the file of --log-file until the context ends; None without it. Raises BadOption."""
    if chosen.log_file is None:
        yield None
        return
    choice = LogChoice.parse(chosen.log_file)
    if choice.level == "trace" and chosen.cluster is not None:
        raise BadOption("--log-file level=trace is for bots on this machine; leave --cluster or level=trace out")
    log = RunLog(choice, partial(on_stderr, level="warning"))
    try:
        yield log
    finally:
        log.close()


def check_shown(plan: RunPlan, chosen: RunOptions) -> None:
    """Raise BadOption for a bot of `--show` that does not play, or plays on another machine."""
    if chosen.show and chosen.cluster is not None:
        raise BadOption("--show is for bots on this machine, and --cluster lets them play elsewhere; leave one out")
    names = [bot.name for bot in plan.entrants]
    if stranger := next((name for name in chosen.show if name not in names), None):
        raise BadOption(f"--show names {stranger!r}, who does not play; {nearest(stranger, names)}")


def _tell_kept(output: OutputFolder, ticker: Ticker) -> None:
    for sentence in output.told():
        ticker.warn(sentence)


KEPT = 1000  # records of matches with a fault, for a page that replays fewer


class _Run:
    def __init__(
        self, plan: RunPlan, chosen: RunOptions, ticker: Ticker, output: OutputFolder, log: RunLog | None
    ) -> None:
        self._traffic = log.engine if log is not None and log.traces else None
        self.done = False
        self.stop = asyncio.Event()  # set by Ctrl-C
        self._output = output
        self._plan, self._chosen, self._ticker = plan, chosen, ticker
        self._number = plan.number
        self._cluster = chosen_cluster(chosen)
        self._cpus = cpu_shares(chosen, rules_of(plan.game).kind, plan.entrants)
        if self._cpus is not None:
            self._cpus.check(plan.concurrency)
        self._broken = BrokenBots(plan, chosen.broken, ticker.warn)
        self._tournament: RunningTournament | None = None
        self.faults: list[EventFault] = []  # known at the end
        self.records: list[Record] = []  # of matches with a fault

    async def play(self) -> "RunningTournament | None":
        """Return the tournament, over or interrupted; None if it was stopped before it had begun."""
        from palio_server.arena.event_faults import event_faults, unread

        plan, chosen = self._plan, self._chosen
        settings = local_settings(
            port=chosen.port,
            db=chosen.db,
            mqtt=chosen.mqtt,
            concurrency=plan.concurrency,
            worker=plan.worker,
            sandbox=chosen.sandbox,
            memory=chosen.memory,
            processes=chosen.processes,
        )
        async with (
            self._recording() as recorder,
            self._compiling() as compiler,
            self._server(settings) as (server, bots),
        ):
            # begin no matches yet, and none of other tournaments: their bots may have the same names
            server.arena.tournament = 0
            if self.stop.is_set():
                return None
            known = await known_programs(server.store, [bot.name for bot in plan.playing])
            if self._cluster is None and not await until(self._broken.all_known(server.lobby), self.stop):
                return None
            told = "" if "course" in plan.settings else other_programs(known, server.lobby)  # there all hand in again
            if told:
                self._ticker.warn(told)
            plan = self._plan = self._broken.plan()
            if not await until(compiler.done(), self.stop):
                return None
            self._tournament = tournament = await self._play(server, bots, recorder)
            await server.leaderboards.update(plan.game)
            tournament.row = await server.store.tournament(tournament.row.id) or tournament.row
            with suppress(StoreError):  # the table is shown without them
                self.faults = await event_faults(server.store, tournament.event, seen=self._keep)
            if remark := unread(tournament.event):
                self._ticker.warn(remark)
        return tournament

    def _keep(self, record: "Record") -> None:
        """Keep the record of a match with a fault for the page, if one is asked for."""
        if len(self.records) < KEPT and any(file.endswith(".html") for file in self._chosen.exports):
            self.records.append(record)

    @property
    def plan(self) -> RunPlan:
        """The played plan: without the bots that were left out."""
        return self._plan

    def _server(self, settings: Settings) -> "AbstractAsyncContextManager[tuple[ServerParts, RunningBots]]":
        """Return a server with bots beside it, or with a cluster behind it."""
        plan, say = self._plan, self._ticker.warn
        if self._cluster is None:
            start, broken = partial(_start_bots, plan, self._cpus), self._broken.note
            return server_with_bots(
                settings,
                say,
                start,
                private=True,
                goes_on=self._goes_on,
                thinking=plan.thinking,
                broken=broken,
                output=self._output,
                counts_crashes=plan.settings.get(MAX_CRASHES) is not None,
                cpus=self._cpus,
                traffic=self._traffic,
            )
        return self._cluster.server(
            settings, plan, say, self._goes_on_there, self._chosen.concurrency, self._broken.note, self.stop
        )

    def _compiling(self) -> "AbstractAsyncContextManager[CompileProcess]":
        """Return the process that compiles what the bots here need, while the server and they start."""
        bots = self._plan.playing if self._cluster is None else ()
        return compiling(self._plan.game, bots, self._ticker.warn)

    def _recording(self) -> "AbstractAsyncContextManager[Recorder | None]":
        """Return the recorder, if a file for records is named. Raises BadOption if it cannot be written."""
        if self._chosen.records is None:
            return nullcontext()
        from palio_server.cli.records_file import recording

        path, chosen = Path(self._chosen.records), self._chosen
        return recording(path, self._ticker.warn, self._plan.game, minimal=chosen.records_min)

    async def _play(
        self, server: "ServerParts", bots: "RunningBots", recorder: "Recorder | None"
    ) -> "RunningTournament":
        """Play the event, from the results that were not printed before an interruption to its last one."""
        number, announced = await self._number_of(server)
        keep = partial(server.store.mark_announced, number)
        async with announcing(announced, keep, self._ticker.shown_after_s) as announcer:
            tournament = self._tournament = await self._open(server, number, bots.stderr, announcer)
            for name in sorted(self._plan.leaving):
                if not await tournament.withdraw(name, "left out", self._broken.reason(name)):
                    raise self._broken.failure("the tournament cannot go on: too few bots would be left")
            if (most := self._plan.settings.get(MAX_CRASHES)) is not None:
                await _count_crashes(server, tournament, bots, most)
            if recorder is not None:
                recorder.round_of = tournament.round_of
                server.arena.on_result.append(recorder.note)
                await _record_former(server, tournament, recorder)
            await tournament.tell_again(announced.missing(tournament.progress.games_over()))
            await until(_while_kept(tournament, server.arena.watch), self.stop)
            self.done = tournament.over
        if self.done:
            bots.end()
        return tournament

    async def put_back(self) -> str:
        """Schedule matches in progress again, with their plies, so that no server takes them; return how to go on."""
        if self._number is None:
            return ""
        from palio_server.cli.source import open_store

        async with open_store(self._chosen.db) as store:
            for claim in await store.reclaim(self._plan.worker, lease_s=60):
                await store.release(claim)
        return self._way_on()

    def tell_the_way_on(self) -> None:
        """Say how to go on, before the process ends at once."""
        if not self.done:
            self._ticker.stop()  # else the line would stand behind the bar, and lines above it would be lost
            on_stderr(f"interrupted{self._way_on()}")

    def _way_on(self) -> str:
        if self._number is None:
            return ""
        db = f" --db {self._chosen.db}" if self._chosen.db else ""
        progress = self._tournament.progress if self._tournament else None
        games = f" after {progress.over} of {progress.total} games" if progress else ""
        return f"{games}; go on with: {self._plan.way_on or f'palio run --resume {self._number}{db}'}"

    async def _number_of(self, server: "ServerParts") -> tuple[int, PrintedResults]:
        """Return the tournament's number, and the games whose end was printed.

        It gets into the database when all bots are here: one that cannot begin leaves no trace.
        """
        from palio_server.cli.source import command_line

        plan = self._plan
        if self._number is None:
            self._number = await server.store.create_event(
                TournamentDraft(
                    name=plan.name,
                    game=plan.game,
                    format=plan.format.name,
                    rules=plan.format.settings,
                    settings=plan.settings,
                    entries=plan.entries,
                    worker=plan.worker,
                    stage="running",
                    announced="",
                ),
                by=command_line(),
            )
            return self._number, PrintedResults()
        row = await server.store.tournament(self._number)
        if plan.broken or (row is not None and row.settings.get(FILES) != plan.settings.get(FILES)):
            await server.store.set_settings(self._number, plan.settings)
        if plan.rounds is not None:
            await server.store.set_rules(self._number, plan.format.settings)
            await server.store.set_stage(self._number, "running", only_from={"paused", "finished"})
        else:
            await server.store.set_stage(self._number, "running", only_from={"paused"})
        row = await server.store.tournament(self._number)
        assert row is not None  # the plan has read it
        return self._number, PrintedResults(row.announced or "")

    async def _open(
        self, server: "ServerParts", number: int, stderr: "Stderr", announcer: Announcer
    ) -> "RunningTournament":
        from palio_server.arena.running_tournament import RunningTournament

        plan, say = self._plan, self._ticker.say
        server.arena.tournament, server.arena.broken = number, plan.broken
        tournament = await RunningTournament.open(
            server.store,
            server.arena,
            server.lobby,
            number,
            say=say,
            stderr=stderr,
            told=announcer.note,
            broken=plan.broken,
        )
        title = f"{'Tournament' if plan.number is None else 'Resuming tournament'} {number}: {plan.name}"
        watching = _watching(tournament, self._chosen)
        self._ticker.begin(f"{title}, on {server.url}, in {server.store.url}", tournament.progress, watching)
        if self._chosen.browser:
            import webbrowser

            webbrowser.open(server.url)
        if self._chosen.tv:
            from palio_server.cli.hall import show_hall

            self._ticker.say(show_hall(server.url))
        return tournament

    async def _goes_on(self, name: str, why: str) -> bool:
        """Decide if a tournament goes on without a bot; it does not begin without one."""
        tournament = self._tournament
        return tournament is not None and await tournament.withdraw(name, reason=reason(self._plan, name, why))

    async def _goes_on_there(self, name: str, why: str) -> bool:
        """Decide the same for a bot that no worker can play with: it is tried when its first game begins."""
        tournament, choice = self._tournament, self._broken.choice
        if tournament is None or choice == "refuse":
            return False
        if choice == "leave-out":
            return await tournament.withdraw(name, "left out", reason(self._plan, name, why))
        if len(tournament.broken | {name}) == len(self._plan.entrants):
            return False
        await tournament.give_up(name, reason(self._plan, name, why))
        return True


async def _while_kept(tournament: "RunningTournament", watch: "StoreWatch") -> None:
    """Play it to its end. Raises FileLost when the database's file is gone, because no result would be kept."""
    playing, lost = asyncio.ensure_future(tournament.play()), asyncio.ensure_future(watch.until_lost())
    try:
        await asyncio.wait({playing, lost}, return_when=asyncio.FIRST_COMPLETED)
        for task in (lost, playing):
            if task.done():
                task.result()
    finally:
        for task in (playing, lost):
            task.cancel()
        await asyncio.wait({playing, lost})


def _start_bots(plan: RunPlan, cpus: CpuShares | None, bots: Bots, url: str) -> None:
    """Start as many processes for each bot as it plays matches at once, if there are cores for them.

    One is enough for a program that is not confined, which is another process for each match anyhow: ours starts and
    watches it. A confined one has a sandbox, with limits, for each match. A process that is kept on a match's CPU plays
    one match at a time.
    """
    playing = [replace(entrant, first_game=plan.game_spec) for entrant in plan.playing]
    if cpus is not None:
        for entrant in playing:
            bots.add(url, entrant, plan.slots)
        return
    most = min(plan.slots, os.cpu_count() or 1)
    for entrant in playing:
        count = 1 if entrant.is_program and not bots.confines(entrant) else most
        bots.add(url, entrant, count, -(-plan.slots // count))


async def _count_crashes(server: "ServerParts", tournament: "RunningTournament", bots: RunningBots, most: int) -> None:
    """Give up each bot that has lost `most` games by crashes, those from before an interruption included."""
    earlier: Counter[str] = Counter()
    for encounter in tournament.event.encounters:
        for match in encounter.finished:
            told = match.termination == CRASHED or len(match.bots) > 2  # of a table only the record tells
            if told and (record := await server.store.record(match.match)) is not None:
                earlier.update(crashed(record))
    limit = CrashLimit(most, earlier)

    def note(record: "Record") -> None:
        for name in limit.note(record):
            bots.give_up(name, limit.sentence(name))

    server.arena.on_result.append(note)
    for name in limit.reached():
        bots.give_up(name, limit.sentence(name))


async def _record_former(server: "ServerParts", tournament: "RunningTournament", recorder: "Recorder") -> None:
    """Record the results from before an interruption that are not in the file."""
    for encounter in tournament.event.encounters:
        for match in encounter.finished:
            if match.match not in recorder.known and (record := await server.store.record(match.match)) is not None:
                recorder.note(record)


def _watching(tournament: "RunningTournament", chosen: RunOptions) -> Watching:
    """Return the additions to a progress line: the leader, or the state of a test."""
    from palio_server.cli.tournament_report import ranking_text, scores_text
    from palio_server.tournament.formats.sprt import Sprt
    from palio_server.tournament.pair_figures import pair_figures
    from palio_server.tournament.progress import best_text, llr_text

    def more() -> list[str]:
        event, format_ = tournament.event, tournament.format
        return [
            llr_text(format_.state(event, graph=False))
            if isinstance(format_, Sprt)
            else best_text(format_.standings(event))
        ]

    about = tournament.format.name in ("sprt", "knockout", "groups")
    return Watching(
        more,
        table=lambda: ranking_text(tournament.progress.table, pair_figures(tournament.event)),
        table_every=chosen.table_every or 0,
        scores=lambda: scores_text(tournament.progress.table, pair_figures(tournament.event)),
        scores_every=chosen.score_every or 0,
        about=about,
    )


def _report(run: _Run, chosen: RunOptions, tournament: "RunningTournament") -> None:
    from palio_server.cli.tournament_report import report_data, show_report
    from palio_server.tournament.event_report import EventReport

    plan = run.plan
    anchors, odds = plan.settings.get("anchors") or {}, plan.terms.times
    report = EventReport(tournament.event, tournament.format, anchors, run.faults, odds)
    if chosen.as_json:
        specs = [(bot.name, bot.text) for bot in plan.entrants]
        show_json(report_data(tournament.row, report, specs))
    elif tournament.progress.over or any(encounter.forfeits for encounter in tournament.event.encounters):
        show_report(report, pairs=plan.format.name not in ROUND_BY_ROUND)
    write_exports(chosen.exports, tournament.row, report, run.records, on_stderr)
