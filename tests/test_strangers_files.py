"""Only the inspecting process reads what is inside of strangers' files: the imports of our own modules show it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVER_SIDE = {"palio_rules": "rules", "palio_db": "db", "palio_server": "server"}  # server and clients never meet
INSPECTOR = "palio_server.courses.inspector"
READERS = {"ast", "bz2", "gzip", "lzma", "nbformat", "PIL", "symtable", "tarfile", "tokenize", "zipfile", "zlib"}

# Modules that import one of these beside the inspector, each with the reason why no stranger's file comes there, or
# why it cannot do harm.
EXCUSED = {
    "palio_db.bodies": "what the store itself has compressed, to a bounded length",
    "palio_db.course_games": "what the store itself has compressed, to a bounded length",
    "palio_db.submissions": "what the store itself has compressed, to a bounded length",
    "palio_rules.completing": "files that a user types, in the process that completes a command",
    "palio_rules.python_file": "the place of a bot's file, from its imports; clients in the bot's own process",
    "palio_server.addons.cluster.parcels": "what this run has compressed for its own workers",
    "palio_server.addons.transfer.outputs": "files that Palio writes",
    "palio_server.addons.transfer.reading": "the operator's archive, in the process of palio import",
    "palio_server.api.compression": "answers of this server",
    "palio_server.api.page_files": "our own page",
    "palio_server.courses.export_tree": "the list of an export's files, in the process of palio course import",
    "palio_server.courses.gradescope": "a zip that Palio writes",
    "palio_server.courses.own_wheel": "a wheel that Palio writes",
    "palio_server.live.animation": "pictures that Palio draws",
    "palio_server.sandbox.binds": "the first kilobytes of a file, to a bounded length",
    "palio_server.tournament.openings.book_files": "books that the operator names",
}
BY_EXCUSED = {"palio_server.courses.archives": {"palio_server.courses.export_tree"}}  # for one entry of an export


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package, folder in SERVER_SIDE.items():
        for path in sorted((ROOT / folder / package).rglob("*.py")):
            yield ".".join(path.relative_to(ROOT / folder).with_suffix("").parts), ast.parse(path.read_text())


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Imports of each module, anywhere in it; `compile` for one that calls the function."""
    found: dict[str, set[str]] = {}
    for name, tree in modules():
        names = found[name.removesuffix(".__init__")] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names.update(each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.update({node.module, *(f"{node.module}.{each.name}" for each in node.names)})
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "compile":
                names.add("compile")
    return found


def readers(imports: dict[str, set[str]]) -> set[str]:
    """The modules that look into files."""
    return {
        name for name, found in imports.items() if {each.partition(".")[0] for each in found} & {*READERS, "compile"}
    }


def test_only_the_inspecting_process_imports_what_reads_strangers_files(imports):
    inside = readers(imports) - EXCUSED.keys()
    assert inside == {each for each in imports[INSPECTOR] if each in inside} | {"palio_server.courses.archives"}
    for module in inside:
        importers = {name for name, found in imports.items() if module in found} - inside - {INSPECTOR}
        assert importers == BY_EXCUSED.get(module, set()), f"{module} is imported outside of the inspecting process"


def test_nothing_imports_the_inspector_which_is_a_program(imports):
    assert [name for name, found in imports.items() if INSPECTOR in found] == []


def test_every_excuse_is_still_needed(imports):
    assert EXCUSED.keys() - readers(imports) == set()
