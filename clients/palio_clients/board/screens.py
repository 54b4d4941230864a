"""What stands around the board: the lines above and below, the list of moves, and the page of help."""

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from palio_clients.board.handling import HANDLINGS
from palio_clients.board.palette import SOFT, seat_colours
from palio_clients.board.sitting import Sitting
from palio_clients.board.words import forfeited, status
from palio_rules.plain_text import plain

TOKENS = "●■▲◆"  # a seat is told without colour, too
NUMBER, WIDTH = 5, 24  # characters of a round's number, and of the list of moves

HELP = """\
[b]{title}[/b]

{how}

  [b]click[/b], [b]arrows[/b] and [b]Enter[/b]   make a move
  [b]r[/b]            play a random move
  [b]1[/b] to [b]9[/b]       {digits}
  [b]Esc[/b]          stop that search; let go of a piece
  [b]u[/b]            take your last move back
  [b]n[/b]            new game
  [b]+[/b]  [b]-[/b]         larger and smaller cells
  [b]q[/b]            quit

Any key closes this page."""

HOW = {
    "dominoes": "Vertical places dominoes upright, Horizontal lays them flat.\n"
    "Click the upper or left square. Who cannot place one loses.",
    "breakthrough": "Click a pawn, then where it goes: one step ahead, straight or\n"
    "diagonally; it captures diagonally. Reach the far row to win.",
    "end_of_the_track": "Click a block, then a knight's move away; or the block with\n"
    "the ball, then who gets it. Bring your ball to the far row.",
    "chexers": "Click a piece, then where it goes: a step, or a jump, which\n"
    "turns the piece below into your colour. On your edge (red:\n"
    "right, green: below, blue: upper left) click it again, and it\n"
    "leaves the board. Who has taken four pieces off has won.",
    "chexers_solo": "Click a piece, then where it goes: a step, or a jump over a\n"
    "piece or block. On its edge (red: right, green: below, blue:\n"
    "upper left) click it again, and it leaves. All are to leave.",
    "rush_hour": "Click a vehicle, then the cell that its front is to reach.\nClear the way to the right of vehicle a.",
}
DIGITS = {
    "dominoes": "play the best move within so many plies,\n               by the course's own alpha-beta search",
    "chexers": "play the best move within so many plies, by max^n",
    "chexers_solo": "play the first action of a shortest solution",
    "rush_hour": "play the first move of a shortest solution",
}


def token(sitting: Sitting, seat: int, *, colour: bool = True) -> Text:
    """A seat's sign, in its colour."""
    fill, _ = seat_colours(sitting.rules.seats)[seat]
    light = {"#2a211c": "#8d7c70"}.get(fill, fill)  # black would vanish on the dark page
    return Text(TOKENS[seat % len(TOKENS)], style=light if colour else "")


def headline(sitting: Sitting, names: tuple[str, ...]) -> str:
    """The game, its size, and who plays whom if a bot is there."""
    scene, rules = sitting.rules.scene(sitting.state), sitting.rules
    size = f" {scene.rows}x{scene.cols}" if scene and scene.board != "hex" else ""
    who = "" if names == rules.seats else f"  ·  {(' against ' if len(names) == 2 else ', ').join(names)}"
    return f"Palio  ·  {rules.title}{size}{who}"


def status_line(sitting: Sitting, names: tuple[str, ...], fault: str = "", *, colour: bool) -> Text:
    """Whose turn it is, with its token, or how the game ended; `fault`: why the bot to move has given up."""
    text = Text()
    if sitting.to_move is not None:
        text.append_text(token(sitting, sitting.to_move, colour=colour)).append(" ")
    text.append(plain(forfeited(sitting, names, fault)) if fault else status(sitting, names))
    count = HANDLINGS[sitting.rules.name].count(sitting.state)
    return text.append(f"  ·  {count}" if count and not fault else "", style="not bold")


def move_list(sitting: Sitting, names: tuple[str, ...], *, colour: bool) -> Text:
    """Who plays, then the moves in rounds, as many to a line as there are seats, if they fit."""
    seats = sitting.rules.seats
    text = Text()
    for number, (seat, name) in enumerate(zip(seats, names, strict=True)):
        text.append_text(token(sitting, number, colour=colour)).append(f" {seat}")
        text.append("" if name == seat else f"\n  {name}", style=SOFT).append("\n")
    text.append("\n")
    notations = sitting.notations()
    width = max((len(move) for _, move in notations), default=0)
    row = len(seats) if NUMBER + (width + 4) * len(seats) <= WIDTH else 1
    for ply, (seat_number, move) in enumerate(notations):
        if ply % len(seats) == 0:
            text.append(f"{ply // len(seats) + 1:>3}. ", style=SOFT)
        elif ply % row == 0:
            text.append(" " * NUMBER)
        last = ply == len(sitting.moves) - 1
        text.append_text(token(sitting, seat_number, colour=colour)).append(f" {move:<{width}}", style="bold" * last)
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

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        rules = sitting.rules
        digits = DIGITS.get(rules.name, "play the best move within so many plies")
        self._text = HELP.format(title=rules.title, how=HOW[rules.name], digits=digits)

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)

    def on_key(self, event: events.Key) -> None:
        event.stop()  # the board below does not hear it
        self.dismiss()

    def on_click(self) -> None:
        self.dismiss()
