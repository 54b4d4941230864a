"""The options of `palio run`, as they were given: what was not given is None."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import click

from palio_rules.completing import files
from palio_rules.errors import BadOption
from palio_rules.written_file import is_ordinary
from palio_server.cli.completed_words import cluster
from palio_server.cli.run_log import LogChoice

# Options that may change when a tournament is resumed; the others were fixed when it began.
MAY_CHANGE = frozenset(
    (
        *(
            "rounds",
            "concurrency",
            "db",
            "port",
            "mqtt",
            "browser",
            "tv",
            "as_json",
            "table_every",
            "records",
            "records_min",
        ),
        *("score_every", "exports", "broken", "sandbox", "memory", "processes", "cluster", "cluster_tls"),
        *("calibrate", "show", "max_crashes", "affinity", "log_file"),
    )
)


@dataclass(frozen=True, slots=True)
class RunOptions:
    format: str | None = None
    rounds: int | None = None
    games_per_encounter: int | None = None
    tie_breaks: str | None = None
    sprt: str | None = None
    tc: str | None = None
    st: str | None = None
    odds: tuple[str, ...] = ()
    seats: Literal["swapped", "reversed", "fixed"] | None = None
    margin: int | None = None
    clock: Literal["wall", "processor"] | None = None
    concurrency: int | None = None
    openings: str | None = None
    seed: int | None = None
    by_time: bool = False
    rated: bool | None = None
    strikes: int | None = None
    max_plies: int | None = None
    draw: str | None = None
    resign: str | None = None
    anchors: tuple[str, ...] = ()
    name: str | None = None
    db: str | None = None
    port: int = 0
    mqtt: str | None = None
    browser: bool = False
    tv: bool = False
    as_json: bool = False
    table_every: int | None = None
    score_every: int | None = None
    records: str | None = None
    records_min: bool = False
    exports: tuple[str, ...] = ()
    broken: str | None = None
    max_crashes: int | None = None
    sandbox: str | None = None
    memory: str | None = None
    processes: int | None = None
    cluster: str | None = None
    cluster_tls: str | None = None
    calibrate: bool = False
    show: tuple[str, ...] = ()
    affinity: str | None = None
    log_file: str | None = None

    def given(self) -> list[str]:
        """Return the names of the options that were given."""
        return [field.name for field in fields(self) if getattr(self, field.name) != field.default]

    def files(self) -> dict[str, Any]:
        """Return the files to write, as a tournament keeps them: from any folder, and those that can be added to."""
        found: dict[str, Any] = {}
        if self.records is not None and is_ordinary(Path(self.records)):
            found |= {"records": _absolute(self.records), "records_min": self.records_min}
        if self.log_file is not None:
            log = LogChoice.parse(self.log_file)
            if is_ordinary(Path(log.file)):
                found["log_file"] = f"{_absolute(log.file)},level={log.level}"
        if self.exports:
            found["exports"] = [_absolute(file) for file in self.exports]
        return found

    def with_files(self, kept: Mapping[str, Any]) -> "RunOptions":
        """Return the options with the files that a tournament keeps, for those that are not given now."""
        missing: dict[str, Any] = {name: value for name, value in kept.items() if not getattr(self, name)}
        if "exports" in missing:
            missing["exports"] = tuple(missing["exports"])
        if self.records is not None:
            missing.pop("records_min", None)
        return replace(self, **missing)

    def check_resumable(self, number: int) -> None:
        """Raise BadOption for what a tournament that has begun cannot have otherwise."""
        for name in self.given():
            if name not in MAY_CHANGE:
                kept = f"tournament {number} goes on as it began, {flag(name)} cannot be changed; leave it out"
                raise BadOption(f"{kept} (--rounds and --concurrency can)")


def _absolute(file: str) -> str:
    return str(Path(file).absolute())


def flag(name: str) -> str:
    """Return an option like `--games-per-encounter`."""
    return "--" + {"exports": "export", "anchors": "anchor", "as_json": "json"}.get(name, name).replace("_", "-")


def pairs_of(option: str, text: str) -> Mapping[str, Any]:
    """Return `elo0=0 elo1=5`, by blanks or commas, as names and values. Raises BadOption."""
    found: dict[str, Any] = {}
    for part in text.replace(",", " ").split():
        name, equals, value = part.partition("=")
        if not name or not equals or not value:
            raise BadOption(f"{option} {text!r} cannot be read; write name=value, with blanks between")
        if name in found:
            raise BadOption(f"{option} gives {name} twice; keep one of them")
        found[name] = value
    return found


# The options of `palio run` for a cluster.


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for games that are played on a cluster."""
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
            "slurm:jobs=20,cores=16,walltime=1:00:00 (docs/how-to/cluster.md).",
        ),
    ):
        command = option(command)
    return command
