"""How one bot's program is confined: decided once, told in the record, and turned into a command line."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from palio_rules.errors import BadOption
from palio_server.sandbox import bubblewrap
from palio_server.sandbox.binds import binds
from palio_server.sandbox.limits import Limits
from palio_server.sandbox.machine import Machine

Mode = Literal["auto", "require", "off"]
NOT_CONFINED = "not confined"


@dataclass(frozen=True, slots=True)
class Confinement:
    """For all programs of a command. `machine` None: they are not confined, as somebody has asked."""

    limits: Limits = field(default_factory=Limits)
    machine: Machine | None = None
    hidden: tuple[Path, ...] = ()  # what no program may read, though it lies beside it

    @property
    def works(self) -> bool:
        return self.machine is not None and bool(self.machine.bwrap)

    @property
    def warning(self) -> str:
        """What could not be had, in one line; "" if all could, or nobody wants it."""
        if self.machine is None or self.machine.bwrap:
            return ""
        open_to = "bots' programs can read your files and use the network"
        return f"{self.machine.lacks}, so {open_to}; {self.machine.remedy}"

    def text(self, *, network: bool) -> str:
        """For the record."""
        if self.machine is None:
            return NOT_CONFINED
        if not self.works:
            return f"{NOT_CONFINED}: {self.machine.lacks}"
        return f"bubblewrap {self.machine.version}, {self.limits}{', network' if network else ''}"

    def command(
        self,
        program: Sequence[str],
        files: Sequence[Path],
        variables: Mapping[str, str],
        *,
        sockets: Sequence[Path],
        report: int,
        network: bool,
    ) -> list[str]:
        """The command line of `program`, which lies in `files`. Only where it `works`."""
        assert self.machine is not None
        return bubblewrap.command(
            self.machine.bwrap,
            program,
            self.limits,
            binds(files, self.hidden, network=network),
            bubblewrap.environment(os.environ, variables),
            sockets=sockets,
            report=report,
            network=network,
        )


def confinement(mode: Mode, limits: Limits, machine: Machine, hidden: Sequence[Path] = ()) -> Confinement:
    """As `mode` wants it on `machine`. Raises BadOption where it is required and cannot be had."""
    if mode == "off":
        return Confinement(limits)
    if mode == "require" and not machine.bwrap:
        raise BadOption(f"--sandbox require: {machine.lacks}; {machine.remedy}")
    return Confinement(limits, machine, tuple(hidden))
