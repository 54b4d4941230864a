"""The screen of `palio play`: keys and clicks change the match, and everything is redrawn."""

import asyncio
import random
from collections import deque
from collections.abc import Mapping
from time import monotonic
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Static
from textual.worker import Worker as Job

from palio_clients.games import Advice, companion_of
from palio_clients.games.advice import SearchStopped, Unsolvable
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.loader import Entrant
from palio_clients.sdk.player import Worker
from palio_clients.terminal.board import BoardView
from palio_clients.terminal.canvas import Palette
from palio_clients.terminal.opponent import GaveUp, LocalMatch, NothingToTakeBack, Opponent
from palio_clients.terminal.picture import Look
from palio_clients.terminal.screens import (
    CSS,
    SIENA,
    Chosen,
    Help,
    Selection,
    headline,
    move_list,
    played,
    seat_names,
    status_line,
)
from palio_rules.errors import IllegalMove
from palio_rules.plain_text import plain
from palio_rules.scene import Cell

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK_S = 0.1
PLACES = {"hex": "hex", "lines": "point"}  # by the kind of board
PRINTED = 1000  # the last pieces of text


class PlayApp(App[int]):
    """One board; `bots` play their seats, the person plays the others."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]  # noqa: RUF012  # Textual declares it so
    CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "random", "random"),
        Binding("1", "best(1)", "best move", key_display="1-9"),
        *(Binding(str(limit), f"best({limit})", show=False) for limit in range(2, 10)),
        Binding("p", "pass", "pass"),
        Binding("u", "undo", "undo"),
        Binding("n", "new", "new"),
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("escape", "stop", show=False),
        Binding("q", "leave", "quit"),
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(
        self, match: LocalMatch, options: Any, bots: Mapping[int, Entrant] | None = None, *, colour: bool = True
    ) -> None:
        super().__init__(ansi_color=not colour)
        self.match = match
        self.printed: deque[str] = deque(maxlen=PRINTED)  # bots' output: shown when the screen is free again
        self._colour = colour
        self._names = names = seat_names(match.rules.seats, {seat: bot.name for seat, bot in (bots or {}).items()})
        self._opponents = {seat: Opponent(bot, options, seat, names, self._warn) for seat, bot in (bots or {}).items()}
        self._hands = frozenset(range(len(names))) - self._opponents.keys()
        assert match.rules.gestures is not None, "the command has asked"
        self._gestures = match.rules.gestures
        self._selection = Selection(self._gestures, match.state)
        self._adviser = companion_of(match.rules.name).adviser(match.rules)
        self._cursor: Cell | None = None
        self._job: Job[Any] | None = None  # a search or a bot's thought, at most one at a time
        self._doing, self._since = "", 0.0  # the job's description, and its start
        self._fault = ""  # why the bot to move resigned: its move is made by hand
        self._news: deque[str] = deque(maxlen=len(names))  # the moves since the last one by hand
        self._answered = True  # whether that move itself has been removed from the news
        self._worker = Worker("palio-search")

    # --- what is on the screen --------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with Horizontal(id="body"):
            yield BoardView(self._scene, Palette(self.match.rules.seats, self._colour))
            with VerticalScroll(id="side", can_focus=False):
                yield Static(id="moves")
        yield Static(id="status")
        yield Static(id="note")
        yield Footer()

    def on_mount(self) -> None:
        if self._colour:
            self.register_theme(SIENA)
            self.theme = SIENA.name
        self.begin_capture_print(self)
        self.query_one(BoardView).focus()
        self.set_interval(TICK_S, self._tick)
        self.query_one("#head", Static).update(headline(self.match, self._names))
        self._say(f"click a {PLACES.get(self._scene.board, 'square')}, or ? for help")
        self._settle()

    @property
    def _scene(self) -> Any:
        return self.match.rules.scene(self.match.state)

    def _say(self, sentence: str, *, refused: bool = False) -> None:
        note = self.query_one("#note", Static)
        note.set_class(refused, "refused")
        note.update(Text(plain(sentence)))

    def _warn(self, sentence: str) -> None:
        self._say(sentence, refused=True)

    def on_print(self, event: events.Print) -> None:
        self.printed.append(event.text)

    def _settle(self) -> None:
        """Show the current match, and let a bot think if it is its turn."""
        self._selection = Selection(self._gestures, self.match.state)
        self.query_one("#moves", Static).update(move_list(self.match, self._names, colour=self._colour))
        self.query_one("#side", VerticalScroll).scroll_end(animate=False)
        seat = self.match.to_move
        if seat in self._opponents and not self._fault:
            self._start(f"{self._names[seat]} is thinking", self._let_answer(self._opponents[seat]))
        elif (pass_ := self._gestures.forced(self.match.state)) is not None:
            self._play(pass_, forced=True)
            return
        elif seat is None:
            for opponent in self._opponents.values():
                self.run_worker(opponent.report_end(self.match), group="last news")
        self._look()

    def _look(self) -> None:
        """Redraw the board and the status line."""
        mine = self._by_hand and not self._job
        look = self._selection.look(self.match.rules, self._cursor) if mine else Look(self._cursor)
        self.query_one(BoardView).show(self._scene, look)
        self._show_status()

    def _tick(self) -> None:
        if self._job:
            self._show_status()

    def _show_status(self) -> None:
        text = status_line(self.match, self._names, self._fault, colour=self._colour)
        if self._job:
            spent = monotonic() - self._since
            remedy = ", esc stops" if self._by_hand else ""
            text.append(f"   {SPINNER[int(spent / TICK_S) % len(SPINNER)]} {self._doing} {spent:.0f} s{remedy}")
        self.query_one("#status", Static).update(text)

    @property
    def _by_hand(self) -> bool:
        seat = self.match.to_move
        return seat is not None and (seat in self._hands or self._fault != "")

    # --- what people do ---------------------------------------------------------------------------------------------

    def on_board_view_pointed(self, message: BoardView.Pointed) -> None:
        self._cursor = message.cell
        self._look()

    def on_board_view_pressed(self, message: BoardView.Pressed) -> None:
        self._cursor = message.cell
        if self._busy():
            return
        try:
            touched = self._selection.touch(message.cell)
        except IllegalMove as error:
            self._warn(str(error))
            return
        if isinstance(touched, Chosen):
            self._play(touched.move)
        else:
            self._selection = touched
            self._look()
            if touched.leaves():
                self._say("touch it again and it leaves the board, or choose where it goes; esc lets go")

    def action_random(self) -> None:
        if self._free():
            self._play(random.choice(list(self.match.state.legal_moves())))  # noqa: S311  # a game, not a secret

    def action_best(self, limit: int) -> None:
        """Play the best move within `limit` plies."""
        if self._adviser is None:
            self._warn(f"nothing here searches {self.match.rules.title}")
        elif self._free():
            self._start(f"searching {limit} {'ply' if limit == 1 else 'plies'}", self._search(limit))

    def action_pass(self) -> None:
        """Pass, in a game in which that is a move that one chooses."""
        rules, state = self.match.rules, self.match.state
        passes = [move for move in self._gestures.by_name(state) if rules.notation(state, move) == "pass"]
        if not passes:
            self._warn(f"in {rules.title} nobody passes by choice")
        elif self._free():
            self._play(passes[0])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show the key to pass only where there is a pass."""
        return action != "pass" or bool(self._gestures.by_name(self.match.state))

    def action_undo(self) -> None:
        try:
            earlier = self.match.undo(self._hands, self._gestures.forced)
        except NothingToTakeBack as error:
            self._warn(str(error))
            return
        self._go_to(earlier, "taken back")

    def action_new(self) -> None:
        self._go_to(self.match.again(), "a new game")

    def action_stop(self) -> None:
        """Stop a requested search, or let go of the piece in hand. Does not stop a bot's turn."""
        if self._job and self._by_hand:
            self._cancel()
            self._say("stopped")
        self._selection = Selection(self._gestures, self.match.state)
        self._look()

    def action_help(self) -> None:
        self.push_screen(Help(self.match))

    async def action_leave(self) -> None:
        self._cancel()
        await asyncio.gather(*(opponent.close() for opponent in self._opponents.values()))
        self._worker.close()
        self.exit(0)

    # --- what follows -----------------------------------------------------------------------------------------------

    def _busy(self) -> bool:
        """Return whether people cannot move now; report why."""
        if self._job:
            remedy = "esc stops the search" if self._by_hand else "u takes your move back"
            self._warn(f"{self._doing}; {remedy}")
        return self._job is not None

    def _free(self) -> bool:
        """Return whether a key may play a move now; report why not."""
        if self.match.to_move is None:
            self._warn("the game is over; n begins a new one")
            return False
        return not self._busy()

    def _play(self, move: Any, comment: str = "", *, forced: bool = False) -> None:
        before, chosen = self.match.state, self._by_hand and not forced
        self.match = self.match.play(move)
        self._fault = ""
        (seat, notation) = self.match.notations()[-1]
        effect = self._gestures.effect(before, move)
        sentence = played(self._names[seat], notation, f"{effect}{comment}", forced=forced)
        if chosen or not (forced or self._answered):  # after the first answer the own move is no longer news
            self._news.clear()
        self._answered = not chosen
        self._news.append(sentence)
        self._say("; ".join(self._news))
        self._settle()

    def _go_to(self, match: LocalMatch, message: str) -> None:
        self._cancel()
        self._news.clear()
        self.match, self._fault = match, ""
        self._say(message)
        self._settle()

    def _start(self, doing: str, work: Any) -> None:
        self._doing, self._since = doing, monotonic()
        self._job = self.run_worker(work, group="thought")

    def _cancel(self) -> None:
        if self._job:
            self._job.cancel()
            self._job = None

    async def _search(self, limit: int) -> None:
        assert self._adviser is not None, "asked before"
        clock = Clock()
        advice: Advice | None = None
        try:
            advice = await self._worker.ask(self._adviser.advise, self.match.state, limit, clock.expired)
        except Unsolvable as error:
            self._warn(str(error))
        except SearchStopped:
            pass
        finally:
            clock.cancel()
        self._job = None
        if advice is None:
            self._look()
        else:
            self._play(advice.move, f"  ({advice.text}, {monotonic() - self._since:.1f} s)")

    async def _let_answer(self, opponent: Opponent) -> None:
        try:
            move = await opponent.answer(self.match)
        except GaveUp as error:
            self._job, self._fault = None, error.reason
            self._warn(f"{error}; play its move by hand, or n for a new game")
            self._look()
            return
        self._job = None
        self._play(move)
