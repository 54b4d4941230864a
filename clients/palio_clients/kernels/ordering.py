"""Which moves are tried first, and which line is the best: what searches share that keep moves on a stack.

Each has a merit above its 16 bits. A line ends in 0.
"""

from palio_clients.kernels.jit import Array, Int, Record, kernel

MERIT_AT, MOVE = 16, 0xFFFF
LATE, REDUCED_DEPTH = 4, 3  # moves that are tried in full; plies that must be left for others to be tried less deep
KILLER, MOST = 1 << 29, 1 << 28  # the merit of a killer, and the most that history gives


@kernel
def pick(space: Record, ply: Int, number: Int, count: Int) -> tuple[Int, Int]:
    """Bring the best of the moves from `number` on to that place; its merit, and the move."""
    stack = space.stack[ply]
    at, most = number, stack[number]
    for other in range(number + 1, count):
        if stack[other] > most:
            at, most = other, stack[other]
    stack[at], stack[number] = stack[number], most
    return most >> MERIT_AT, most & MOVE


@kernel
def praise(killers: Array, history: Array, move: Int, credit: Int) -> None:
    """A move has cut off its brothers: it is a killer of its ply now, and history credits its side with it.

    Schaeffer, "The history heuristic", ICCA Journal 6 (1983).
    """
    if killers[0] != move:
        killers[1] = killers[0]
        killers[0] = move
    history[move] += credit
    if history[move] >= MOST:
        for each in range(len(history)):
            history[each] >>= 1


@kernel
def reduction(space: Record, number: Int, merit: Int, depth: Int) -> Int:
    """By how many plies less a move is tried first."""
    if not space.clever or number < LATE or depth < REDUCED_DEPTH or merit >= KILLER:
        return 0
    return 2 if number >= 3 * LATE and depth >= 2 * REDUCED_DEPTH else 1


@kernel
def adopt(space: Record, ply: Int, move: Int) -> None:
    """`move` and the best line after it are the best line from `ply` on."""
    line, below = space.line[ply], space.line[ply + 1]
    line[0] = move
    at = 0
    while below[at] != 0:
        line[at + 1] = below[at]
        at += 1
    line[at + 1] = 0
