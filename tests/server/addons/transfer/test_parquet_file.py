"""Parquet as pandas reads it: typed, and in row groups that a small memory holds."""

import io

import made_matches
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from palio_server.addons.transfer import parquet_file
from palio_server.addons.transfer.parquet_file import ParquetFile, schema_of
from palio_server.addons.transfer.rows import MatchRows
from palio_server.addons.transfer.tables import EVERY_MATCH, TABLES, columns_of


def written(table, matches):
    file = io.BytesIO()
    rows = ParquetFile(file, columns_of(table), table)
    for kept in matches:
        rows.write(MatchRows(kept).of(table))
    rows.close()
    return pq.ParquetFile(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("table", EVERY_MATCH)
def test_what_is_read_is_what_was_written(table):
    file = written(table, made_matches.everything())
    expected = [row for kept in made_matches.everything() for row in MatchRows(kept).of(table)]
    names = [column.name for column in columns_of(table)]
    assert [tuple(row[name] for name in names) for row in file.read().to_pylist()] == expected
    assert file.schema_arrow.metadata[b"palio"] == table.encode()


@pytest.mark.parametrize("table", TABLES)
def test_every_column_says_what_it_means(table):
    for field, column in zip(schema_of(columns_of(table), table), columns_of(table), strict=True):
        assert field.metadata[b"about"].decode() == column.about


def test_types_are_the_fields_own():
    schema = written("matches", [made_matches.duel()]).schema_arrow
    assert schema.field("started_at").type == pa.timestamp("us", tz="UTC")
    assert pa.types.is_dictionary(schema.field("game").type)
    assert schema.field("moves").type == pa.list_(pa.string())
    frame = written("matches", [made_matches.duel()]).read().to_pandas()
    assert str(frame.started_at.dtype) == "datetime64[us, UTC]"
    assert frame.game.dtype == "category"
    assert pd.isna(frame.move_ms[0])


def test_a_row_group_is_bounded_in_rows_and_in_text(monkeypatch):
    monkeypatch.setattr(parquet_file, "GROUP_ROWS", 5)
    file = written("plies", [made_matches.duel()] * 3)  # eight rows each
    assert [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)] == [5, 5, 5, 5, 4]
    monkeypatch.setattr(parquet_file, "GROUP_CHARACTERS", 1)
    assert written("plies", [made_matches.duel()]).metadata.num_row_groups == 8


def test_a_table_without_rows_has_its_columns():
    file = written("rejections", [made_matches.race()])
    assert file.metadata.num_rows == 0
    assert file.schema_arrow.names == [column.name for column in columns_of("rejections")]
