"""The compiled searches, for those agents that have readable ones as well; and what is said where they are missing."""

import sys
from functools import cache
from types import ModuleType

from palio_clients.games import companion_of
from palio_clients.kernels import missing
from palio_clients.kernels.compiling import compiling
from palio_rules.contract.remarks import PREFIX


def kernels_for(game: str, agent: str) -> ModuleType | None:
    """The game's compiled searches, ready to run. None without numba, which is said on stderr, once."""
    if why_not := missing():
        remark(agent, why_not)
        return None
    package = companion_of(game).kernels()
    if package is not None:
        _warm_up_once(package)
    return package


@cache
def remark(agent: str, text: str) -> None:
    """Tell the person who has started the bot, on stderr; once for all matches."""
    print(f"{PREFIX}{agent}: {text}", file=sys.stderr, flush=True)  # noqa: T201 - stderr is where it is looked for


@cache
def _warm_up_once(package: ModuleType) -> None:
    with compiling(package):
        package.warm_up()
