"""The failures of the hosts, one every few seconds, at random; each is repaired after a while, and all at the end."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable

from chaos.hosts import Host, clock_ahead
from chaos.network import Network

HOUR_S = 3600
KILLED_S = (0.5, 9.0)  # down, sometimes past the lease
CUT_S = (1.0, 10.0)


class Disasters:
    """The schedule of failures. `due` is called often; it does what is due, and draws the next failure."""

    def __init__(
        self, network: Network, servers: list[Host], services: list[Host], rng: random.Random, lease_s: float
    ) -> None:
        self._network, self._servers, self._services, self._rng = network, servers, services, rng
        self._lease_s = lease_s
        self._undo: list[tuple[float, str, Callable[[], None]]] = []  # the time, and the host
        self.counts: Counter[str] = Counter()
        self._kinds = {
            "kill -9 of a server": self._kill,
            "SIGTERM of a server": self._stop,
            "SIGSTOP past the lease": self._freeze,
            "clock an hour ahead": self._ahead,
            "cable of a server": self._cut_server,
            "cable of the database or the broker": self._cut_service,
            "crash of PostgreSQL": lambda: self._crash(0),
            "kill -9 of the broker": lambda: self._crash(1),
        }
        self._bag: list[str] = []

    def strike(self) -> str:
        """Do the next failure; all kinds are equally frequent. Returns its description, "" if no host is left."""
        if not self._bag:
            self._bag = list(self._kinds)
            self._rng.shuffle(self._bag)
        kind = self._bag.pop()
        host = self._kinds[kind]()
        if host:
            self.counts[kind] += 1
        return f"{kind}: {host}" if host else ""

    def mend(self, *, everything: bool = False) -> None:
        """Repair failures that have lasted long enough, or all."""
        now = time.monotonic()
        due = [each for each in self._undo if everything or each[0] <= now]
        self._undo = [each for each in self._undo if each not in due]
        for _, _, undo in due:
            undo()
        busy = {host for _, host, _ in self._undo}
        for host in self._servers:
            if not host.alive and host.name not in busy:  # like a service manager: the database was down at its start
                self.counts["start again of a server that had ended by itself"] += 1
                host.start()

    def _free(self, hosts: list[Host]) -> Host | None:
        """Return a host without a failure. At least one referee and one gateway are never touched."""
        busy = {host for _, host, _ in self._undo}
        free = [host for host in hosts if host.name not in busy]
        roles = Counter(host.name[:3] for host in free)
        free = [host for host in free if host in self._services or roles[host.name[:3]] > 1]
        return self._rng.choice(free) if free else None

    def _later(self, seconds: float, host: Host, undo: Callable[[], None]) -> str:
        self._undo.append((time.monotonic() + seconds, host.name, undo))
        return f"{host.name} for {seconds:.1f} s"

    def _kill(self) -> str:
        return self._ended(signal.SIGKILL)

    def _stop(self) -> str:
        return self._ended(signal.SIGTERM)

    def _ahead(self) -> str:
        return self._ended(signal.SIGKILL, **clock_ahead(HOUR_S))

    def _ended(self, how: signal.Signals, **env: str) -> str:
        host = self._free(self._servers)
        if host is None:
            return ""
        host.end(how)
        return self._later(self._rng.uniform(*KILLED_S), host, lambda: host.start(**env))

    def _freeze(self) -> str:
        host = self._free([server for server in self._servers if server.name.startswith("ref")])
        if host is None:
            return ""
        host.send(signal.SIGSTOP)
        return self._later(self._lease_s + self._rng.uniform(0.5, 4), host, lambda: host.send(signal.SIGCONT))

    def _cut_server(self) -> str:
        host = self._free(self._servers)
        return self._cut(host) if host else ""

    def _cut_service(self) -> str:
        host = self._free(self._services)
        return self._cut(host) if host else ""

    def _cut(self, host: Host) -> str:
        self._network.pull(host.name)
        return self._later(self._rng.uniform(*CUT_S), host, lambda: self._network.plug(host.name))

    def _crash(self, which: int) -> str:
        host = self._services[which]
        if self._free([host]) is None:
            return ""
        host.end(signal.SIGQUIT if which == 0 else signal.SIGKILL)
        return self._later(self._rng.uniform(0.3, 3.0), host, host.start)
