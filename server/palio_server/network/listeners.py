"""The listening sockets of a server: one port for all clients, and a Unix socket for programs of the same user.

The sockets are made before the server is, so that bots can be started at once: their connections wait in the queue.
"""

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from palio_rules.temporary import TemporaryFolder
from palio_server.edge.accounts import Account
from palio_server.network.bot_listener import BotListener
from palio_server.settings import Settings

BACKLOG, SPARE = 2048, 8  # of the sockets for all; of one bot's, beyond its matches at a time
UNIX_PATH = 103  # bytes that fit into a socket's address everywhere; Linux has room for 107
NAME = "bots"  # of a private socket in its folder
ROOM = 8  # bytes for the name of a socket in it
FOR_US = 0o600  # mode for connections by programs of the same user
FOR_THE_CONFINED = 0o666  # in a folder of the same user, which only a sandbox opens to others


@dataclass(frozen=True, slots=True)
class Listeners:
    """Listening sockets, and their addresses."""

    tcp: socket.socket
    unix: socket.socket | None = None
    own: list[BotListener] = field(default_factory=list)  # sockets for one bot's program each
    # callbacks that serve a listener opened later
    late: list[Callable[[BotListener], None]] = field(default_factory=list)
    folder: str = ""  # of these sockets, which only the same user may enter

    @property
    def url(self) -> str:
        """The address in the form of a browser."""
        return url_of(self.tcp)

    @property
    def local_url(self) -> str:
        """The address for bots on this machine: the Unix socket, where there is one."""
        return self.url if self.unix is None else unix_url(self.unix.getsockname())

    @property
    def sockets(self) -> list[socket.socket]:
        return [self.tcp] if self.unix is None else [self.tcp, self.unix]

    def open_for(self, bot: str, confined: str, slots: int = 1) -> str:
        """Return the address of a socket of its own for a program of `bot`, which plays `slots` matches at a time.

        Where there are no such sockets, that is `local_url`.

        A server that runs on these listeners already serves the new one from now on.
        """
        if not self.folder:
            return self.local_url
        path = f"{self.folder}/{len(self.own) + 1}"
        own = bind_unix(path, FOR_THE_CONFINED)
        own.listen(slots + SPARE)  # so many wait; the next one does so in its `connect`
        self.own.append(BotListener(bot, confined, own, slots))
        for serve in self.late:
            serve(self.own[-1])
        return self.own[-1].url

    def tell_awaited(self, address: str, tell: Callable[[bool], None]) -> None:
        """Call `tell` with True while the server expects an answer of the program at this address."""
        for each in self.own:
            if each.url == address:
                each.awaited.tell(tell)

    def account_of(self, address: str) -> Account:
        """Return the account of the program at this address; a new one for any other."""
        return next((each.awaited.account for each in self.own if each.url == address), None) or Account()


@contextmanager
def listening(settings: Settings, *, private: bool = False) -> Iterator[Listeners]:
    """Listen where `settings` say, until the context ends. Raises OSError with the address and the remedy.

    `private` adds a Unix socket in a folder of its own, where the system has such sockets and room for its name.
    """
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(contextlib.closing(bind(settings.host, settings.port)))
        unix, folder = None, ""
        if private and hasattr(socket, "AF_UNIX"):
            folder = stack.enter_context(_private_folder())
        if settings.socket is not None:
            unix = stack.enter_context(_unix(settings.socket))
        elif folder:
            unix = stack.enter_context(_unix(f"{folder}/{NAME}"))
        listeners = Listeners(tcp, unix, folder=folder)
        try:
            yield listeners
        finally:
            for bot_listener in listeners.own:
                bot_listener.sock.close()


@contextmanager
def _private_folder() -> Iterator[str]:
    """Make a folder that only this user may enter, with a name short enough for sockets; "" if there is
    no such place.
    """
    for place in (None, "/tmp"):  # noqa: S108  # mkdtemp
        with TemporaryFolder("s", place) as folder:
            if len(os.fsencode(folder)) + ROOM <= UNIX_PATH:
                yield str(folder)
                return
    yield ""


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises OSError with the address and the remedy."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off for every connection; unnamed, a turn takes 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        why = error.strerror or str(error)
        raise OSError(error.errno, f"cannot listen on {host}:{port} ({why}); choose another --host or --port") from None
    listener.setblocking(False)
    return listener


def bind_unix(path: str, mode: int = FOR_US) -> socket.socket:
    """Return a listening Unix socket for the users of `mode`, by default this one; a dead server's is replaced.

    Raises OSError with the path and the remedy.
    """
    path = str(Path(path).absolute())
    if not hasattr(socket, "AF_UNIX"):
        raise _refused(errno.EAFNOSUPPORT, path, "this system has no Unix sockets; leave --socket out")
    if (size := len(os.fsencode(path))) > UNIX_PATH:
        short = f"it has {size} bytes, {UNIX_PATH} are possible; choose a shorter path"
        raise _refused(errno.ENAMETOOLONG, path, short)
    _make_room(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
        Path(path).chmod(mode)  # before `listen`, no connection is possible
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        why = "its folder does not exist" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise _refused(error.errno or 0, path, f"{why}; choose another --socket") from None
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address of a port in the form of a browser."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104  # compared with, not bound to
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def unix_url(path: str) -> str:
    """Return the address of a Unix socket, in the form of `palio join`."""
    return f"ws+unix://{quote(str(Path(path).absolute()))}"


@contextmanager
def _unix(path: str, mode: int = FOR_US) -> Iterator[socket.socket]:
    """Open the Unix socket at `path`; its file is removed at the end, unless it has become another server's."""
    with bind_unix(path, mode) as listener:
        file = Path(listener.getsockname())
        ours = file.stat().st_ino
        try:
            yield listener
        finally:
            with contextlib.suppress(FileNotFoundError):
                if file.stat().st_ino == ours:
                    file.unlink()


def _make_room(path: str) -> None:
    """Remove the socket of a server that has ended. Raises OSError if there is another file."""
    try:
        kind = Path(path).stat().st_mode
    except OSError:  # there is no file; or access is denied, and so will be the bind
        return
    if not stat.S_ISSOCK(kind):
        raise _refused(errno.ENOTSOCK, path, "it exists and is no socket; choose another --socket, or remove it")
    if not _is_abandoned(path):
        raise _refused(errno.EADDRINUSE, path, "another server does; choose another --socket, or stop that server")
    Path(path).unlink()


def _is_abandoned(path: str) -> bool:
    """Return True if no server listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            return True
        except OSError:  # its queue is full, or it is another user's
            pass
        return False


def _refused(number: int, path: str, why: str) -> OSError:
    return OSError(number, f"cannot listen on {path}: {why}")
