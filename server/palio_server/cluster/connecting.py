"""A client of the cluster that `--cluster` names; what we have started for it ends with the context."""

import logging
import os
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from palio_rules.errors import BadOption
from palio_rules.extras import install
from palio_rules.interpreter import keep_folder_out, python
from palio_server.cluster.cluster_spec import LOCAL, ClusterSpec, Tls

if TYPE_CHECKING:
    from distributed import Client, Security

PRELOADED = ["distributed", "palio_server.cluster.worker", "palio_server.cluster.game_server"]
NO_DASHBOARD = {
    "dashboard": False,
    "dashboard_address": "127.0.0.1:0",
}  # Dask listens there all the same: to nobody else
ANSWER_S = 10.0  # in which a scheduler says hello
INSTALL = f"install it here and on the workers: {install('cluster')}"
CLASSES: Mapping[str, str] = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "htcondor": "HTCondorCluster",
    "oar": "OARCluster",
}


@asynccontextmanager
async def cluster_client(spec: ClusterSpec, tls: Tls | None = None) -> AsyncIterator["Client"]:
    """Raises BadOption where the cluster, or the library for it, cannot be had."""
    check_tls(spec, tls)
    try:
        from distributed import Client  # noqa: PLC0415  # half a second, and only for those who have a cluster
    except ImportError as error:
        raise BadOption(f"--cluster needs Dask, and {error.name} is missing; {INSTALL}") from None
    if not os.environ.get("PALIO_DEBUG"):
        for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what it means for the games we say ourselves
    async with AsyncExitStack() as stack:
        security = _security(spec, tls)
        if spec.kind == "scheduler":
            address: Any = spec.address
        else:
            try:
                address = await stack.enter_async_context(_started(spec, security))
            except (OSError, RuntimeError, ValueError, TypeError) as error:
                raise BadOption(f"{spec} cannot be started: {_sentence(error)}") from None
        try:
            client = await Client(
                address, asynchronous=True, security=security, timeout=ANSWER_S, set_as_default=False, name="palio"
            )
        except (OSError, TimeoutError) as error:
            raise BadOption(f"{spec} does not answer ({_sentence(error)}); start `dask scheduler` there") from None
        stack.push_async_callback(client.close, timeout=2)
        yield client


def restore(spec: ClusterSpec, client: "Client") -> None:
    """Have workers of this machine started again that are gone, also those that died before they had begun."""
    if spec.kind == LOCAL:
        client.cluster.scale(spec.workers)


def check_tls(spec: ClusterSpec, tls: Tls | None) -> None:
    """Raises BadOption where address and certificates do not fit."""
    if tls is not None and spec.kind != "scheduler":
        raise BadOption(f"--cluster-tls is for a scheduler that runs; {spec} get a certificate by themselves")
    if tls is not None and spec.address.startswith("tcp://"):
        raise BadOption(f"--cluster {spec.address} is not encrypted; write tls://, or leave --cluster-tls out")
    if tls is None and spec.address.startswith("tls://"):
        raise BadOption(f"--cluster {spec.address} asks who we are; add --cluster-tls CA.pem,CERT.pem,KEY.pem")


def _security(spec: ClusterSpec, tls: Tls | None) -> "Security":
    from distributed import Security  # noqa: PLC0415  # as above

    if spec.kind != "scheduler":
        return Security.temporary()  # whoever reaches a scheduler runs code: nobody but us does
    if tls is None:
        return Security()
    return Security(
        require_encryption=True,
        tls_ca_file=str(tls.authority),
        tls_client_cert=str(tls.certificate),
        tls_client_key=str(tls.key),
    )


def _started(spec: ClusterSpec, security: "Security") -> Any:
    """Workers on this machine, or jobs: an asynchronous context."""
    if spec.kind == LOCAL:
        from distributed import LocalCluster  # noqa: PLC0415  # as above

        keep_folder_out()
        _fork_workers()
        return LocalCluster(
            n_workers=spec.workers,
            threads_per_worker=1,
            processes=True,
            asynchronous=True,
            scheduler_kwargs=NO_DASHBOARD,
            dashboard_address=None,
            memory_limit=0,  # what a bot may use is its sandbox's business
            silence_logs=logging.CRITICAL,
            security=security,
            host="127.0.0.1",
        )
    cluster = batch_cluster(spec, security)
    cluster.scale(jobs=spec.jobs)
    return cluster


def _fork_workers() -> None:
    """Let one process import what workers need, once, and fork them: a worker that has died is back at once."""
    import dask  # noqa: PLC0415  # as above
    from distributed.utils import get_mp_context  # noqa: PLC0415

    if sys.platform == "win32":  # it knows no fork
        return
    dask.config.set(
        {"distributed.worker.multiprocessing-method": "forkserver", "distributed.deploy.lost-worker-timeout": "5s"}
    )
    get_mp_context().set_forkserver_preload(PRELOADED)


def batch_cluster(spec: ClusterSpec, security: "Security | None") -> Any:
    """The cluster of dask-jobqueue, before its first job. Raises BadOption if the library is missing."""
    try:
        import dask_jobqueue  # noqa: PLC0415  # as above
    except ImportError as error:
        raise BadOption(f"--cluster {spec.kind} needs dask-jobqueue, and {error.name} is missing; {INSTALL}") from None
    kind = getattr(dask_jobqueue, CLASSES[spec.kind])
    secured = {"security": security, "protocol": "tls://", "shared_temp_directory": os.getcwd()}  # noqa: PTH109  # text
    return kind(
        **{"python": shlex.join(python()), **spec.settings},
        **(secured if security is not None else {}),
        asynchronous=True,
        scheduler_options=NO_DASHBOARD,
        silence_logs="critical",
        worker_extra_args=["--no-dashboard"],
    )


def _sentence(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0][:200] if text else type(error).__name__
