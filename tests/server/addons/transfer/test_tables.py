"""The tables that are exported name each of their columns once."""

from palio_server.addons.transfer.tables import TABLES


def test_columns_are_named_once():
    for table, columns in TABLES.items():
        names = [column.name for column in columns]
        assert len(set(names)) == len(names), table
