"""A client of the cluster that `--cluster` names; what we have started for it ends with the context."""

import asyncio
import logging
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.extras import install
from palio_rules.interpreter import python, set_safe_path
from palio_rules.spec import Spec
from palio_server.addons.cluster.batch_system import Jobs, in_files, job_type, key_folder

if TYPE_CHECKING:
    from distributed import Client, Security

log = logging.getLogger(__name__)

# What `--cluster` says: a scheduler that runs, workers on this machine, or jobs of a batch system.

LOCAL = "local"
SCHEMES = ("tcp", "tls")
MOST = 10_000  # workers or jobs
WAIT_S = 10 * 60  # for the first worker of a scheduler that runs, or of this machine,
QUEUE_WAIT_S = 60 * 60  # and for a job to begin, unless `wait` says otherwise

_ADDRESS = re.compile(r"(?P<scheme>[a-z]+)://(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})/?")
_COMMON = (
    *("jobs", "cores", "memory", "processes", "job_name", "wait"),
    *("local_directory", "log_directory", "interface", "python"),
)
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "slurm": ("queue", "account", "walltime"),
    "pbs": ("queue", "account", "walltime", "resource_spec"),
    "sge": ("queue", "project", "walltime", "resource_spec"),
    "lsf": ("queue", "project", "walltime", "ncpus", "mem"),
    "htcondor": ("disk",),
    "oar": ("queue", "project", "walltime", "resource_spec"),
}
KINDS = (*_OPTIONS, LOCAL, *(f"{scheme}://" for scheme in SCHEMES))
_NUMBERS = ("jobs", "cores", "processes", "ncpus", "mem")
_SIZE = re.compile(r"[0-9]+(?:\.[0-9]+)? ?(?:[KMGT]i?)?B?", re.IGNORECASE)
_WALLTIME = re.compile(r"(?:[0-9]+-)?[0-9]{1,4}:[0-5]?[0-9](?::[0-5]?[0-9])?")
MEMORY_A_CORE_GB = 2  # asked for where nothing is said: two bots with their limit of 1G each


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM: the authority that both sides trust, our certificate, its key."""

    authority: Path
    certificate: Path
    key: Path

    @classmethod
    def parse(cls, text: str) -> "Tls":
        """Read `CA,CERT,KEY`. Raises BadOption for another number of files, and for one that cannot be read."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != 3 or not all(parts):
            raise BadOption(f"--cluster-tls {quoted(text)} cannot be read; write CA.pem,CERT.pem,KEY.pem")
        for part in parts:
            if not Path(part).is_file():
                raise BadOption(f"--cluster-tls: there is no file {quoted(part)}; name authority, certificate and key")
        return cls(*(Path(part).absolute() for part in parts))


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """`kind` is `scheduler` (at `address`), `local` (so many `workers` here) or a batch system with its `jobs`."""

    kind: str
    address: str = ""
    workers: int = 0
    jobs: int = 0
    wait_s: int = WAIT_S  # for the first worker
    settings: Mapping[str, Any] = field(default_factory=dict)  # for dask-jobqueue, by its own names

    @classmethod
    def parse(cls, text: str) -> "ClusterSpec":
        """Read what `--cluster` says. Raises BadOption, with the nearest known name.

        >>> ClusterSpec.parse("local:4")
        ClusterSpec(kind='local', address='', workers=4, jobs=0, settings={})
        """
        if "://" in text:
            return _scheduler(text)
        kind, _, rest = text.partition(":")
        if kind == LOCAL:
            return cls(LOCAL, workers=_number("local", rest))
        if kind not in _OPTIONS:
            raise BadOption(f"--cluster {quoted(text)}: {quoted(kind)} is no cluster; {nearest(kind, KINDS)}")
        return _batch_system(Spec.parse(text))

    def __str__(self) -> str:
        if self.kind == "scheduler":
            return self.address
        return f"{self.workers} workers on this machine" if self.kind == LOCAL else f"{self.jobs} jobs of {self.kind}"


def _scheduler(text: str) -> ClusterSpec:
    found = _ADDRESS.fullmatch(text)
    scheme = text.partition("://")[0]
    if scheme not in SCHEMES:
        raise BadOption(f"--cluster {quoted(text)}: a scheduler is not at {scheme}://; {nearest(scheme, SCHEMES)}")
    if found is None or not 0 < int(found["port"]) <= 65535:
        raise BadOption(f"--cluster {quoted(text)} is no scheduler's address; write {scheme}://HOST:8786")
    return ClusterSpec("scheduler", address=text.rstrip("/"))


def setting_names(kind: str) -> tuple[str, ...]:
    """Return the names of settings of a batch system's jobs; none for another kind of cluster."""
    return (*_COMMON, *_OPTIONS[kind]) if kind in _OPTIONS else ()


def _batch_system(spec: Spec) -> ClusterSpec:
    known = setting_names(spec.name)
    values: dict[str, Any] = {}
    for given, value in spec.settings.items():
        key = given.replace("-", "_")
        if key not in known:
            raise BadOption(f"--cluster {spec.name} has no setting {quoted(given)}; {nearest(key, known)}")
        if key in _NUMBERS:
            values[key] = _number(key, value)
        elif key in ("memory", "disk") and not _SIZE.fullmatch(value):
            raise BadOption(f"--cluster {spec.name}: {key} {quoted(value)} is no size; write {key}=32GB")
        elif key in ("walltime", "wait") and not _WALLTIME.fullmatch(value):
            raise BadOption(f"--cluster {spec.name}: {key} {quoted(value)} is no time; write {key}=1:00:00")
        else:
            values[key] = value
    for key in ("jobs", "cores"):
        if key not in values:
            raise BadOption(f"--cluster {spec.name} needs {key}=N; write {spec.name}:jobs=20,cores=16,walltime=1:00:00")
    jobs, wait = values.pop("jobs"), values.pop("wait", None)
    wait_s = QUEUE_WAIT_S if wait is None else _seconds(wait)
    values.setdefault("memory", f"{MEMORY_A_CORE_GB * values['cores']}GB")
    values.setdefault("processes", 1)  # one worker a job: its games share its bots
    if values["processes"] > values["cores"]:
        shared = f"{values['processes']} processes share {values['cores']} cores"
        raise BadOption(f"--cluster {spec.name}: {shared}; give more")
    if spec.name == "htcondor":
        values.setdefault("disk", "2GB")
    return ClusterSpec(spec.name, jobs=jobs, wait_s=wait_s, settings=values)


def _seconds(time: str) -> int:
    """Return the seconds of a time as batch systems write it.

    >>> _seconds("1:30:00"), _seconds("1-0:00:05"), _seconds("2:00")
    (5400, 86405, 7200)
    """
    days, _, clock = time.rpartition("-")
    hours, minutes, *rest = map(int, clock.split(":"))
    return ((24 * int(days or 0) + hours) * 60 + minutes) * 60 + (rest[0] if rest else 0)


def _number(what: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST:
        example = f"local:{4}" if what == LOCAL else f"{what}=4"
        raise BadOption(f"--cluster: {what} {quoted(text)} is no number from 1 to {MOST}; write {example}")
    return int(text)


PRELOADED = ["distributed", "palio_server.addons.cluster.worker", "palio_server.addons.cluster.game_server"]
NO_DASHBOARD = {
    "dashboard": False,
    "dashboard_address": "127.0.0.1:0",
}  # Dask cannot be kept from listening there; only this machine reaches it
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
async def cluster_client(spec: ClusterSpec, tls: Tls | None = None) -> "AsyncIterator[tuple[Client, Jobs]]":
    """Yield a client, and what becomes of the jobs. Raises BadOption where the cluster, or the library for it, cannot
    be had.
    """
    check_tls(spec, tls)
    try:
        from distributed import Client  # half a second, and only for those who have a cluster
    except ImportError as error:
        raise BadOption(f"--cluster needs Dask, and {error.name} is missing; {INSTALL}") from None
    if not os.environ.get("PALIO_DEBUG"):
        for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what it means for the games we say ourselves
        asyncio.get_running_loop().set_exception_handler(log_in_a_sentence)  # stays: tasks are collected late
    jobs = Jobs(spec.jobs)
    async with AsyncExitStack() as stack:
        security = _security(spec, tls)
        if spec.kind in CLASSES:
            security = in_files(security, stack.enter_context(key_folder(Path.cwd())))
        if spec.kind == "scheduler":
            address: Any = spec.address
        else:
            try:
                address = await stack.enter_async_context(_started(spec, security, jobs))
            except (OSError, RuntimeError, ValueError, TypeError) as error:
                raise BadOption(f"{spec} cannot be started: {_sentence(error)}") from None
        try:
            client = await Client(
                address, asynchronous=True, security=security, timeout=ANSWER_S, set_as_default=False, name="palio"
            )
        except (OSError, TimeoutError) as error:
            raise BadOption(f"{spec} does not answer ({_sentence(error)}); start `dask scheduler` there") from None
        stack.push_async_callback(client.close, timeout=2)
        stack.callback(jobs.end)
        if spec.jobs:  # only now: all before would wait until the batch system answers
            address.scale(jobs=spec.jobs)
        yield client, jobs


def log_in_a_sentence(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log errors that Dask leaves in its own tasks, as when a worker is killed, in a sentence without a traceback.

    A handler of the loop. All other errors are handled as without it.
    """
    error = context.get("exception")
    if not isinstance(error, Exception) or not _is_of_dask(error):
        loop.default_exception_handler(context)
        return
    log.warning("a connection within the cluster broke (%s); games that it had are played again", _sentence(error))


def _is_of_dask(error: Exception) -> bool:
    """Return whether it was raised below a task or callback of Dask, or of the library of its connections."""
    modules = (str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__))
    packages = (module.partition(".")[0] for module in modules)
    return next((package for package in packages if package != "asyncio"), "") in ("distributed", "tornado")


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
    from distributed import Security  # as above

    if spec.kind != "scheduler":
        return Security.temporary()  # who reaches a scheduler runs code: so only we may
    if tls is None:
        return Security()
    return Security(
        require_encryption=True,
        tls_ca_file=str(tls.authority),
        tls_client_cert=str(tls.certificate),
        tls_client_key=str(tls.key),
    )


def _started(spec: ClusterSpec, security: "Security", jobs: Jobs) -> Any:
    """Workers on this machine, or jobs: an asynchronous context."""
    if spec.kind == LOCAL:
        from distributed import LocalCluster  # as above

        set_safe_path()
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
    return batch_cluster(spec, security, jobs)


def _fork_workers() -> None:
    """Let one process import what workers need, once, and fork them: a worker that has died is back at once."""
    import dask  # as above
    from distributed.utils import get_mp_context

    if sys.platform == "win32":  # it knows no fork
        return
    dask.config.set(
        {"distributed.worker.multiprocessing-method": "forkserver", "distributed.deploy.lost-worker-timeout": "5s"}
    )
    get_mp_context().set_forkserver_preload(PRELOADED)


def batch_cluster(spec: ClusterSpec, security: "Security | None", jobs: Jobs | None = None) -> Any:
    """Return the cluster of dask-jobqueue, before its first job. Raises BadOption if the library is missing.

    `security` has its certificates in files that the nodes see; `jobs` is told what becomes of them.
    """
    try:
        import dask_jobqueue  # as above
    except ImportError as error:
        raise BadOption(f"--cluster {spec.kind} needs dask-jobqueue, and {error.name} is missing; {INSTALL}") from None
    kind = getattr(dask_jobqueue, CLASSES[spec.kind])
    secured = {"security": security, "protocol": "tls://"}
    return kind(
        **{"python": shlex.join(python()), **spec.settings},
        **(secured if security is not None else {}),
        job_cls=job_type(kind.job_cls, jobs or Jobs(spec.jobs)),
        asynchronous=True,
        scheduler_options=NO_DASHBOARD,
        silence_logs="critical",
        worker_extra_args=["--no-dashboard"],
    )


def _sentence(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0][:200] if text else type(error).__name__
