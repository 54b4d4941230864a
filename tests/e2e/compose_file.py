"""docker-compose.yml as an engine reads it: anchors resolved, variables filled in, a service's words put together."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent
VARIABLE = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<name>\w+)(?::\?(?P<complaint>[^}]+))?\}|(?P<odd>))")


class Missing(ValueError):
    """An error with which `docker compose` stops."""


def env_example() -> dict[str, str]:
    """The secrets of .env.example, as compose reads .env; what begins with COMPOSE_ is for compose itself."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith(("#", "COMPOSE_")))


def profiles_chosen() -> list[str]:
    """Return the profiles that .env.example starts by default."""
    chosen = re.search(r"^COMPOSE_PROFILES=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    return chosen[1].split(",") if chosen else []


def of_profile(profile: str) -> dict[str, Any]:
    """The services that `docker compose --profile PROFILE up` starts."""
    return {
        name: service
        for name, service in compose()["services"].items()
        if profile in service.get("profiles", [profile])
    }


def interpolate(value: Any, variables: Mapping[str, str]) -> Any:
    """Fill in ${NAME} and ${NAME:?complaint}, and make $ of $$. Raises Missing; other forms are refused."""

    def fill(found: re.Match[str]) -> str:
        if found["dollar"]:
            return "$"
        if found["name"] is None:
            raise ValueError(f"{found.string!r} has a variable in a form that the file does without, as defaults are")
        if not variables.get(found["name"]):
            raise Missing(f"{found['name']}: {found['complaint']}")
        return variables[found["name"]]

    match value:
        case str():
            return VARIABLE.sub(fill, value)
        case list():
            return [interpolate(each, variables) for each in value]
        case dict():
            return {key: interpolate(each, variables) for key, each in value.items()}
    return value


def variables_in(text: str) -> set[str]:
    """The names of all variables in the file."""
    return {found["name"] for found in VARIABLE.finditer(text) if found["name"]}


def compose(variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The whole file with `variables` (by default: those of .env.example) filled in."""
    raw = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    found: dict[str, Any] = interpolate(raw, env_example() if variables is None else variables)
    return found


class Stage:
    """One stage of the Dockerfile."""

    def __init__(self, name: str, parent: str) -> None:
        self.name, self.parent = name, parent
        self.lines: list[tuple[str, str]] = []  # instruction and the rest, continued lines joined

    def all(self, instruction: str) -> list[str]:
        return [rest for found, rest in self.lines if found == instruction]


def stages() -> dict[str, Stage]:
    """The Dockerfile's stages by name."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    found: dict[str, Stage] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        instruction, rest = line.split(None, 1)
        if instruction == "FROM":
            parent, _, name = rest.partition(" AS ")
            stage = found[name] = Stage(name, parent)
        else:
            stage.lines.append((instruction, rest))
    return found


def command(service: Mapping[str, Any]) -> list[str]:
    """Return the command of the container: the entry point, the service's own or the image's, and the command."""
    if "entrypoint" in service:
        entrypoint = service["entrypoint"]
    else:
        entrypoint = yaml.safe_load(stages()[service["build"]["target"]].all("ENTRYPOINT")[-1])
    return [*entrypoint, *service.get("command", [])]


def health(service: Mapping[str, Any]) -> list[str]:
    """The health check as the engine runs it."""
    kind, *words = service["healthcheck"]["test"]
    if kind == "CMD-SHELL":
        return ["/bin/sh", "-c", *words]
    assert kind == "CMD"
    return words


def localised(words: list[str], addresses: Mapping[str, str], whole: Mapping[str, str]) -> list[str]:
    """`words` with what is here for what is in the containers: `addresses` wherever they occur, `whole` words only."""
    found = []
    for word in words:
        here = whole.get(word, word)
        for there, address in addresses.items():
            here = here.replace(there, address)
        found.append(here)
    return found


def let_through(path: str) -> bool:
    """Return True if .dockerignore lets `path`, relative to the root, into the build. Knows the syntax that our file
    uses.
    """
    kept = True
    for line in (ROOT / ".dockerignore").read_text().split():
        pattern = line.removeprefix("!")
        if pattern.startswith("**/"):
            applies = pattern.removeprefix("**/") in path.split("/")
        else:
            applies = pattern in ("*", path) or path.startswith(f"{pattern}/")
        if applies:
            kept = line.startswith("!")
    return kept
