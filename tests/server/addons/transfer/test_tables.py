"""The page says of every column what the program says of it."""

from pathlib import Path

import pytest

from palio_server.addons.transfer.tables import TABLES, columns_of

PAGE = (Path(__file__).parents[4] / "docs" / "reference" / "data.md").read_text("utf-8")
TYPES = {"texts": "list of texts", "ints": "list of ints", "floats": "list of floats", "json": "JSON"}


@pytest.mark.parametrize("table", TABLES)
def test_the_page_has_the_schema(table):
    lines = [f"| `{each.name}` | {TYPES.get(each.kind, each.kind)} | {each.about} |" for each in columns_of(table)]
    assert "\n".join(lines) in PAGE


def test_columns_are_named_once():
    for table, columns in TABLES.items():
        names = [column.name for column in columns]
        assert len(set(names)) == len(names), table
