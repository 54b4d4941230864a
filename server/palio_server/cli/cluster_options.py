"""The options of `palio run` for a cluster, and what they come to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from palio_rules.completing.paths import files
from palio_rules.errors import BadOption
from palio_server.cli.completed_words import cluster

if TYPE_CHECKING:
    from palio_server.cli.run_options import RunOptions
    from palio_server.cluster.cluster_spec import ClusterSpec, Tls


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where games are played that are not played here."""
    for option in (
        click.option(
            "--calibrate",
            is_flag=True,
            help="Measure each worker first, and scale its clocks by how much slower it is than this machine.",
        ),
        click.option(
            "--cluster-tls",
            metavar="CA,CERT,KEY",
            shell_complete=files,
            help="Certificates for a scheduler at tls://, as files in PEM.",
        ),
        click.option(
            "--cluster",
            metavar="WHERE",
            shell_complete=cluster,
            help="Have the games played by Dask workers: tcp://HOST:8786, local:N, or jobs of a batch system as in "
            "slurm:jobs=20,cores=16,walltime=1:00:00 (docs/cluster.md).",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class ChosenCluster:
    """A cluster to be had, and how to get in."""

    spec: "ClusterSpec"
    tls: "Tls | None"
    calibrate: bool


def chosen_cluster(chosen: "RunOptions") -> ChosenCluster | None:
    """None where games are played here. Raises BadOption."""
    if chosen.cluster is None:
        for name, given in (("--cluster-tls", chosen.cluster_tls), ("--calibrate", chosen.calibrate)):
            if given:
                raise BadOption(f"{name} is about a cluster's workers; say which: --cluster tcp://HOST:8786 or local:4")
        return None
    from palio_server.cluster.cluster_spec import ClusterSpec, Tls
    from palio_server.cluster.connecting import check_tls

    spec = ClusterSpec.parse(chosen.cluster)
    tls = None if chosen.cluster_tls is None else Tls.parse(chosen.cluster_tls)
    check_tls(spec, tls)
    return ChosenCluster(spec, tls, chosen.calibrate)
