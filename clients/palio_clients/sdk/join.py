"""Enter a bot into a server's matches: the whole client in one call."""

import asyncio
import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import UNSET

from palio_clients.sdk.bot import Bot, MoveT, StateT
from palio_clients.sdk.events import Notice, Welcomed, run_in_loop
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, entrant_of
from palio_clients.sdk.player import Worker
from palio_clients.sdk.runner import Runner
from palio_clients.sdk.session import Session
from palio_clients.sdk.transport import MQTT, Transport, address, can_be_handed_on
from palio_rules import registry
from palio_rules.contract import llm_specs
from palio_rules.contract.bot_names import program_of
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import Hello
from palio_rules.errors import BadOption
from palio_rules.plain_text import one_line, plain

# The identity of a bot's program, in a line: its page shows changes, and two programs under one name are told apart.
#
# Of files it has the names and a short digest of their content; never their folders.

MOST = 200  # characters, as `Hello.build` has
FILES = 3  # that are digested
DIGITS = 8  # of a file's digest
LARGEST = 16 * 2**20  # bytes of what is read; of more, as an engine with its net, size and time stand for the content


def build_of_spec(spec: str) -> str:
    """Return the build of the bot SPEC: "mine.py:depth=3 1f0c88ab, palio 1.0.0"."""
    scheme, _, rest = spec.partition(":")
    if scheme == llm_specs.SCHEME:
        spec = f"{scheme}:{llm_specs.without_address(rest)}"
    words = re.split(r"([\s:=,]+)", spec)
    named = "".join(Path(word.replace("\\", "/")).name if _is_path(word) else word for word in words)
    files = [program_of(spec), *filter(_is_path, words)]
    return _line(named, *(_digest(Path(file)) for file in [*dict.fromkeys(files)][: FILES + 1] if file))


def build_of_class(bot: type) -> str:
    """Return the build of a bot class: its name, and the digest of its file."""
    try:
        file = inspect.getsourcefile(bot)
    except (TypeError, OSError):  # it was typed into an interpreter or a notebook
        file = None
    return _line(bot.__qualname__, _digest(Path(file)) if file else "")


def _line(named: str, *digests: str) -> str:
    try:
        ours = f"palio {version('palio')}"
    except PackageNotFoundError:
        ours = "palio"
    end = "".join(f" {digest}" for digest in digests if digest)
    return f"{' '.join(named.split())[: MOST - len(end) - len(ours) - 2]}{end}, {ours}"


def _is_path(word: str) -> bool:
    return "/" in word or "\\" in word or word.endswith((".py", ".ipynb"))


def _digest(path: Path) -> str:
    """Return the digest of a file, or of a folder's Python files; "" for what is none."""
    found = hashlib.sha256()
    try:
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.is_file() else []
        for file in files:
            facts = file.stat()
            small = facts.st_size <= LARGEST
            found.update(file.read_bytes() if small else f"{facts.st_size} {facts.st_mtime_ns}".encode())
    except (OSError, ValueError):  # it may not be read, or no file has such a name
        return ""
    return found.hexdigest()[:DIGITS] if files else ""


MAX_ABOUT = 200  # characters, as `Hello.about` has


def transport_for(url: str, name: str, games: Sequence[str], encoding: Encoding = Encoding.MSGPACK) -> Transport:
    """Return the transport for the scheme of `url`: ws, wss, http, https, ws+unix, mqtt or mqtts; `host:port` is ws.

    Raises BadBot.
    """
    if address(url).scheme in MQTT:
        from palio_clients.sdk.mqtt import MqttTransport  # noqa: PLC0415  # each loads a library that others do not need

        return MqttTransport(url, name, tuple(games))
    from palio_clients.sdk.websocket import WebSocketTransport  # noqa: PLC0415  # as above

    return WebSocketTransport(url, encoding)


async def join(
    url: str,
    entrant: Entrant,
    *,
    name: str | None = None,
    games: Sequence[str] = (),
    token: str | None = None,
    slots: int = 1,
    matches: int | None = None,
    reconnect: bool = True,
    encoding: Encoding = Encoding.MSGPACK,
    only_failures: bool = False,
    notify: Callable[[Notice], None] = lambda _: None,
    about: str = "",
    build: str = "",
    warm_up: bool = True,
) -> None:
    """Play on the server at `url` until `matches` are over or the task is cancelled.

    With `warm_up` the bot compiles its searches for all `games` first, so that no clock runs meanwhile. `about` is a
    line for the bot's page, by default the entrant's own; `build` identifies the program.

    `notify` gets played moves only if the entrant does: messages that it is `without` are not sent. With
    `only_failures` `notify` does not get matches either; then a program on the server's machine is connected to it
    directly. Raises BadBot for an invalid `url`, RefusedByServer, and LinkLost unless `reconnect`.
    """
    name = name or entrant.name
    games = games or entrant.games
    about = one_line(about or entrant.about)
    if len(about) > MAX_ABOUT:
        raise BadBot(f"the line about {name} has {len(about)} characters; at most {MAX_ABOUT} can be shown")
    if only_failures and matches is None and entrant.command and can_be_handed_on(url):
        from palio_clients.sdk.direct_program import DirectPrograms  # noqa: PLC0415  # on Linux only

        hello = Hello(
            name,
            list(games),
            token=UNSET if token is None else token,
            program=True,
            about=about or UNSET,
            build=build or UNSET,
        )
        await DirectPrograms(entrant.command, url, hello, slots=slots, notify=notify, reconnect=reconnect).run()
        return
    session = Session(
        name, games, token=token, slots=slots, without=entrant.without, about=about, build=build, strict=entrant.strict
    )
    transport = transport_for(url, name, games, encoding)
    if warm_up:
        await _warmed_up(entrant, games)
    async with entrant.stay() as make:
        await Runner(session, make, transport, notify=notify, reconnect=reconnect, matches=matches).run()


async def _warmed_up(entrant: Entrant, games: Sequence[str]) -> None:
    """Call the entrant's `warm_up` for each game in a thread that a cancelled task leaves behind. Raises BadBot."""
    if entrant.warm_up is None:
        return
    worker = Worker("warm-up")
    try:
        for name in games:
            await worker.call(entrant.warm_up, registry.game(name))
    except BadOption as error:
        raise BadBot(str(error)) from None
    finally:
        worker.close()


def run(
    bot: type[Bot[StateT, MoveT]],
    url: str,
    *,
    name: str | None = None,
    token: str | None = None,
    slots: int = 1,
    matches: int | None = None,
    about: str = "",
) -> None:
    """Play as `bot` on the server at `url` without end, or until `matches` are over. For the end of an author's file.

    In a notebook, where an event loop runs already, write `await play(Mine, url)` instead.

    `name` is the bot's name on the server, by default that of its class in lower case; `token` proves that the name is
    yours, if the server asks for that; `slots` is how many matches may be played at once. A lost connection is made
    again; messages for the author go to stderr. `about` is a line for the bot's page, by default that of the class.
    Ctrl-C ends it. Raises BadBot if `url` is invalid, RefusedByServer with the server's reason.
    """
    if _loop_runs():
        raise BadBot(f"an event loop is running here; write: await play({bot.__name__}, {url!r})")
    run_in_loop(play(bot, url, name=name, token=token, slots=slots, matches=matches, about=about))


async def play(
    bot: type[Bot[StateT, MoveT]],
    url: str,
    *,
    name: str | None = None,
    token: str | None = None,
    slots: int = 1,
    matches: int | None = None,
    about: str = "",
) -> None:
    """Do as `run` in the event loop that runs already: in a notebook, or in a program of tasks of its own.

    Cancel the task to end it. Raises BadBot if `url` or `name` is invalid, RefusedByServer with the server's reason.
    """
    entrant = entrant_of(bot)
    await join(
        url,
        entrant if name is None else entrant.named(name),
        token=token,
        slots=slots,
        matches=matches,
        notify=_warn,
        about=about,
        build=build_of_class(bot),
    )


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _warn(notice: Notice) -> None:
    if isinstance(notice, Welcomed) and notice.notice:
        sys.stderr.write(f"warning: {plain(notice.notice)}\n")
