"""What stands around the board: the lines above and below, the list of moves, the page of help, and their style."""

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.theme import Theme
from textual.widgets import Static

from palio_clients.games import companion_of
from palio_clients.terminal.local_match import LocalMatch
from palio_clients.terminal.palette import ACCENT, BAD, GOLD, GROUND, INK, LINE, SOFT, seat_colours
from palio_clients.terminal.sentences import forfeited, status
from palio_rules.plain_text import plain

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
  [b]Esc[/b]          stop that search; let go of a piece
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
    """The game, its size, and who plays whom if a bot is there."""
    scene, rules = match.rules.scene(match.state), match.rules
    size = f" {scene.rows}x{scene.cols}" if scene and scene.board != "hex" else ""
    who = "" if names == rules.seats else f"  ·  {(' against ' if len(names) == 2 else ', ').join(names)}"
    return f"Palio  ·  {rules.title}{size}{who}"


def status_line(match: LocalMatch, names: tuple[str, ...], fault: str = "", *, colour: bool) -> Text:
    """Whose turn it is, with its token, or how the game ended; `fault`: why the bot to move has given up."""
    text = Text()
    if match.to_move is not None:
        text.append_text(token(match, match.to_move, colour=colour)).append(" ")
    text.append(plain(forfeited(match, names, fault)) if fault else status(match, names))
    gestures = match.rules.gestures
    count = gestures.count(match.state) if gestures else ""
    return text.append(f"  ·  {count}" if count and not fault else "", style="not bold")


def move_list(match: LocalMatch, names: tuple[str, ...], *, colour: bool) -> Text:
    """Who plays, then the moves in rounds, as many to a line as there are seats, if they fit."""
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
        self._text = HELP.format(title=rules.title, how=how, digits=adviser.promise if adviser else "nothing here")

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)

    def on_key(self, event: events.Key) -> None:
        event.stop()  # the board below does not hear it
        self.dismiss()

    def on_click(self) -> None:
        self.dismiss()
