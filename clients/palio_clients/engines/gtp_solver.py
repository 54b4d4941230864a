"""A solver of positions of Go that asks an engine which speaks GTP, for `palio analyse --engine`.

Each position is told from its first one, as in a match. Then the engine analyses until it is stopped, which any next
command does. What is near the end our own search proves, as without an engine.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from palio_clients.engines.gtp_analysis import COMMANDS, REPORT, Report, View, read_report
from palio_clients.engines.gtp_commands import COLOURS, RulesWord, board_commands, move_commands, plain
from palio_clients.engines.gtp_talk import GtpTalk
from palio_clients.engines.lines import Answer
from palio_clients.engines.process import EngineProcess
from palio_clients.games.go import GoCompanion
from palio_clients.games.go.playouts import PlayoutSolver
from palio_clients.sdk.failures import ClientError, PlayerFailed, ProgramDied
from palio_clients.sdk.program import start_talking
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game
from palio_rules.games.go import GoOptions
from palio_rules.games.go_position import BLACK, SIDES, WHITE, Position
from palio_rules.records.record import value_of

READY_S = 60.0  # for its start: a network is loaded
FIRST_S = 5.0  # for the first report of a position, if that is more than the time for it
STOP_S = 10.0  # for the answer that ends an analysis
VIEW_S = 0.5  # for a position that shows from whose view it counts
LOOK_S = 0.05  # how often the budget is checked
INTERVAL = 5  # hundredths of a second between two reports
MOST_MOVES = 40  # of a report: a line that is longer than a message may be is not read
SURE = 50  # visits; fewer are no search that a mark could rest on
SMALLEST = 3  # size of a board on which the view can be shown
STOP = "protocol_version"  # which every engine knows


@contextmanager
def judging_engine(argv: Sequence[str], called: str, rules: Game[Any, Any], options: GoOptions) -> Iterator[Solver]:
    """Start an engine that judges positions of a match with these options, and end it with the block.

    Raises ClientError if it cannot be started, or does not analyse; so does the solver if it fails later.
    """
    with asyncio.Runner() as runner:
        solver = GtpSolver(runner, called, rules, options)
        try:
            solver.start(argv)
            yield solver
        finally:
            solver.close()


class GtpSolver(Solver):
    """A solver that asks an engine; `judging_engine` makes it."""

    how = "an engine's analysis"
    _talk: GtpTalk  # these are there after `start`
    _command: str
    _rules_word: RulesWord | None

    def __init__(self, runner: asyncio.Runner, called: str, rules: Game[Any, Any], options: GoOptions) -> None:
        """Prepare a solver whose engine is spoken to in `runner`."""
        self._runner, self._called = runner, called
        self._rules, self._options = rules, options
        self._engine: EngineProcess | None = None
        self._proofs = PlayoutSolver(rules, GoCompanion.lookback, None)
        self._view = View.MOVER
        self._report = ""  # the newest line of the analysis

    # --- from outside the loop ----------------------------------------------------------------------------------------

    def start(self, argv: Sequence[str]) -> None:
        """Start the engine. Raises ClientError."""
        try:
            self._runner.run(self._start(argv))
        except PlayerFailed as error:
            raise self._failure(error) from None

    def solve(self, state: Position, budget: Budget) -> Solution:
        proof = self._proofs.solve(state, budget)
        if proof.verdict is not None or budget.stop():
            return proof
        budget.stage = "the engine"
        try:
            report = self._runner.run(self._look(self._commands(state), state.turn, budget))
        except PlayerFailed as error:
            raise self._failure(error) from None
        if report is None:
            return proof
        report = self._view.for_mover(report, state.turn)
        budget.spend(report.visits)
        lead = "" if report.lead is None else f", ahead by {report.lead:.1f} points"
        return Solution(
            value=value_of(report.share),
            depth=2 if report.visits >= SURE else 1,
            line=self._playable(state, report.line),
            at_least=proof.at_least,
            note=f"{SIDES[state.turn]} wins {report.share:.0%} by {report.visits:,} visits{lead}",
        )

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._runner.run(self._engine.end_program())

    def _failure(self, error: PlayerFailed) -> ClientError:
        """Return the failure as one line."""
        if isinstance(error, ProgramDied):
            return ClientError(f"{error.how}; on stderr {' / '.join(error.last_lines[-2:]) or 'nothing'}")
        return ClientError(str(error))

    # --- the engine ---------------------------------------------------------------------------------------------------

    async def _start(self, argv: Sequence[str]) -> None:
        engine = await start_talking(lambda called: EngineProcess(called, _drop), argv, self._called)
        self._engine = engine
        self._talk = talk = GtpTalk(engine)
        engine.reads = self._read
        try:
            async with asyncio.timeout(READY_S):
                await talk.greet()
                known = [each for each in COMMANDS if each in talk.commands]
                if not known:
                    wanted = " or ".join(COMMANDS)
                    raise PlayerFailed(f"{self._called} does not analyse: it does not list {wanted} among its commands")
                self._command = known[0]
                self._rules_word, _ = await talk.tell_rules(self._options)
        except TimeoutError:
            raise PlayerFailed(talk.not_ready(READY_S)) from None
        await self._see_view()

    def _read(self, line: str) -> Answer | None:
        """Read a line that the engine says; keep a report."""
        if line.startswith(REPORT):
            self._report = line
            return None
        return self._talk.reader(line)

    async def _see_view(self) -> None:
        """Find out from whose view the engine counts, by a board that belongs to Black. Raises PlayerFailed."""
        size = self._options.size
        if size < SMALLEST:
            return
        board = self._rules.start(self._options).board
        stones = [f"play b {name}" for name in board.names.values() if board.cell(board.bits[name])[1] % 2 == 0]
        shares = []
        for seat in (BLACK, WHITE):
            found = await self._look([f"boardsize {size}", "clear_board", *stones], seat, Budget(VIEW_S))
            if found is None:
                raise PlayerFailed(f"{self._called} reports nothing within {FIRST_S:g} s; {self._talk.engine.words}")
            shares.append(found.share)
        self._view = View.seen(*shares)

    def _commands(self, state: Position) -> list[str]:
        first, moves = self._rules.way(state) or (state, ())
        board = board_commands(first, self._options, self._talk.commands, self._rules_word)
        return [*board, *move_commands(first, [plain(move) for move in moves])]

    async def _look(self, commands: list[str], seat: int, budget: Budget) -> Report | None:
        """Let the engine analyse the position that `commands` set up, with `seat` to move.

        Returns its last report; None: it made none in time. Raises PlayerFailed if it fails, or does not stop.
        """
        talk, begun = self._talk, time.monotonic()
        limit = f" maxmoves {MOST_MOVES}" if self._command.startswith("kata") else ""
        number = talk.tell(*commands, f"{self._command} {COLOURS[seat]} {INTERVAL}{limit}")
        self._report = ""
        if (answer := await self._until_over(number, budget, begun)) is None:
            try:
                async with asyncio.timeout(STOP_S):
                    await talk.ask(STOP)
            except TimeoutError:
                what = f"`{self._command}`, which any command stops"
                raise PlayerFailed(f"{self._called} did not end {what}, within {STOP_S:g} s; it stalled") from None
        elif not answer.good:
            raise talk.refused(self._command, answer.text)
        return read_report(self._report, COMMANDS[self._command])

    async def _until_over(self, number: int, budget: Budget, begun: float) -> Answer | None:
        """Return the answer to an analysis that ends by itself; None after the time for it."""
        while not budget.stop() or (not self._report and time.monotonic() < begun + FIRST_S):
            try:
                async with asyncio.timeout(LOOK_S):
                    return await self._talk.answer(number)
            except TimeoutError:
                continue
        return None

    def _playable(self, state: Any, line: Sequence[str]) -> tuple[str, ...]:
        """Return the moves of a line, as far as they can be played."""
        moves: list[str] = []
        try:
            for text in line:
                move = self._rules.read_move(state, text)
                state = state.play(move)
                moves.append(move)
        except ValueError:
            pass
        return tuple(moves)


def _drop(_lines: str) -> None:
    """Drop an engine's stderr: a sentence about a fault quotes the last lines."""
