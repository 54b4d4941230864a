"""The proof that one side has the last move: depth-first, with the best bounds, a table, and the most promising first.

What makes it quick: positions are compared after all that is settled was taken away from them (`bounds.settle`), in the
least of their four mirror images; every move is judged by `bounds` and looked up in the table before any is tried
(enhanced transposition cutoffs: Plaat, Schaeffer, Pijls and de Bruin, AAAI 1996); then those that leave the opponent
least come first, at the edges before the centre. Moves that nobody can take away are kept for the end, and of those in
settled stretches, one is as good as another.

A node is a position whose moves are listed. Those that a bound or the table decides are never visited.
"""

from typing import Any

import numpy as np

from palio_clients.games.dominoes.kernels.bounds import FIRST, SECOND, coverable, most, plan, settle, surplus
from palio_clients.games.dominoes.kernels.workspace import before, places, played, ways
from palio_clients.kernels.bits import ZERO, raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel
from palio_clients.kernels.table import bucket_of, recall
from palio_clients.kernels.words import (
    PARTS,
    first,
    loaded,
    lowest_of,
    mirrored,
    nothing_like,
    part_of,
    parts_in,
    size,
    stored,
)

WON, OPEN, LOST = 1, 0, -1  # for the side to move
ROOM = 32  # balances from -ROOM to ROOM - 1 fit into a key of the table
KEPT = 2  # parts of a word that a key has room for; wider boards are not looked up
NEAR = 3  # moves that a plan is short of, at most, for another one to be worth looking for
MANY = 20  # free squares, at least, for a position to be turned into its least image and looked up before it is tried
SETTLED = -1  # the move in a settled stretch
MOVE_MERIT, SAFE_LAST, SETTLED_LAST = 1000, 10**7, 10**8
BALANCE_AT = np.uint64(57)  # the bits of a key's second word above the squares
TRUE, WORK_AT = np.uint64(1), np.uint64(8)
AGE_MASK = np.uint64(0x3F)


@kernel
def prove(spaces: Array, table: Array, flag: Flag, free: Word, turn: Int) -> Int:
    """Whether the side to move, which can move, wins. OPEN if it was stopped, or came to its limit of nodes.

    `chosen` is the winning move then, or the one that was hardest to refute; SETTLED if the bounds refute all of them.
    """
    space = spaces[0]
    ply, balance, hardest = np.int64(0), np.int64(0), np.int64(-1)
    space.begin[0], space.chosen = 0, SETTLED
    down, along = ways(space, free)
    found = visit(space, table, free, balance, turn, ply, down, along)
    while True:
        if found == OPEN and space.begin[ply] == space.end[ply]:
            found = LOST
        if found == OPEN:
            at = pick(space, ply)
            child, balance = loaded(free, space.child[at]), space.child_balance[at]
            found = known(table, child, balance, 1 - turn)
            if found == OPEN:
                if raised(flag) or (space.limit and space.nodes >= space.limit):
                    return OPEN
                ply += 1
                turn = 1 - turn
                space.begin[ply] = space.end[ply - 1]
                found = visit(space, table, child, balance, turn, ply, down, along)
                continue
        else:
            work = space.nodes - space.since[ply]
            if ply == 0:
                return found
            remember(table, loaded(free, space.free[ply]), space.balance[ply], turn, found, work, space.age)
            ply -= 1
            turn = 1 - turn
            if ply == 0 and work > hardest:
                hardest, space.chosen = work, space.move[space.begin[0] - 1]
        if found == LOST:
            found = WON
            if ply == 0:
                space.chosen = space.move[space.begin[0] - 1]
        else:
            found = OPEN


@kernel
def visit(space: Record, table: Array, free: Word, balance: Int, turn: Int, ply: Int, down: Any, along: Any) -> Int:
    """List the moves of a position that still are to be tried, on the stack. WON if one of them wins at once."""
    space.since[ply] = space.nodes
    space.nodes += 1
    stored(free, space.free[ply])
    space.balance[ply] = balance
    own, other = (down, along) if turn == 0 else (along, down)
    sign = 1 - 2 * turn
    begin = space.begin[ply]
    at = begin
    space.end[ply] = at
    none = nothing_like(free)
    rest, open_ = places(free, own), ~coverable(free, other)
    safe = open_ & before(open_, own)
    while rest != none:
        place = lowest_of(rest)
        rest = rest ^ place
        child, more = settle(played(free, place, own), down, along)
        found, value = judged(space, child, sign * (balance + more), own, other)
        if found == OPEN and size(child) >= MANY:
            child = canonical(space, child)
            found = known(table, child, balance + more, 1 - turn)
        if found == LOST:
            if ply == 0:
                space.chosen = first(place)
            return WON
        if found == OPEN:
            merit = value * MOVE_MERIT + space.edge[turn, first(place)]
            if (place & safe) != none:
                merit -= SAFE_LAST
            push(space, at, child, balance + more, value, merit, first(place))
            at += 1
    if sign * balance > 0:
        found, value = judged(space, free, sign * balance - 1, own, other)
        if found == LOST:
            return WON
        if found == OPEN:
            push(space, at, free, balance - sign, value, np.int64(-SETTLED_LAST), np.int64(SETTLED))
            at += 1
    space.end[ply] = at
    return OPEN


@kernel
def judged(space: Record, free: Word, lead: Int, own: Any, other: Any) -> tuple[Int, Int]:
    """What the bounds say of a position for its side to move, whose way is `other`; and its merit for `own`.

    `lead` is the balance of what is settled, as `own` sees it.
    """
    hope, fear = most(free, own), most(free, other)
    ours, theirs = plan(free, own, other), plan(free, other, own)
    we, they = surplus(space, ours, SECOND, fear) + lead, surplus(space, theirs, FIRST, hope) - lead
    if we >= 0:
        return LOST, 0
    if they > 0:
        return WON, 0
    turned = mirrored(free) >> space.unused  # other dominoes fit if one begins at the other end
    if we >= -NEAR and surplus(space, plan(turned, own, other), SECOND, fear) + lead >= 0:
        return LOST, 0
    if they > -NEAR and surplus(space, plan(turned, other, own), FIRST, hope) - lead > 0:
        return WON, 0
    return OPEN, hope + ours[0] - fear - theirs[0] + 2 * lead


@kernel
def canonical(space: Record, free: Word) -> Word:
    """The least of the four mirror images."""
    step, row = space.step[0], nothing_like(free)
    upside, rest = row, free
    line = ~((~row) << step)
    for _ in range(space.squares // np.int64(step)):
        upside = (upside << step) | (rest & line)
        rest = rest >> step
    turned, sideways = mirrored(free) >> space.unused, mirrored(upside) >> space.unused
    return lesser(lesser(free, upside), lesser(turned, sideways))


@kernel
def lesser(one: Word, other: Word) -> Word:
    return one if one < other else other  # noqa: FURB136 - numba's min does not know wide words


@kernel
def push(space: Record, at: Int, child: Word, balance: Int, value: Int, merit: Int, move: Int) -> None:
    stored(child, space.child[at])
    space.child_balance[at], space.value[at], space.merit[at], space.move[at] = balance, value, merit, move


@kernel
def pick(space: Record, ply: Int) -> Int:
    """Take the best move of a position from the stack; where it lies."""
    at = space.begin[ply]
    best = at
    for other in range(at + 1, space.end[ply]):
        if space.merit[other] > space.merit[best]:
            best = other
    for part in range(PARTS):
        space.child[best, part], space.child[at, part] = space.child[at, part], space.child[best, part]
    for column in (space.child_balance, space.value, space.merit, space.move):
        column[best], column[at] = column[at], column[best]
    space.begin[ply] = at + 1
    return at


@kernel
def key(free: Word, balance: Int, turn: Int) -> tuple[Word, Word]:
    """Two words; the squares are 121 at most."""
    above = np.uint64(turn + 2 * (balance + ROOM)) << BALANCE_AT
    return part_of(free, np.int64(0)), part_of(free, np.int64(1)) | above


@kernel
def known(table: Array, free: Word, balance: Int, turn: Int) -> Int:
    if parts_in(free) > KEPT or balance < -ROOM or balance >= ROOM:
        return OPEN
    a, b = key(free, balance, turn)
    entry = recall(table, a, b)
    if entry == ZERO:
        return OPEN
    return WON if entry & TRUE else LOST


@kernel
def remember(table: Array, free: Word, balance: Int, turn: Int, found: Int, work: Int, age: Int) -> None:
    """As `table.keep`, where what has cost more nodes stays."""
    if parts_in(free) > KEPT or balance < -ROOM or balance >= ROOM:
        return
    a, b = key(free, balance, turn)
    entry = np.uint64(work) << WORK_AT | np.uint64(age) << TRUE | np.uint64(found == WON)
    bucket = bucket_of(table, a, b)
    dear = bucket[2]
    stale = (dear >> TRUE) & AGE_MASK != np.uint64(age)
    at = 0 if stale or dear == ZERO or (dear >> WORK_AT) <= np.uint64(work) else 3
    if at == 0:
        bucket[3], bucket[4], bucket[5] = bucket[0], bucket[1], bucket[2]
    bucket[at], bucket[at + 1], bucket[at + 2] = a, b, entry
