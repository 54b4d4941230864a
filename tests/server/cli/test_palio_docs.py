"""Every command and option of `palio` that the documentation names exists."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from palio_server.cli.palio import palio

ROOT = Path(__file__).parents[3]
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = sorted([*(ROOT / name for name in TOP), *(ROOT / "docs").rglob("*.md")])
ENDS = {"|", "||", "&&", ";", "&", ">", ">>", "2>", "2>&1", "<", "then", "--"}  # of a command in a shell's line
ELSEWHERE = {  # options of other programs: Dask's, a course's, the simulation's
    "--nthreads", "--no-dashboard", "--closed-list", "--planted",
}  # fmt: skip
BEFORE = r"(?:^|&&|;|\||\(|\bthen|\bdo|\buvx|\btime|\bsudo(?: -u \w+)?)\s*(?:\$\s+)?(?:\w+=\S+\s+)*"


def spans(text: str) -> Iterator[tuple[int, str]]:
    """Each piece of code, with its line: lines of blocks, joined where a backslash ends one, and what stands inline."""
    within, joined, began = False, "", 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            within = not within
        elif within:
            began = began if joined else number
            joined += line.rstrip("\\") + " "
            if not line.endswith("\\"):
                if not lines[number].startswith("palio: "):  # what is shown there is the answer to a mistake
                    yield began, joined
                joined = ""
        else:
            yield from ((number, code) for code in re.findall(r"`([^`]+)`", line))


def words_of(code: str) -> list[str]:
    """The words behind `palio` in a line of code; none if it runs something else."""
    found = re.search(rf"{BEFORE}palio\s+(?=[a-z-])(.*)", re.sub(r"\s#\s.*", "", code.strip()))
    if found is None:
        return []
    try:
        words = shlex.split(found[1], posix=True)
    except ValueError:
        words = found[1].split()
    end = next((at for at, word in enumerate(words) if word in ENDS), len(words))
    return [word.rstrip(",.;:)") for word in words[:end]]


def commands(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


def options(command: click.Command) -> set[str]:
    return {"--help", *(name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))}


@cache
def every_option() -> frozenset[str]:
    return frozenset(options(palio)).union(*map(options, commands(palio)))


def fault(words: list[str]) -> str:
    """Return the parts of a command line that do not exist; "" if all do."""
    command: click.Command = palio
    rest = list(words)
    while isinstance(command, click.Group) and rest:
        if rest[0].startswith("-"):
            if rest[0] not in options(command) | {"--version"}:
                return f"palio has no option {rest[0]}"
            rest.pop(0)
            continue
        if not re.fullmatch("[a-z][a-z-]*", rest[0]):
            return ""  # a placeholder
        found = command.get_command(click.Context(command), rest[0])
        if found is None:
            return f"there is no command {rest[0]!r} in `palio {' '.join(words)}`"
        command = found
        rest.pop(0)
    for word in rest:
        name = word.partition("=")[0].strip("[]")
        if name.startswith("--") and name not in options(command):
            return f"`palio {' '.join(words)}` has no option {name}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_a_page_names_exists(page: Path) -> None:
    wrong = []
    for number, code in spans(page.read_text("utf-8")):
        if words := words_of(code):
            said = fault(words)
        elif re.fullmatch(r"--[a-z][a-z-]+", name := re.split(r"[\s=]", code.strip())[0]):
            said = "" if name in every_option() | ELSEWHERE else f"no command has an option {name}"
        else:
            said = ""
        if said:
            wrong.append(f"{page.name}:{number}: {said}")
    assert wrong == []


@pytest.mark.parametrize(
    "code",
    [
        "palio match show ID --jsn", "$ palio nothing", "palio --nothing run", "palio serve --bot a --nope 3 | tee log",
        "PALIO_DB=x palio tournament nothing 3",
    ],
)  # fmt: skip
def test_what_does_not_exist_is_found(code: str) -> None:
    assert fault(words_of(code))


def test_pages_name_commands() -> None:
    found = [code for page in PAGES for _, code in spans(page.read_text("utf-8")) if words_of(code)]
    assert len(found) > 200
