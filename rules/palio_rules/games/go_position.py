"""A position of Go: its legal moves, the check of one move, its score.

Tromp and Taylor, "The game of Go", https://tromp.github.io/go.html, with suicide forbidden unless an option allows it.

A stone is taken from the board if its group has no liberty, an empty point beside one of its stones: first the enemy's
groups, then the player's own (suicide). No move may bring back a board that was there before, for either side to move
(positional superko). Two passes in a row end the game.

With `cleanup` a pass may claim stones dead, `pass:D4,E5`: the groups of these stones, of either colour. Two passes
with equal claims end the game, which is scored without these stones. After unequal claims play goes on, and the next
two passes end the game without the stones that both claim. Claims are too many to be listed among the legal moves.

A board can return only with as many stones as it had. A position knows the most stones that were ever on the board, so
in most positions of a game no history is looked at.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Self

from palio_rules.boards.go import CLAIM, PASS, Board, board_of, is_pass
from palio_rules.boards.grid import text_board
from palio_rules.errors import IllegalMove, quoted
from palio_rules.game import Outcome, only_moves
from palio_rules.position import Moves, Squares

BLACK, WHITE = 0, 1
SIDES = ("black", "white")
EMPTY, STONES = ".", "XO"
MOST_CLAIMED = 2400  # characters of all claims of a game: a position, which has them all, must fit into a message


@dataclass(frozen=True, slots=True)
class Position(Squares):
    """A position: both sides' stones as bits of `board`, the seat (0 Black, 1 White) to move, the rules that it needs.

    `state[row, col]` is "X" for a black stone, "O" for a white one, "." for an empty point; row 0 is at the top.

    Positions are equal if they have the same stones, side to move, passes in a row, rules, and point that the ko
    forbids. The history is not compared: almost all positions would be different by that, and a key of a transposition
    table useless. So equal positions may differ in a move that a longer cycle forbids.
    """

    board: Board
    black: int = 0
    white: int = 0
    turn: int = BLACK
    passes: int = 0  # in a row; 2 end the game
    komi: float = 7.0  # points that White gets for moving second
    suicide: bool = False
    ko: int = 0  # the point where a stone would take back the stone that has just taken one
    cleanup: bool = False  # if passes may claim stones dead
    claim: int = 0  # the stones that the last pass claims, after two passes those that both claim
    disputed: bool = False  # if two passes had unequal claims before
    captures: tuple[int, int] = field(default=(0, 0), compare=False)  # stones that each seat has taken
    moves: tuple[str, ...] = field(default=(), compare=False)  # from the first position to here
    boards: tuple[int, ...] = field(default=(), compare=False)  # before each of them, as `_code` writes them
    most: int = field(default=0, compare=False)  # stones on the fullest of `boards`
    origin: "Position | None" = field(default=None, compare=False, repr=False)  # the first position, if not this one

    @property
    def to_move(self) -> int | None:
        return None if self.passes >= 2 or len(self.moves) >= self.board.longest else self.turn

    def __str__(self) -> str:
        stones = f"{self.captures[BLACK]} and {self.captures[WHITE]} stones taken"
        return text_board(self.rows(), f"{self.status()}, {stones}", self.board.col_names)

    def status(self) -> str:
        """Return whose turn it is, or the result in words: "black wins by 3.5"."""
        return f"{SIDES[self.turn]} to move" if self.to_move is not None else told(self.margin())

    # --- moves ---

    def legal_moves(self) -> Moves[str]:
        """Return points row by row from the top, each from the left; `pass` is the last move."""
        return Moves(self._moves)

    def _moves(self) -> Iterator[str]:
        if self.to_move is None:
            return
        names = self.board.names
        free, doubtful = self._candidates()
        earlier = {*self.boards, self._code(self.black, self.white)} if doubtful else set()
        for bit in self.board.points(free):
            if not bit & doubtful or self._code(*self._after(bit)[:2]) not in earlier:
                yield names[bit]
        yield PASS

    def _candidates(self) -> tuple[int, int]:
        """Return the points that are free and no forbidden suicide; of these the ones that could repeat a board."""
        board = self.board
        own, enemy = self._sides()
        empty = board.full ^ own ^ enemy
        taking = 0  # the last liberties of enemy groups
        for group in board.groups(enemy):
            liberties = board.spread(group) & empty
            if not liberties & liberties - 1:
                taking |= liberties
        living = empty  # what gives a new stone beside it a liberty
        for group in board.groups(own):
            liberties = board.spread(group) & empty
            if liberties & liberties - 1:
                living |= group
        open_ = board.beside(living) & empty | taking
        free = empty if self.suicide else open_
        if (own | enemy).bit_count() < self.most:
            return free, free
        return free, free & (taking | ~open_)

    @only_moves
    def check(self, move: str) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        if self.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        if is_pass(move):
            self._check_claim(move)
            return
        bit = self.board.bits.get(move)
        if bit is None:
            raise IllegalMove(
                "off-board", f"{quoted(move)} is no point of the {self.board.size}x{self.board.size} board"
            )
        if (self.black | self.white) & bit:
            side = SIDES[BLACK if self.black & bit else WHITE]
            raise IllegalMove("occupied", f"{move}: {side} has a stone there")
        black, white, _, lost = self._after(bit)
        if lost and not self.suicide:
            group = "a stone there" if lost == bit else f"the group of {lost.bit_count()} stones"
            raise IllegalMove("suicide", f"{move} is suicide: {group} would have no liberty")
        if (black | white).bit_count() <= max(self.most, (self.black | self.white).bit_count()):
            self._check_new(move, self._code(black, white))

    def _check_claim(self, move: str) -> None:
        names = _claimed(move)
        if names and not self.cleanup:
            raise IllegalMove(
                "no-claims", f"{quoted(move)}: dead stones are claimed only with cleanup=final_status_list"
            )
        for name in names:
            bit = self.board.bits.get(name, 0)
            if not (self.black | self.white) & bit:
                raise IllegalMove("not-a-stone", f"{quoted(move)}: at {quoted(name)} is no stone that could be dead")
        so_far = sum([len(each) for each in self.moves if each.startswith(CLAIM)])
        if names and so_far + len(move) > MOST_CLAIMED:
            raise IllegalMove(
                "long-claims",
                f"the claims of a game have at most {MOST_CLAIMED:,} characters, with this one {so_far + len(move):,}; "
                f"say only {PASS}",
            )

    def claiming(self, dead: Iterable[str]) -> str:
        """Return the pass that claims the groups of these stones dead: the first point of each, in the board's order.

        Points without a stone are left out.
        """
        found = self._groups_of(dead)
        firsts = sorted(
            group & -group for side in (self.black, self.white) for group in self.board.groups(found & side)
        )
        return CLAIM + ",".join([self.board.names[bit] for bit in firsts]) if firsts else PASS

    def _groups_of(self, names: Iterable[str]) -> int:
        board, found = self.board, 0
        for name in names:
            bit = board.bits.get(name, 0)
            for side in (self.black, self.white):
                if side & bit:
                    found |= board.flood(bit, side)
        return found

    def _check_new(self, move: str, code: int) -> None:
        if code == self._code(self.black, self.white):
            raise IllegalMove("superko", f"{move} would leave the board unchanged (positional superko)")
        if code in self.boards:
            number = self.boards.index(code)
            when = f"after move {number}" if number else "at the start"
            raise IllegalMove("superko", f"{move} would repeat the position {when} (positional superko)")

    def play(self, move: str) -> Self:
        board, turn, black, white = self.board, self.turn, self.black, self.white
        captures, passes, ko, claim, disputed = self.captures, self.passes + 1, 0, 0, self.disputed
        if is_pass(move):
            if self.cleanup:
                passes, claim, disputed = self._after_pass(self._groups_of(_claimed(move)))
        else:
            bit = board.bits[move]
            passes = 0
            black, white, taken, lost = self._after(bit)
            if taken or lost:
                gained = [taken.bit_count(), lost.bit_count()]
                captures = (captures[0] + gained[turn], captures[1] + gained[1 - turn])
                ko = self._ko(bit, taken, (black, white)[turn])
        return type(self)(
            board,
            black,
            white,
            1 - turn,
            passes,
            self.komi,
            self.suicide,
            ko,
            self.cleanup,
            claim,
            disputed,
            captures,
            (*self.moves, move),
            (*self.boards, self._code(self.black, self.white)),
            max(self.most, (self.black | self.white).bit_count()),
            self if self.origin is None else self.origin,
        )

    def _after_pass(self, claim: int) -> tuple[int, int, bool]:
        """Return passes in a row, claimed stones, and whether there was a dispute, after a pass with this claim."""
        if not self.passes:
            return 1, claim, self.disputed
        if self.disputed or claim == self.claim:
            return 2, claim & self.claim, self.disputed
        return 0, 0, True

    def _ko(self, bit: int, taken: int, own: int) -> int:
        """Return the stone that was taken, if taking back at once would repeat the board; else 0."""
        board = self.board
        if taken & taken - 1 or board.near[bit] & own:
            return 0
        return taken if board.near[bit] & ~(self.black | self.white) | taken == taken else 0

    def _sides(self) -> tuple[int, int]:
        return (self.white, self.black) if self.turn else (self.black, self.white)

    def _after(self, bit: int) -> tuple[int, int, int, int]:
        """Return the black and white stones after a stone on `bit`, the enemy's stones taken, the player's own lost."""
        board = self.board
        own, enemy = self._sides()
        near = board.near[bit]
        own |= bit
        empty = board.full ^ own ^ enemy
        taken = lost = 0
        beside = near & enemy
        while beside:
            stone = beside & -beside
            group = board.taken(stone, enemy, empty)
            taken |= group
            beside &= ~(group | stone)
        if taken:
            enemy ^= taken
        elif not near & empty:
            lost = board.taken(bit, own, empty)
            own ^= lost
        return (enemy, own, taken, lost) if self.turn else (own, enemy, taken, lost)

    def _code(self, black: int, white: int) -> int:
        return black << self.board.width | white

    # --- the end ---

    def outcome(self) -> Outcome | None:
        """Return the result by area "score" after two passes, or at "max-plies"; None while the game goes on."""
        if self.to_move is not None:
            return None
        margin = self.margin()
        scores = (1.0, 0.0) if margin > 0 else (0.0, 1.0) if margin < 0 else (0.5, 0.5)
        return Outcome("score" if self.passes >= 2 else "max-plies", scores, said(margin))

    def areas(self) -> tuple[int, int]:
        """Return the points of each side as bits: its stones, and the empty points that reach only its stones.

        Stones that both sides claim dead are taken from the board before.
        """
        living = ~self.dead
        return self.board.areas(self.black & living, self.white & living)

    @property
    def dead(self) -> int:
        """Return the stones that both sides claim dead, after two passes; else 0."""
        return self.claim if self.passes >= 2 else 0

    def margin(self) -> float:
        """Return Black's points minus White's and the komi, if the game ended here.

        All stones count as alive, but the ones that both sides claim dead after two passes.
        """
        black, white = self.areas()
        return black.bit_count() - white.bit_count() - self.komi

    # --- the board as text ---

    def rows(self) -> list[str]:
        """Return the rows as text, from the top: "X" black, "O" white, "." empty."""
        width, stride, size = self.board.width, self.board.stride, self.board.size
        black, white = (
            f"{stones:0{width}b}"[::-1] for stones in (self.black, self.white)
        )  # the first point comes first
        text = "".join([_LETTERS[pair] for pair in zip(black, white, strict=True)])
        return [text[at : at + size] for at in range(0, width, stride)]


_LETTERS = {("0", "0"): EMPTY, ("1", "0"): STONES[BLACK], ("0", "1"): STONES[WHITE]}


def told(margin: float) -> str:
    """Return a result in words: "black wins by 3.5", "draw"."""
    return f"{SIDES[margin < 0]} wins by {abs(margin):g}" if margin else "draw"


def said(margin: float) -> str:
    """Return a result as a sentence: "Black wins by 3.5 points", "Both have as many points"."""
    if not margin:
        return "Both have as many points"
    return f"{told(margin).capitalize()} {'point' if abs(margin) == 1 else 'points'}"


def placed(
    size: int,
    black: int = 0,
    white: int = 0,
    turn: int = BLACK,
    passes: int = 0,
    komi: float = 7.0,
    *,
    suicide: bool = False,
    cleanup: bool = False,
    captures: tuple[int, int] = (0, 0),
) -> Position:
    """Return a first position with these stones, of which no history is known. Nothing is checked."""
    return Position(board_of(size), black, white, turn, passes, komi, suicide, cleanup=cleanup, captures=captures)


def _claimed(move: str) -> list[str]:
    """Return the points that a pass names."""
    return move[len(CLAIM) :].split(",") if len(move) > len(PASS) else []
