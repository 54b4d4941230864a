"""The syntax of a game or a bot with its settings: `alpha_beta:depth=4,seed=7`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from palio_rules.errors import BadOption, quoted


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its settings, all unparsed text."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> "Spec":
        """Read `name` or `name:key=value,key=value`. Raises BadOption, quoting the invalid part."""
        name, colon, rest = text.partition(":")
        name = name.strip()
        if not name:
            raise BadOption(f"{quoted(text)} has no name before its settings; write name:key=value")
        settings: dict[str, str] = {}
        for part in rest.split(",") if colon else ():
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not key or not equals or not value:
                raise BadOption(f"{quoted(part)} in {quoted(text)} is no setting; write key=value, separated by commas")
            if key in settings:
                raise BadOption(f"{quoted(text)} sets {quoted(key)} twice; keep one of them")
            settings[key] = value
        return cls(name, settings)

    def __str__(self) -> str:
        if not self.settings:
            return self.name
        return f"{self.name}:{','.join(f'{key}={value}' for key, value in self.settings.items())}"


def file_meant_by(name: str) -> str:
    """Return what to write for a file in the current folder that `name` probably means; "" if there is none."""
    if os.path.isfile(f"{name}.py"):  # noqa: PTH113  # which takes names of any length
        return f"for a file write ./{name}.py"
    if os.path.isfile(name) and os.access(name, os.X_OK):  # noqa: PTH113
        return f"for a program write exec:./{name}"
    return ""
