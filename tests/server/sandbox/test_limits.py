"""Sizes as people write them, and the least that a bot needs."""

import pytest

from palio_rules.errors import BadOption
from palio_server.sandbox.bubblewrap import GIB, MIB, SandboxLimits, parse_size, size_text


@pytest.mark.parametrize(("text", "size"), [("1G", GIB), ("512m", 512 * MIB), ("64K", 65536), ("1000", 1000)])
def test_a_size_is_read_in_whatever_unit(text: str, size: int):
    assert parse_size(text) == size
    assert parse_size(size_text(size)) == size


@pytest.mark.parametrize("text", ["", "0", "-1G", "1T", "much", "1.5G", "1GB"])
def test_what_is_no_size_is_refused_and_quoted(text: str):
    with pytest.raises(BadOption, match="is no size; write a number and K, M or G"):
        parse_size(text)


def test_limits_say_themselves_as_a_record_has_them():
    assert str(SandboxLimits()) == "memory 1G, processes 32, open files 256, scratch 64M"


@pytest.mark.parametrize("wrong", [{"memory": MIB}, {"processes": 1}])
def test_too_little_to_run_at_all_is_refused(wrong: dict[str, int]):
    with pytest.raises(BadOption, match="at least"):
        SandboxLimits(**wrong)


def test_a_bot_has_a_core_at_least():
    with pytest.raises(BadOption, match="cores 0 are too few"):
        SandboxLimits(cores=0)
