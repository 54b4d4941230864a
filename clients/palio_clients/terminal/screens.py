"""The parts around the board: the lines above and below, the list of moves, the help page, and their style."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.theme import Theme
from textual.widgets import Static

from palio_clients.games import companion_of
from palio_clients.terminal.canvas import ACCENT, BAD, GOLD, GROUND, INK, LINE, SOFT, seat_colours
from palio_clients.terminal.opponent import LocalMatch
from palio_clients.terminal.picture import Look
from palio_rules.errors import IllegalMove
from palio_rules.game import Game, Outcome
from palio_rules.plain_text import plain
from palio_rules.scene import Cell, Gestures, Mark

# The sentences of the screen: the seat to move, the winner and the reason, and the moves.

YOU = "you"
LONGEST = 40  # characters of a name on the wire


def seat_names(seats: Sequence[str], bots: Mapping[int, str]) -> tuple[str, ...]:
    """Return the names: a bot's, with its seat if another has the same name; a person's seat, or "you"."""
    alone = len(bots) == len(seats) - 1 and bool(bots)
    names = list(bots.values())
    shown = {
        seat: f"{name[: LONGEST - 1 - len(seats[seat])]}-{seats[seat]}" if names.count(name) > 1 else name
        for seat, name in bots.items()
    }
    return tuple(shown.get(seat, YOU if alone else name) for seat, name in enumerate(seats))


def played(name: str, notation: str, comment: str = "", *, forced: bool = False) -> str:
    you = name == YOU
    if forced:
        return f"{name} cannot move and {'pass' if you else 'passes'}"
    if notation == "pass":
        return f"{name} {'pass' if you else 'passes'}{comment}"
    return f"{name} {'play' if you else 'plays'} {notation}{comment}"


def status(match: LocalMatch, names: Sequence[str]) -> str:
    """Return one line: the seat to move, or how the game ended."""
    outcome, seat = match.outcome, match.to_move
    if outcome is not None and match.rules.cost(match.state) is not None:
        return verdict(outcome, match, names)
    if outcome is not None:
        return f"{verdict(outcome, match, names)}: {outcome.reason.replace('-', ' ')}"
    assert seat is not None, "a game that is not over is somebody's turn"
    seat_name = match.rules.seats[seat]
    if len(names) == 1:
        return f"{_plural(len(match.moves), 'move')} so far"
    return f"{capital(seat_name)} to move{'' if names[seat] == seat_name else f' ({names[seat]})'}"


def forfeited(match: LocalMatch, names: Sequence[str], reason: str) -> str:
    """Return the sentence after the bot to move resigned for `reason`: the winner, or that the others may play on."""
    rules, seat = match.rules, match.to_move
    assert seat is not None, "nobody forfeits when the game is over"
    after = rules.forfeit(match.state, seat)
    if isinstance(after, Outcome) and len(names) > 1:
        return f"{verdict(after, match, names)}: {names[seat]} forfeits, {reason}"
    return f"{names[seat]} forfeits ({rules.seats[seat]}): {reason}"


def verdict(outcome: Outcome, match: LocalMatch, names: Sequence[str]) -> str:
    """Return the winner: "Horizontal wins", "You win (vertical)", "Draw"; in a race the result and its cost."""
    if len(names) == 1:
        cost = match.rules.cost(match.state)
        return "Unsolved" if cost is None else f"Solved in {_plural(round(cost), 'move')}"
    winners = [seat for seat, score in enumerate(outcome.scores) if score == max(outcome.scores)]
    if len(winners) > 1:
        return "Draw"
    seat_name, name = match.rules.seats[winners[0]], names[winners[0]]
    if name == seat_name:
        return f"{capital(seat_name)} wins"
    return f"{capital(name) if name == YOU else name} {'win' if name == YOU else 'wins'} ({seat_name})"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


TOKENS = "●■▲◆"  # a seat is recognised without colour, too
NUMBER, WIDTH = 5, 24  # characters of a round's number, and of the list of moves

SIENA = Theme(
    name="siena",
    primary=ACCENT,
    accent=ACCENT,
    warning=GOLD,
    error=BAD,
    foreground=INK,
    background=GROUND,
    surface="#241c17",
    panel=LINE,
    dark=True,
)

CSS = """
#head { height: 1; padding: 0 1; background: $surface; }
#body { height: 1fr; }
#side { width: 26; padding: 0 1; display: none; scrollbar-size: 1 1; }
.-wide #side { display: block; }
#status, #note { height: 1; padding: 0 1; }
#status { text-style: bold; background: $surface; }
#note { height: auto; min-height: 1; max-height: 3; }
#note.refused { color: $error; }
"""

HELP = """\
[b]{title}[/b]

{how}

  [b]click[/b], [b]arrows[/b] and [b]Enter[/b]   make a move
  [b]r[/b]            play a random move
  [b]1[/b] to [b]9[/b]       {digits}
{named}  [b]Esc[/b]          stop that search; let go of a piece
  [b]u[/b]            take your last move back
  [b]n[/b]            new game
  [b]+[/b]  [b]-[/b]         larger and smaller cells
  [b]q[/b]            quit

Any key closes this page."""


def token(match: LocalMatch, seat: int, *, colour: bool = True) -> Text:
    fill, _ = seat_colours(match.rules.seats)[seat]
    light = {"#2a211c": "#8d7c70"}.get(fill, fill)  # black would vanish on the dark page
    return Text(TOKENS[seat % len(TOKENS)], style=light if colour else "")


def headline(match: LocalMatch, names: tuple[str, ...]) -> str:
    """Return the game, its size, and the players if there is a bot."""
    scene, rules = match.rules.scene(match.state), match.rules
    size = f" {scene.rows}x{scene.cols}" if scene and scene.board != "hex" else ""
    who = "" if names == rules.seats else f"  ·  {(' against ' if len(names) == 2 else ', ').join(names)}"
    return f"Palio  ·  {rules.title}{size}{who}"


def status_line(match: LocalMatch, names: tuple[str, ...], fault: str = "", *, colour: bool) -> Text:
    """Return the seat to move, with its token, or how the game ended; `fault`: why the bot to move resigned."""
    text = Text()
    if match.to_move is not None:
        text.append_text(token(match, match.to_move, colour=colour)).append(" ")
    text.append(plain(forfeited(match, names, fault)) if fault else status(match, names))
    gestures = match.rules.gestures
    count = gestures.count(match.state) if gestures else ""
    return text.append(f"  ·  {count}" if count and not fault else "", style="not bold")


def move_list(match: LocalMatch, names: tuple[str, ...], *, colour: bool) -> Text:
    """Return the players, then the moves in rounds, a line for each round if it fits."""
    seats = match.rules.seats
    text = Text()
    for number, (seat, name) in enumerate(zip(seats, names, strict=True)):
        text.append_text(token(match, number, colour=colour)).append(f" {seat}")
        text.append("" if name == seat else f"\n  {name}", style=SOFT).append("\n")
    text.append("\n")
    notations = match.notations()
    width = max((len(move) for _, move in notations), default=0)
    row = len(seats) if NUMBER + (width + 4) * len(seats) <= WIDTH else 1
    for ply, (seat_number, move) in enumerate(notations):
        if ply % len(seats) == 0:
            text.append(f"{ply // len(seats) + 1:>3}. ", style=SOFT)
        elif ply % row == 0:
            text.append(" " * NUMBER)
        last = ply == len(match.moves) - 1
        text.append_text(token(match, seat_number, colour=colour)).append(f" {move:<{width}}", style="bold" * last)
        text.append("\n" if ply % row == row - 1 else "  ")
    return text


class Help(ModalScreen[None]):
    """One page; any key or click closes it."""

    CSS = """
    Help { align: center middle; background: $background 60%; }
    Help > VerticalScroll {
        width: 68; max-width: 100%; height: auto; max-height: 100%;
        padding: 1 3; background: $surface; border: round $accent;
    }
    """

    def __init__(self, match: LocalMatch) -> None:
        super().__init__()
        rules = match.rules
        gestures, adviser = rules.gestures, companion_of(rules.name).adviser(rules)
        how = gestures.how if gestures else ""
        named = "  [b]p[/b]            pass\n" if gestures and gestures.by_name(match.state) else ""
        promise = adviser.promise if adviser else "nothing here"
        self._text = HELP.format(title=rules.title, how=how, digits=promise, named=named)

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)

    def on_key(self, event: events.Key) -> None:
        event.stop()  # the board below does not get it
        self.dismiss()

    def on_click(self) -> None:
        self.dismiss()


# A move in progress, from touches to the board: the cells touched in this turn, and those that may be next.


class Chosen(NamedTuple):
    """The move that the touches make, which the rules allow."""

    move: Any


@dataclass(frozen=True, slots=True)
class Selection:
    """The touches of this turn; `touched` is always the beginning of some legal move, or empty."""

    gestures: Gestures[Any, Any]
    state: Any
    touched: tuple[Cell, ...] = ()

    def targets(self) -> frozenset[Cell]:
        """Return the cells that may be touched next."""
        return frozenset(cell for _, touches in self._open() for cell in touches[len(self.touched)])

    def landings(self) -> frozenset[Cell]:
        """Return those of the targets that complete a move."""
        length = len(self.touched) + 1
        return frozenset(cell for _, touches in self._open() if len(touches) == length for cell in touches[-1])

    def touch(self, cell: Cell) -> Self | Chosen:
        """Touch `cell` next.

        Raises IllegalMove with the rules' own reason if there is no such move; then nothing changes.

        With a piece in hand, touching another one that can move takes that instead, and touching the same one again
        lets it go, unless that makes a move.
        """
        if self.state.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        ahead = [(move, touches) for move, touches in self._open() if cell in touches[len(self.touched)]]
        for move, touches in ahead:
            if len(touches) == len(self.touched) + 1:
                return Chosen(move)
        if ahead:
            return replace(self, touched=(*self.touched, cell))
        if self.touched and self._piece(cell):
            return replace(self, touched=() if cell in self.held() else (cell,))
        move = self.gestures.meant(self.state, (*self.touched, cell))
        self.state.check(move)
        raise AssertionError(f"{move!r} is legal, but no touches make it")

    def preview(self, rules: Game[Any, Any], cell: Cell) -> tuple[Mark, ...]:
        """Return the pieces that would newly stand on the board if touching `cell` completed a move."""
        if cell not in self.targets():
            return ()
        chosen = self.touch(cell)
        if not isinstance(chosen, Chosen):
            return ()
        before, after = rules.scene(self.state), rules.scene(self.state.play(chosen.move))
        return tuple(mark for mark in after.marks if mark not in before.marks) if before and after else ()

    def look(self, rules: Game[Any, Any], cursor: Cell | None) -> Look:
        ghosts = self.preview(rules, cursor) if cursor else ()
        refused = cursor is not None and cursor not in self.targets() | self.held()
        return Look(cursor, self.state.to_move, ghosts, self.landings(), self.held(), refused, self.leaves())

    def leaves(self) -> bool:
        """Return whether touching the piece in hand once more takes it off the board."""
        return bool(self.held() & self.landings())

    def held(self) -> frozenset[Cell]:
        """Return all cells of the piece in hand."""
        return self._piece(self.touched[0]) if self.touched else frozenset()

    def _open(self) -> Iterable[tuple[Any, tuple[frozenset[Cell], ...]]]:
        """Yield the legal moves that begin with the touched cells, and their touches."""
        for move, touches in self._by_hand():
            if all(cell in cells for cell, cells in zip(self.touched, touches, strict=False)):
                yield move, touches

    def _by_hand(self) -> Iterable[tuple[Any, tuple[frozenset[Cell], ...]]]:
        """Yield the legal moves that are made by touches, so without a pass."""
        for move in self.state.legal_moves():
            if touches := self.gestures.touches(self.state, move):
                yield move, touches

    def _piece(self, cell: Cell) -> frozenset[Cell]:
        """Return all cells of the piece on `cell`, if it can move; else none."""
        return next((touches[0] for _, touches in self._by_hand() if cell in touches[0]), frozenset())
