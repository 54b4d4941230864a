"""Rounds of a TRF file, paired by the Dutch system: the next one, or those in the file, for comparison."""

from dataclasses import dataclass

from palio_server.tournament.cards import Colour
from palio_server.tournament.dutch import RoundPairing, pair_round, players_of
from palio_server.tournament.trf.cells import TrfError, TrfFile, took_part

PairedBoard = tuple[int, int]  # White, Black; a bye has 0 in place of Black


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """A round in a file, and the same round paired by this implementation."""

    round: int
    theirs: frozenset[PairedBoard]
    ours: frozenset[PairedBoard]
    pairing: RoundPairing | None = None
    problem: str = ""  # why it cannot be paired

    @property
    def same(self) -> bool:
        return not self.problem and self.theirs == self.ours


def pair_next(file: TrfFile) -> RoundPairing:
    """Return the next round. Raises TrfError if the file lacks data, NoPairing if no pairing is possible."""
    round_ = file.played + 1
    if file.rounds is None:
        raise TrfError("the file does not say how many rounds there are; add a line such as XXR 9")
    if round_ > file.rounds:
        raise TrfError(f"all {file.rounds} rounds are paired; give more of them in the XXR line to pair round {round_}")
    active = {player.number for player in file.players if player.cell(round_) is None}
    return pair_numbers(file, round_, active, file.rounds)


def pair_numbers(file: TrfFile, round_: int, active: set[int], rounds: int) -> RoundPairing:
    """Return these numbers, paired in this round by the results of the rounds before it."""
    if not file.initial:
        raise TrfError("no colour has been drawn: no game tells the initial one; add a line XXC white1 or XXC black1")
    return _paired(file, round_, active, rounds, file.initial)


def _paired(file: TrfFile, round_: int, active: set[int], rounds: int, initial: Colour) -> RoundPairing:
    players = players_of(file.cards(round_), round_, active, file.virtual, file.forbidden_pairs(round_))
    win = round(10 * max(file.system.win, file.system.draw))
    return pair_round(list(players.values()), round_, rounds, initial, win)


def check_rounds(file: TrfFile) -> list[RoundCheck]:
    """Return a check of every round in the file."""
    return [_check(file, round_) for round_ in range(1, file.played + 1)]


def _check(file: TrfFile, round_: int) -> RoundCheck:
    active, theirs = set(), set()
    for player in file.players:
        cell = player.cell(round_)
        if cell is None or not took_part(cell):
            continue
        active.add(player.number)
        other = cell.opponents[0] if cell.opponents else 0
        if not other or file.drawn.get((player.number, round_)) == "white":
            theirs.add((player.number, other))
    try:
        found = pair_numbers(file, round_, active, file.rounds or file.played)
    except TrfError:
        raise
    except ValueError as error:
        return RoundCheck(round_, frozenset(theirs), frozenset(), problem=str(error))
    return RoundCheck(round_, frozenset(theirs), frozenset(boards_of(found)), found)


def boards_of(pairing: RoundPairing) -> list[PairedBoard]:
    """Return the boards in order, the bye at the end."""
    boards = [(board.white.number, board.black.number) for board in pairing.boards]
    return [*boards, (pairing.bye.number, 0)] if pairing.bye else boards
