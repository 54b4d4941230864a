"""Hosts of a private network: network namespaces, joined by a bridge without other connections. Linux, as root.

Each host has one cable (a veth pair) to the switch, which is a namespace, too; so a cable is pulled on the switch's
side, where the host only notices silence. The machine's own network is not changed.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

PREFIX = "palio-chaos-"
NET = "10.77.0"
BRIDGE = "switch"


def lacks() -> str:
    """Return why there can be no such network here; "" if there can."""
    if shutil.which("ip") is None:
        return "there is no `ip` (Debian: iproute2)"
    if os.geteuid() != 0:
        return "network namespaces are for root"
    name = f"{PREFIX}{os.getpid()}-try"
    made = _ip("netns", "add", name)
    _ip("netns", "del", name)
    return made


def _ip(*words: str) -> str:
    """Run an `ip` command; return its error output."""
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False).stderr.strip()


def _must(*words: str) -> None:
    if complaint := _ip(*words):
        raise RuntimeError(f"ip {' '.join(words)}: {complaint}")


def remove_leftovers() -> list[str]:
    """Delete the namespaces of dead runs: a killed one could not do it itself."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    found = re.findall(rf"^({PREFIX}(\d+)-\S+)", listed, re.MULTILINE)
    dead = [name for name, pid in found if not Path(f"/proc/{pid}").exists()]
    for name in dead:
        _ip("netns", "del", name)
    return dead


class Network:
    """A context manager: the hosts exist within it, and are always removed after it."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._prefix = f"{PREFIX}{os.getpid()}-"
        self._addresses = {host: f"{NET}.{number}" for number, host in enumerate(hosts, start=2)}
        self._switch = f"{self._prefix}{BRIDGE}"
        self.cut: set[str] = set()  # hosts whose cable is pulled

    def __enter__(self) -> Self:
        remove_leftovers()
        try:
            _must("netns", "add", self._switch)
            _must("-n", self._switch, "link", "add", BRIDGE, "type", "bridge")
            _must("-n", self._switch, "link", "set", BRIDGE, "up")
            for host in self._addresses:
                self._plug_in(host)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove all namespaces; their cables go with them."""
        for name in (*map(self.namespace, self._addresses), self._switch):
            _ip("netns", "del", name)

    def _plug_in(self, host: str) -> None:
        name, port = self.namespace(host), f"to-{host}"
        _must("netns", "add", name)
        _must("-n", self._switch, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
        _must("-n", self._switch, "link", "set", port, "master", BRIDGE, "up")
        _must("-n", name, "addr", "add", f"{self._addresses[host]}/24", "dev", "eth0")
        _must("-n", name, "link", "set", "eth0", "up")
        _must("-n", name, "link", "set", "lo", "up")

    def namespace(self, host: str) -> str:
        return f"{self._prefix}{host}"

    def address(self, host: str) -> str:
        return self._addresses[host]

    def on(self, host: str) -> list[str]:
        """Return the words before a command that is to run there."""
        return ["ip", "netns", "exec", self.namespace(host)]

    def pull(self, host: str) -> None:
        """Pull its cable."""
        self.cut.add(host)
        _must("-n", self._switch, "link", "set", f"to-{host}", "down")

    def plug(self, host: str) -> None:
        """Plug its cable in again."""
        self.cut.discard(host)
        _must("-n", self._switch, "link", "set", f"to-{host}", "up")

    @contextmanager
    def without(self, host: str) -> Iterator[None]:
        self.pull(host)
        try:
            yield
        finally:
            self.plug(host)
