"""Events as TRF files, and TRF files as the parts of an event."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from palio_db.event_values import Entry, Plan, PlanKind
from palio_rules.errors import BadOption
from palio_server.tournament.cards import Card, Cell, Colour, cards_of
from palio_server.tournament.event import Event
from palio_server.tournament.trf.cells import TrfError, TrfFile, TrfPlayer, cell_text, took_part

# The writer of TRF16 files with XXR and XXC lines.

NAME = 33  # characters


def write_trf(
    name: str,
    cards: Sequence[Card],
    rounds: int,
    initial: Colour,
    *,
    drawn: Mapping[tuple[int, int], Colour] | None = None,
    byes: Mapping[int, Sequence[int]] | None = None,
    line_end: str = "\n",
) -> str:
    """Return a file with these cards: one cell a round. `drawn`: colours of cells without one, by number and round.

    `byes`: those with a granted half point, by round that is not paired yet.
    """
    ranks = {
        card.number: rank for rank, card in enumerate(sorted(cards, key=lambda each: (-each.points, each.number)), 1)
    }
    last = max((cell.round for card in cards for cell in card.cells), default=0)
    lines = [f"012 {name}", f"062 {len(cards)}", "092 Individual: Swiss-System"]
    if rounds:  # unknown before the first round of some formats
        lines.append(f"XXR {rounds}")
    if initial:
        lines.append(f"XXC {initial}1")
    lines += [_line(card, ranks[card.number], last, drawn or {}) for card in cards]
    for round_, numbers in sorted((byes or {}).items()):
        lines.append(f"240 H {round_:3} " + " ".join(f"{number:4}" for number in numbers))
    return line_end.join([*lines, ""])


def _line(card: Card, rank: int, last: int, drawn: Mapping[tuple[int, int], Colour]) -> str:
    rating = "" if card.rating is None else f"{round(card.rating)}"[:4]
    # Columns from 1: 5-8 number, 15-47 name, 49-52 rating, 81-84 points, 86-89 rank, from 92 a cell every ten.
    head = f"001 {card.number:4}      {card.bot[:NAME]:<{NAME}} {rating:>4}{'':28}{card.points:4.1f} {rank:4}"
    cells: dict[int, Cell] = {cell.round: cell for cell in card.cells}
    texts = [
        cell_text(cells.get(round_, Cell(round_, "absent", 0.0)), drawn.get((card.number, round_), ""))
        for round_ in range(1, last + 1)
    ]
    return "  ".join([head, *texts])


COLOURS: tuple[Colour, Colour] = ("white", "black")  # by seat in the first game
KINDS: dict[str, PlanKind] = {"pairing-bye": "pairing-bye", "half-bye": "half-bye"}


@dataclass(frozen=True, slots=True)
class ImportedBoard:
    """A plan, and the scores by `plan.bots`; None: a bye. Not `fought`: a forfeit."""

    plan: Plan
    scores: tuple[float, ...] | None = None
    fought: bool = True


@dataclass(frozen=True, slots=True)
class Imported:
    """The event in a TRF file: entries by starting number, and its rounds, board by board."""

    name: str
    entries: tuple[Entry, ...]
    rounds: tuple[tuple[ImportedBoard, ...], ...]
    planned: int | None  # rounds in all


def trf_of(event: Event, name: str, *, rounds: int | None = None, initial: Colour = "white") -> str:
    """Return the event as a file, every encounter as one result; the bot that was named first had White.

    Starting numbers are those of the seeds. `rounds`: how many there are in all. Raises BadOption for tables of three.
    """
    if any(len(encounter.bots) > 2 for encounter in event.encounters):
        raise BadOption("a TRF file knows games of two only; export this event as JSON or CSV")
    order = event.seeds()
    numbers = {entry.bot: number for number, entry in enumerate(order, 1)}
    drawn: dict[tuple[int, int], Colour] = {}
    for encounter in event.encounters:
        if encounter.plan.kind == "played":
            for bot, colour in zip(encounter.bots, COLOURS, strict=True):
                drawn[numbers[bot], encounter.plan.round] = colour
    cards = cards_of(event, "encounters", order)
    byes: dict[int, list[int]] = {}
    for entry in order:
        for round_ in entry.byes:
            if round_ > event.last_round:
                byes.setdefault(round_, []).append(numbers[entry.bot])
    return write_trf(name, cards, rounds or event.last_round, initial, drawn=drawn, byes=byes)


def imported(file: TrfFile) -> Imported:
    """Return entries and rounds of a file. Raises TrfError if two have the same name."""
    names: dict[int, str] = {}
    for player in file.players:
        name = player.name or f"player-{player.number}"
        if name in names.values():
            raise TrfError(f"two players are called {name!r}; give one of them another name (columns 15 to 47)")
        names[player.number] = name
    entries = tuple(_entry(player, names[player.number], place, file) for place, player in enumerate(file.players, 1))
    rounds = tuple(tuple(_boards(file, round_, names)) for round_ in range(1, file.played + 1))
    return Imported(file.name, entries, rounds, file.rounds)


def _entry(player: TrfPlayer, name: str, number: int, file: TrfFile) -> Entry:
    there = [cell.round for cell in player.cells if cell and (took_part(cell) or cell.how != "absent")]
    left = max(there, default=0) + 1
    byes = frozenset(cell.round for cell in player.cells if cell and cell.how == "half-bye")
    byes |= file.byes.get(player.number, frozenset())
    return Entry(
        name,
        number,
        None if player.rating is None else float(player.rating),
        joined=min(there, default=1) if any(player.cells) else 1,
        left=left if there and left <= file.played else None,
        byes=byes,
    )


def _boards(file: TrfFile, round_: int, names: dict[int, str]) -> Iterator[ImportedBoard]:
    board = 0
    for player in file.players:
        cell = player.cell(round_)
        if cell and cell.opponents and file.drawn.get((player.number, round_)) == "white":
            board += 1
            yield _game(file, cell, round_, board, (player.number, cell.opponents[0]), names)
    for player in file.players:
        cell = player.cell(round_)
        if cell is None or not cell.opponents:
            board += 1
            how = "absent" if cell is None else cell.how
            yield ImportedBoard(Plan(round_, board, (names[player.number],), 0, round_ - 1, KINDS.get(how, "absent")))


def _game(
    file: TrfFile, cell: Cell, round_: int, board: int, pair: Sequence[int], names: dict[int, str]
) -> ImportedBoard:
    other = next(player for player in file.players if player.number == pair[1]).cell(round_)
    theirs = other.ahead[0] if other and other.ahead else 1.0 - cell.ahead[0]
    plan = Plan(round_, board, (names[pair[0]], names[pair[1]]), 1, round_ - 1)
    return ImportedBoard(plan, (cell.ahead[0], theirs), cell.how == "played")
