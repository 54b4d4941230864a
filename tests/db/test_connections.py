"""Plain connections: what is written comes back, in both databases and in bulk."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palio_db.connections import BULK, Sql

KEEP = Sql(
    "INSERT INTO kept VALUES (?, ?, ?)", "INSERT INTO kept SELECT * FROM unnest(%s::text[], %s::int[], %s::bytea[])"
)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
lines = st.lists(st.tuples(texts, st.integers(-(2**31), 2**31 - 1), st.binary()), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=lines)
@pytest.mark.parametrize("quoted", ['a"b', "a\\b", "{a,b}", "NULL", "", " a"])
async def test_lines_in_bulk_come_back_as_they_were(store, lines, quoted):
    many = [(quoted, number, quoted.encode()) for number in range(2 * BULK)]  # more than one statement takes
    lines = [*lines, *many]

    def keep(connection):
        connection.begin()
        connection.change(Sql.of("CREATE TEMPORARY TABLE kept (a text, b int, c {blob})", blob=("blob", "bytea")), [()])
        connection.change_bulk(KEEP, lines)
        found = connection.rows(Sql.of("SELECT a, b, c FROM kept"))
        connection.rollback()
        return found

    assert sorted(await store._database.ask(keep)) == sorted(lines)


def test_a_statement_is_spelled_for_each_database():
    found = Sql.of("SELECT {a} WHERE x = ? AND y {b}", a="z", b=("= ?", "IN (?)"))
    assert found == Sql("SELECT z WHERE x = ? AND y = ?", "SELECT z WHERE x = %s AND y IN (%s)")
