"""The common parts of compiled searches. They use numba, and are hundreds of times as fast as the readable ones.

A game's own kernels are in its companion's folder, `palio_clients.games.<game>.kernels`. This module and `compiling`
can always be imported. The other modules, and every game's kernels, need numba and numpy (`pip install
palio[kernels]`): call `missing()` first, and if it returns a reason, report it and play with `palio_clients.search`.

The rules for compiling another game:

- **Two layers.** Compiled functions are marked `@kernel` (see `jit`) and use numbers only; the plain functions and
  classes around them use positions and moves, and return `Best` of `search.game_tree` like any other search.
- **A twin is a proof.** A twin of a readable search (`alpha_beta.py`, perft) visits the same nodes in the same order:
  value, node count, move and principal variation are equal, and a test compares them. Sums of floats are added up in
  the order of the original. Other searches (`strong.py`, `mcts.py`) say what they share with a readable one.
- **One workspace.** Everything that a search reads and writes is a record of one numpy dtype, made by the game's
  `workspace.py`, owned by the caller, and passed to kernels as one pointer: an array as argument of a recursive
  function costs seven words. No kernel allocates, and no list or dict appears inside.
- **Sizes are data.** A cached kernel freezes the globals that it was compiled with. So board sizes, masks, weights and
  all other values from outside the kernels are in the workspace; globals are true constants, defined beside them.
- **Words stay words.** uint64 with int64 makes a float64, and a literal is an int64: shifts and masks are uint64
  throughout (`bits.ONE`), and a difference of words is taken after both have become int64.
- **Recursion.** A recursive kernel has exactly one signature, or numba's cache crashes the next process (numba/numba
  issues 6061 and 6713). A literal as argument makes a second one, and doubles the time to compile: pass `np.int64(0)`.
  A function calls itself, never one that calls it back. A test checks all of it.
- **Stopping.** Every kernel that may take long gets a flag, an array of one byte that another thread may raise (see
  `alarm`), tests it at every node, and leaves after each child that has seen it. Its result is then invalid.
- **Warm before the clock runs.** `warm_up()` of each package calls every kernel that a bot needs with the types that it
  will use: compiled once a machine, afterwards read from the cache in well below a second.
- **Small functions.** LLVM inlines them; ten short kernels compile as fast as a long one.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from palio_rules.extras import install

MISSING = (
    "numba is not installed: the readable search plays instead, hundreds of times slower; "
    f"`{install('kernels')}` brings it"
)
BROKEN = (
    "numba cannot be imported ({why}): the readable search plays instead, hundreds of times slower; "
    "`pip install --upgrade --force-reinstall 'palio[kernels]'` mends it"
)


def missing() -> str | None:
    """Return why kernels cannot be imported here, and the remedy; None if they can."""
    return MISSING if find_spec("numba") is None else _broken()


def available() -> bool:
    """Return whether kernels can be imported here."""
    return missing() is None


@cache
def _broken() -> str | None:
    try:
        import_module("numba")
    except Exception as error:  # noqa: BLE001 - it refuses an unknown numpy, or lacks an LLVM library
        return BROKEN.format(why=(str(error).strip() or type(error).__name__).splitlines()[0].rstrip("."))
    return None
