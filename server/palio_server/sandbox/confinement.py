"""The confinement of one bot's program: decided once, noted in the record, and turned into a command line."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from palio_rules import registry
from palio_rules.errors import BadOption
from palio_server.sandbox import bubblewrap
from palio_server.sandbox.binds import TOLD, Binds, binds, missed
from palio_server.sandbox.bubblewrap import Machine, SandboxLimits, this_machine
from palio_server.sandbox.cgroups import ControlGroup, delegated, new_group
from palio_server.sandbox.spec_files import SpecFiles, naming

ConfinementMode = Literal["auto", "require", "off"]
NOT_CONFINED = "not confined"
SHIPPED = "not confined: shipped with Palio"


@dataclass(frozen=True)
class Confinement:
    """The confinement of all programs of a command. `ask` finds out what the machine offers, at the first untrusted
    one.
    """

    limits: SandboxLimits = field(default_factory=SandboxLimits)
    mode: ConfinementMode = "off"
    hidden: tuple[Path, ...] = ()  # files that no program may read, even in its own folder
    ask: Callable[[], Machine] = this_machine

    @cached_property
    def machine(self) -> Machine:
        return self.ask()

    @property
    def works(self) -> bool:
        return self.mode != "off" and bool(self.machine.bwrap)

    @property
    def warning(self) -> str:
        """The missing protection, in one line; "" if none is missing, or it is switched off."""
        if self.mode == "off" or self.machine.bwrap:
            return ""
        open_to = "bots' programs can read your files and use the network"
        return f"no sandbox: {self.machine.lacks}, so {open_to}; {self.machine.remedy}"

    def text(self, *, network: bool) -> str:
        """Return the text for the record."""
        if self.mode == "off":
            return f"{NOT_CONFINED}: --sandbox off"
        if not self.works:
            return f"{NOT_CONFINED}: {self.machine.lacks}"
        return f"bubblewrap {self.machine.version}, {self.limits}{', network' if network else ''}"

    def group(self) -> ControlGroup | None:
        """Return a control group with the same limits, where they are delegated."""
        parent = delegated()
        return None if parent is None else new_group(parent, self.limits.memory, self.limits.processes)

    def shown(self, found: SpecFiles, *, network: bool) -> Binds:
        """Return the files shown to a bot, by `found`. This reads its folder, which takes a while. Raises BadOption."""
        if found.refused:
            raise BadOption(found.refused)
        files = (*found.files, *registry.game_files())
        return binds(files, self.hidden, programs=found.programs, network=network)

    def explained(self, spec: str, shown: Binds, stderr: str) -> list[str]:
        """Return lines for the author of `spec`, whose bot wrote `stderr`: which hidden files it may have missed, if
        any.
        """
        hidden = {path: kind for path, kind in shown.hidden if path not in self.hidden}  # those that no SPEC can show
        if not (found := [_from_here(path) for path in missed(stderr, hidden)]):
            return []
        more = f" and {len(found) - TOLD} more" if len(found) > TOLD else ""
        return [
            f"palio: the sandbox hides {', '.join(found[:TOLD])}{more}, see docs/explanation/security.md",
            f"palio: {naming(spec, found[0])}",
        ]

    def command(
        self,
        program: Sequence[str],
        found: SpecFiles,
        *,
        socket: Path | None,
        report: int,
        network: bool,
        shown: Binds | None = None,
        private: bool = False,
    ) -> list[str]:
        """Return the command line of `program`, a bot with the files `found`. Only if confinement `works`. Raises
        BadOption.

        With `private` its processes may close their memory to each other.
        """
        variables = {**found.variables, "PALIO_LIMITS": str(self.limits)}
        if words := registry.games_variable():  # its program looks games up, too
            variables[registry.GIVEN] = words
        return bubblewrap.command(
            self.machine.bwrap,
            program,
            self.limits,
            shown or self.shown(found, network=network),
            bubblewrap.environment(os.environ, variables, network=network),
            folder=found.folder,
            socket=socket,
            report=report,
            network=network,
            private=private,
        )


def _from_here(path: Path) -> str:
    """Return the path as a SPEC may name it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def confinement(
    mode: ConfinementMode,
    limits: SandboxLimits,
    hidden: Sequence[Path] = (),
    ask: Callable[[], Machine] = this_machine,
    *,
    strangers: bool = False,
) -> Confinement:
    """Return the confinement for `mode`. Raises BadOption if it is required and not available.

    Where programs of `strangers` may come, `auto` requires it, too.
    """
    required = mode == "require" or (strangers and mode == "auto")
    found = Confinement(limits, "require" if required else mode, tuple(hidden), ask)
    if required and not found.works:
        why = "--sandbox require" if mode == "require" else "strangers' programs run here in a sandbox only"
        risk = "" if mode == "require" else ", or take the risk with --sandbox off"
        raise BadOption(f"{why}: {found.machine.lacks}; {found.machine.remedy}{risk}")
    return found
