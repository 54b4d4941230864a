"""The searches compiled: one package a game, named like it, in numba, hundreds of times as fast as the readable ones.

This module can always be imported. The packages below need numba and numpy (`pip install palio[kernels]`): ask
`missing()` first, and if it says why not, say that aloud and play with `palio_clients.search`. `kernels_of` finds a
game's package, which has `warm_up()` and, where it has something to play with, `engine(options)`.

The rules of the house, for whoever compiles another game:

- **Two layers.** Compiled functions are marked `@kernel` (see `jit`) and know numbers only; the plain functions and
  classes around them speak of positions and moves, and return `Best` of `search.game_tree` like any other search.
- **A twin is a proof.** What is a twin of a readable search (`alpha_beta.py`, `perft.py`) visits the same nodes in the
  same order: value, node count, move and principal variation are equal, and a test says so. Sums of floats are added up
  in the very order of the original. What is not a twin (`strong.py`, `mcts.py`) says what it shares with one.
- **One workspace.** Everything that a search reads and writes is a record of one numpy dtype, made by the game's
  `board.py`, owned by the caller, and passed to kernels as one pointer: an array as argument of a recursive function
  costs seven words. No kernel allocates, and no list or dict appears inside.
- **Sizes are data.** A cached kernel freezes the globals that it was compiled with. So board sizes, masks, weights and
  whatever is defined outside of this package lie in the workspace; globals are true constants, defined in here.
- **Words stay words.** uint64 with int64 makes a float64, and a literal is an int64: shifts and masks are uint64
  throughout (`bits.ONE`), and a difference of words is taken after both have become int64.
- **Recursion.** A recursive kernel has exactly one signature, or numba's cache crashes the next process (numba/numba
  issues 6061 and 6713). A literal as argument makes a second one, and doubles the time to compile: pass `np.int64(0)`.
  A function calls itself, never one that calls it back. A test looks at all of it.
- **Stopping.** Every kernel that may take long gets a flag, an array of one byte that another thread may raise (see
  `alarm`), tests it at every node, and leaves after each child that has seen it. What it returns then is worth nothing.
- **Warm before the clock runs.** `warm_up()` of each package calls every kernel that a bot needs with the types that it
  will use: compiled once a machine, afterwards read from the cache in well below a second.
- **Small functions.** LLVM inlines them; ten short kernels compile as fast as a long one.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

MISSING = (
    "numba is not installed: the readable search plays instead, hundreds of times slower; "
    "`pip install 'palio[kernels]'` brings it"
)
BROKEN = (
    "numba cannot be imported ({why}): the readable search plays instead, hundreds of times slower; "
    "`pip install --upgrade --force-reinstall 'palio[kernels]'` mends it"
)


def missing() -> str | None:
    """Why kernels cannot be imported here, and the remedy; None where they can."""
    return MISSING if find_spec("numba") is None else _broken()


def available() -> bool:
    """Whether kernels can be imported here."""
    return missing() is None


@cache
def _broken() -> str | None:
    try:
        import_module("numba")
    except Exception as error:  # noqa: BLE001 - it refuses a numpy that it does not know, or lacks a library of LLVM's
        return BROKEN.format(why=(str(error).strip() or type(error).__name__).splitlines()[0].rstrip("."))
    return None


def kernels_of(game: str) -> ModuleType | None:
    """The package of `game`, None if nobody has compiled that one yet. Raises ImportError without numba."""
    name = f"{__name__}.{game}"
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:  # `table`, for example, is no game
        return None
    return import_module(name)
