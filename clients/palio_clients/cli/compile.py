"""`palio compile`: compile the searches now, so that no match or search waits for it later."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import say
from palio_rules.completing import one_of
from palio_rules.registry import installed

if TYPE_CHECKING:  # `palio --help` starts without searches
    from palio_rules.game import Game

EXAMPLES = """
\b
Examples:
  palio compile                                all games
  palio compile dominoes breakthrough
  NUMBA_CACHE_DIR=/srv/palio/cache palio compile     for all users who set the same
"""


@click.command("compile", epilog=EXAMPLES)
@click.argument("games", metavar="[GAME]...", nargs=-1, shell_complete=one_of(installed))
@click.option("--bots-only", is_flag=True, help="Leave out what only `palio solve` uses.")
def compile_searches(*, games: tuple[str, ...], bots_only: bool) -> None:
    """Compile the searches of each GAME now, of all of them by default, so that nothing waits for it later.

    The result is kept for this user on this machine (below NUMBA_CACHE_DIR, where that is set) until Palio, numba or
    the processor is another one. Without this `palio run`, or the first search of each game, compiles what it needs.
    """
    from palio_clients.kernels import missing  # noqa: PLC0415
    from palio_clients.kernels.compilation import compilation  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415
    from palio_rules.registry import game  # noqa: PLC0415
    from palio_rules.registry import games as known  # noqa: PLC0415

    try:
        wanted = [game(name) for name in games or known()]
    except BadOption as error:
        raise Misuse(str(error)) from error
    if why_not := missing():
        raise click.ClickException(why_not)
    compilation.tell = lambda text: say(f"palio: {text}", err=True)
    for rules in wanted:
        before = compilation.seconds
        if not _compiled(rules, bots_only=bots_only):
            say(f"{rules.name}: nobody has compiled its searches; the readable ones play")
            continue
        took = compilation.seconds - before
        say(f"{rules.name}: compiled in {took:.1f} s" if took else f"{rules.name}: kept already")


def _compiled(rules: "Game[Any, Any]", *, bots_only: bool) -> bool:
    """Compile all that bots, and `palio solve` unless `bots_only`, use; return False if there is nothing to compile."""
    from palio_clients.games import companion_of  # noqa: PLC0415
    from palio_clients.kernels.compiling import compiling  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    companion = companion_of(rules.name)
    package = companion.kernels()
    if package is None:
        return False
    with compiling(package):
        package.warm_up()
    if bots_only:
        return True
    with suppress(BadOption):  # the game has no solver
        companion.solver(rules).prepare(rules.start(rules.parse_options({}), 0))
    return True
