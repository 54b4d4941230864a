"""The public face of the rules: what it promises is there, costs nothing but msgspec, and cannot make a circle."""

import ast
from pathlib import Path

import pytest

import palio_rules
import palio_rules.records

FACES = [palio_rules, palio_rules.records]
MODULES = sorted(Path(palio_rules.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_every_name_of_a_face_is_there(face):
    assert all(hasattr(face, name) for name in face.__all__)
    assert face.__doc__


def test_the_example_in_the_docstring_plays_a_game():
    example = palio_rules.__doc__.partition("    rules, options")
    code = "\n".join(line.removeprefix("    ") for line in (example[1] + example[2]).splitlines())
    names = dict(vars(palio_rules))
    exec(compile(code, "the docstring", "exec"), names)
    assert names["state"].outcome().reason == "reached-far-row"


def test_the_face_needs_msgspec_and_nothing_else(loaded_by):
    assert loaded_by("import palio_rules") == {"msgspec", "palio_rules"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(MODULES[0].parent)))
def test_modules_import_from_modules_and_never_from_a_face(path):
    faces = {face.__name__ for face in FACES}
    imported = [node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    assert not faces.intersection(imported)
