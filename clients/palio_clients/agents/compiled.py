"""The compiled searches, for those agents that have readable ones as well."""

from functools import cache
from pathlib import Path
from types import ModuleType

from palio_clients.agents.remark import remark
from palio_clients.engines.compiling import alone
from palio_clients.kernels import kernels_of, missing


def kernels_for(game: str, agent: str) -> ModuleType | None:
    """The game's compiled searches, ready to run. None without numba, which is said on stderr, once."""
    if why_not := missing():
        remark(agent, why_not)
        return None
    package = kernels_of(game)
    if package is not None:
        _warm_up_once(package)
    return package


@cache
def _warm_up_once(package: ModuleType) -> None:
    from palio_clients.kernels.jit import cache_directory  # noqa: PLC0415 - numba may be missing

    assert package.__file__ is not None
    kept = cache_directory(Path(package.__file__).parent)
    with alone(kept and kept / "compiling"):
        package.warm_up()
