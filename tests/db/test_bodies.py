"""Packed bodies: the same JSON comes out, damage is named, and what older tables have is still read."""

import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_matches import duel, played, race, table

from palio_db.bodies import DICTIONARY, BadBody, is_same, pack_body, unpack_body
from palio_db.columns import pack, unpack
from palio_db.errors import Unreadable
from palio_db.event_values import record_of
from palio_rules.records.record import Record

RECORDS = [record_of(each) for each in (duel(), race(), table())]


@given(st.binary(max_size=2000))
def test_what_was_packed_comes_out_again(data):
    assert unpack_body(pack_body(data)) == data


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.setup.game)
def test_a_record_is_read_packed_or_not(record):
    for packed in (False, True):
        assert unpack("the record", pack("the record", record, packed=packed), Record) == record


def test_a_record_of_fourteen_plies_takes_a_quarter_of_its_json():
    record = played("dominoes", "ann", "bob", longest=14)
    data = msgspec.json.encode(record)
    assert len(pack_body(data)) < len(data) / 4


def test_the_dictionary_is_the_one_with_which_stored_records_were_packed():
    """Another one needs a name of its own: see `bodies.py`."""
    assert zlib.adler32(DICTIONARY) == CHECKSUM


@pytest.mark.parametrize("cut", [1, 5, -1], ids=["first byte", "header", "last byte"])
def test_a_body_that_is_cut_off_is_named(cut):
    body = pack("the record", RECORDS[0], packed=True)
    with pytest.raises(Unreadable, match="the record in the database cannot be read: it is"):
        unpack("the record", body[:cut], Record)


def test_a_body_with_something_behind_it_is_named():
    with pytest.raises(BadBody, match="cut off, or too long"):
        unpack_body(pack_body(b"{}") + b"more")


def test_bodies_are_compared_by_what_they_hold():
    data = b'{"a": 1}'
    assert is_same(data, pack_body(data))
    assert not is_same(data, pack_body(b'{"a": 2}'))
    assert not is_same(None, data)
    assert is_same(None, None)


CHECKSUM = 2151635416
