"""What `--cluster` says: a scheduler that runs, workers on this machine, or jobs of a batch system."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.spec import Spec

LOCAL = "local"
SCHEMES = ("tcp", "tls")
EXAMPLES = "tcp://HOST:8786, local:4 or slurm:jobs=20,cores=16,walltime=1:00:00"
MOST = 10_000  # workers or jobs

_ADDRESS = re.compile(r"(?P<scheme>[a-z]+)://(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})/?")
_COMMON = (
    *("jobs", "cores", "memory", "processes", "job_name"),
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
    """What may be said of the jobs of a batch system; nothing of another kind."""
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
        elif key == "walltime" and not _WALLTIME.fullmatch(value):
            raise BadOption(f"--cluster {spec.name}: walltime {quoted(value)} is no time; write walltime=1:00:00")
        else:
            values[key] = value
    for key in ("jobs", "cores"):
        if key not in values:
            raise BadOption(f"--cluster {spec.name} needs {key}=N; write {spec.name}:jobs=20,cores=16,walltime=1:00:00")
    jobs = values.pop("jobs")
    values.setdefault("memory", f"{MEMORY_A_CORE_GB * values['cores']}GB")
    values.setdefault("processes", 1)  # one worker a job: its games share its bots
    if values["processes"] > values["cores"]:
        shared = f"{values['processes']} processes share {values['cores']} cores"
        raise BadOption(f"--cluster {spec.name}: {shared}; give more")
    if spec.name == "htcondor":
        values.setdefault("disk", "2GB")
    return ClusterSpec(spec.name, jobs=jobs, settings=values)


def _number(what: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST:
        example = f"local:{4}" if what == LOCAL else f"{what}=4"
        raise BadOption(f"--cluster: {what} {quoted(text)} is no number from 1 to {MOST}; write {example}")
    return int(text)
