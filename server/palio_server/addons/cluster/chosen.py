"""The cluster that the options of `palio run` name. Dask is imported only when a server is opened on it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from palio_rules.completing import settings, starting
from palio_server.addons.cluster.connecting import KINDS, ClusterSpec, Tls, check_tls, setting_names

if TYPE_CHECKING:
    import asyncio

    from palio_server.addons.cluster.cluster_server import DistantBots
    from palio_server.addons.cluster.tasks_out import GoesOn
    from palio_server.app_state import ServerParts
    from palio_server.cli.run_plan import RunPlan
    from palio_server.processes import Broken
    from palio_server.settings import Settings


@dataclass(frozen=True, slots=True)
class ChosenCluster:
    """A cluster's address and certificates, and whether its workers are measured first."""

    spec: ClusterSpec
    tls: Tls | None
    calibrate: bool

    @classmethod
    def parse(cls, cluster: str, tls: str | None, *, calibrate: bool) -> Self:
        """Read the values of `--cluster` and `--cluster-tls`. Raises BadOption."""
        spec = ClusterSpec.parse(cluster)
        files = None if tls is None else Tls.parse(tls)
        check_tls(spec, files)
        return cls(spec, files, calibrate)

    @staticmethod
    def complete(typed: str) -> list[str]:
        """Complete a value of `--cluster`: `local:4`, `slurm:jobs=20`, `tcp://HOST:8786`."""
        kind, colon, rest = typed.partition(":")
        if not colon:
            return starting((each if "://" in each else f"{each}:" for each in KINDS), typed)
        return settings(setting_names(kind), rest, f"{kind}:")

    def server(
        self,
        settings: "Settings",
        plan: "RunPlan",
        say: Callable[[str], None],
        goes_on: "GoesOn",
        most: int | None,
        broken: "Broken",
        stop: "asyncio.Event",
    ) -> "AbstractAsyncContextManager[tuple[ServerParts, DistantBots]]":
        """Open a server whose games the cluster plays; see `server_on_cluster`."""
        from palio_server.addons.cluster.cluster_server import server_on_cluster

        return server_on_cluster(
            settings, plan, self.spec, self.tls, say, goes_on, most, broken, stop=stop, calibrate=self.calibrate
        )
