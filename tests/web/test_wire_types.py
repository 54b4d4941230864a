"""The page's types are those of the structs that write its JSON."""

import importlib.util
from pathlib import Path

import msgspec
import pytest

TOOL = Path(__file__).parents[2] / "tools" / "web" / "wire_types.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("wire_types", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_is_what_the_structs_say(tool):
    assert tool.FILE.read_text() == tool.wire_types(), "run `make types`"


def test_two_structs_of_one_name_are_refused(tool):
    one = msgspec.defstruct("Same", [("x", int)])
    other = msgspec.defstruct("Same", [("y", int)])
    both = msgspec.inspect.type_info(tuple[one, other])
    with pytest.raises(ValueError, match="two structs are named Same"):
        tool._collect(both, {})


def test_a_struct_is_written_as_typescript_has_it(tool):
    class Inner(msgspec.Struct, array_like=True):
        row: int
        name: str = ""

    class Outer(msgspec.Struct, tag_field="type", tag="outer"):
        """First line.

        More.
        """

        inner: list[Inner | None]
        pair: tuple[int, float]
        extra: dict[str, int] = {}
        maybe: int | msgspec.UnsetType = msgspec.UNSET

    written = tool._interface(msgspec.inspect.type_info(Outer), request=False)
    assert written.splitlines() == [
        "/** First line. */",
        "export interface Outer {",
        '  type: "outer";',
        "  inner: (Inner | null)[];",
        "  pair: [number, number];",
        "  extra: Record<string, number>;",
        "  maybe?: number;",
        "}",
    ]
    assert "  extra?: Record" in tool._interface(msgspec.inspect.type_info(Outer), request=True)
    assert tool._interface(msgspec.inspect.type_info(Inner), request=False) == (
        "export type Inner = [row: number, name: string];"
    )
