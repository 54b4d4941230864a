"""Which moves are tried first: what searches share that keep moves on a stack, each with a merit above its 16 bits."""

from palio_clients.kernels.jit import Array, Int, Record, kernel

MERIT_AT, MOVE = 16, 0xFFFF
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
