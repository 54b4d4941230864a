"""Dominoes solved: alpha-beta with two values, a table, symmetry, and bounds by safe moves.

Breuker, Uiterwijk and van den Herik, "Solving 8x8 Domineering", Theoretical Computer Science 230 (2000), is the source
of the bounds; the loss to an opponent who only destroys is counted as in Bullock, "Domineering: solving large
combinatorial search spaces", ICGA Journal 25 (2002). There are no draws, so each position has one of two values, and a
search is done as soon as one side is sure of more moves than the other can ever make.

- A place is **safe** if the opponent can never cover a square of it. Safe places that do not overlap are sure moves.
- Of **other** places that do not overlap, the opponent covers two with each domino, at most.
- The opponent's **most** moves are the largest number of its places that do not overlap, found line by line.

Unusable squares count as filled, and a position also represents its mirror images.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from palio_clients.games.dominoes.evaluation import room
from palio_clients.kernels import available
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Board, Position

if TYPE_CHECKING:  # numba may be missing
    from palio_clients.games.dominoes.kernels import Solver as Prover

REMEMBERED = 3_000_000  # positions in the table: some 400 megabytes

Key = tuple[int, int]  # the squares that are filled or unusable, and the side to move


class _Enough(Exception): ...  # the budget is used up


def solver() -> Solver:
    """Return the compiled solver, some hundred times as fast; without numba the readable one below."""
    if not available():
        return ReadableDominoes()
    from palio_clients.games.dominoes.kernels import Solver as Prover  # noqa: PLC0415 - numba may be missing

    return CompiledDominoes(Prover())


class CompiledDominoes(Solver):
    """A compiled solver with the same bounds and better ones. Boards that do not fit go to the readable one."""

    how = "compiled depth-first proof with a table and bounds by safe moves"

    def __init__(self, prover: "Prover") -> None:
        self._prover = prover

    def prepare(self, state: Position) -> None:
        self._prover.move(state, max_nodes=1)  # there is one prover for each width of a word

    def solve(self, state: Position, budget: Budget) -> Solution:
        budget.stage = "depth first"
        with budget.counting(lambda: self._prover.nodes):
            found = self._prover.solve(state, budget.stop, max_nodes=budget.most())
        budget.spend(found.nodes)
        if found.winner is None:
            return standing(state) if budget.stop() else ReadableDominoes().solve(state, budget)
        return Solution("win" if found.winner == state.turn else "loss", line=found.line)


class ReadableDominoes(Solver):
    """A solver with a memory of proofs, for boards of one size."""

    how = "alpha-beta with a table, symmetry and bounds by safe moves"

    def __init__(self) -> None:
        self._board: Board | None = None
        self._known: dict[Key, bool] = {}

    def solve(self, state: Position, budget: Budget) -> Solution:
        if state.board is not self._board:
            self._board, self._known = state.board, {}
        search, budget.stage = _Search(state.board, self._known, budget), "alpha-beta"
        try:
            wins = search.wins(state.filled, state.turn)
            return Solution("win" if wins else "loss", line=search.line(state, wins=wins))
        except _Enough:
            return standing(state)


def standing(state: Position) -> Solution:
    """Return what is known without a proof: how many more moves one side could have than the other."""
    ours, theirs = (most(state.board, state.filled, seat) for seat in (state.turn, 1 - state.turn))
    return Solution(value=float(ours - theirs))


class _Search:
    def __init__(self, board: Board, known: dict[Key, bool], budget: Budget) -> None:
        self._board, self._known, self._budget = board, known, budget
        self._mirrors = mirrors(board)

    def wins(self, filled: int, seat: int) -> bool:
        """Return whether `seat`, which is to move, wins. Raises _Enough."""
        if self._budget.tick():
            raise _Enough
        bounded = by_bounds(self._board, filled, seat)
        if bounded is not None:
            return bounded
        key = self._key(filled, seat)
        if (known := self._known.get(key)) is not None:
            return known
        replies = self._replies(filled, seat)
        found = replies is None or any(not self.wins(after, 1 - seat) for after in replies)
        if len(self._known) < REMEMBERED:
            self._known[key] = found
        return found

    def line(self, state: Position, *, wins: bool) -> tuple[Any, ...]:
        """Return moves to the end: the winner's keep the win, the loser's leave the most room. Raises _Enough."""
        moves, board = [], self._board
        while state.to_move is not None:
            options = [(move, state.play(move)) for move in state.legal_moves()]
            if wins:
                move, state = next((move, after) for move, after in options if not self.wins(after.filled, after.turn))
            else:
                move, state = max(options, key=lambda option: room(board, option[1].filled, 1 - option[1].turn))
            moves.append(move)
            wins = not wins
        return tuple(moves)

    def _replies(self, filled: int, seat: int) -> list[int] | None:
        """Return the filled squares after each move, the safest first; None if one of them wins by the bounds."""
        board, step = self._board, _step(self._board, seat)
        places, found = board.places(filled, seat), []
        while places:
            place = places & -places
            places ^= place
            after = filled | place | place << step
            margin = sure(board, after, seat, first=False) - most(board, after, 1 - seat)
            if margin >= 0:
                return None
            found.append((-margin, -room(board, after, seat), after))
        return [after for *_, after in sorted(found)]

    def _key(self, filled: int, seat: int) -> Key:
        """Return the first mirror image of the position, with unusable squares filled."""
        board = self._board
        upright, flat = board.places(filled, VERTICAL), board.places(filled, HORIZONTAL)
        useful = upright | upright << board.cols | flat | flat << 1
        return min(mirrored(board.full ^ useful, self._mirrors)), seat


def by_bounds(board: Board, filled: int, seat: int) -> bool | None:
    """Return whether `seat`, which is to move, wins, if counting decides it; else None."""
    other = 1 - seat
    if sure(board, filled, seat, first=True) > most(board, filled, other):
        return True
    return False if sure(board, filled, other, first=False) >= most(board, filled, seat) else None


def most(board: Board, filled: int, seat: int) -> int:
    """Return the moves that `seat` could make if it were always its turn."""
    return apart(board.places(filled, seat), _step(board, seat)).bit_count()


def sure(board: Board, filled: int, seat: int, *, first: bool) -> int:
    """Return the moves that `seat` can make against any defence; `first`: it is its turn."""
    step = _step(board, seat)
    places, theirs = board.places(filled, seat), board.places(filled, 1 - seat)
    open_to_them = theirs | theirs << _step(board, 1 - seat)
    safe = apart(places & ~open_to_them & ~(open_to_them >> step), step)
    taken = safe | safe << step
    others = apart(places & ~taken & ~(taken >> step), step).bit_count()
    return safe.bit_count() + (others + (2 if first else 0)) // 3  # in turns: one for us, two that are destroyed


def apart(places: int, step: int) -> int:
    """Return the number of `places` without overlap: in each line every other one, from its beginning."""
    chosen = 0
    while places:
        begins = places & ~(places << step)
        chosen |= begins
        places &= ~(begins | begins << step)
    return chosen


@cache
def mirrors(board: Board) -> tuple[dict[int, int], int, int, int]:
    """Return each row's mirror image, a row's squares as bits, the number of rows, and that of columns."""
    rows, cols = board.rows, board.cols
    return {row: int(f"{row:0{cols}b}"[::-1], 2) for row in range(1 << cols)}, (1 << cols) - 1, rows, cols


def mirrored(squares: int, mirror: tuple[dict[int, int], int, int, int]) -> tuple[int, int, int, int]:
    """Return the squares, and their images left to right, upside down, and rotated by half a turn."""
    image, row, rows, cols = mirror
    across = upside = turned = 0
    for number in range(rows):
        cells = squares >> number * cols & row
        back = image[cells]
        there = (rows - 1 - number) * cols
        across |= back << number * cols
        upside |= cells << there
        turned |= back << there
    return squares, across, upside, turned


def _step(board: Board, seat: int) -> int:
    """Return the distance from a square to the other one of a domino there."""
    return board.cols if seat == VERTICAL else 1
