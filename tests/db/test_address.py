"""Addresses of databases: read as people write them, and shown without the password."""

from palio_db.address import Address


def test_an_address_hides_its_password():
    assert Address.parse("postgresql://anna:p:ss@w0rd@host/x").label == "postgresql://anna:***@host/x"
    assert Address.parse("postgres://host/x?password=secret&a=b").label == "postgres://host/x?password=***&a=b"
