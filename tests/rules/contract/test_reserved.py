"""Names that only a server gives."""

import pytest

from palio_rules.contract.names import is_guest, is_house, is_reserved


@pytest.mark.parametrize(
    ("name", "guest", "house"),
    [
        ("guest-4fx09a", True, False),
        ("Guest-ada", True, False),
        ("house-greedy", False, True),
        ("HOUSE-greedy", False, True),
        ("guest", False, False),
        ("my-guest-1", False, False),
        ("household", False, False),
    ],
)
def test_a_name_is_reserved_by_its_beginning_in_whatever_case(name, guest, house):
    assert (is_guest(name), is_house(name), is_reserved(name)) == (guest, house, guest or house)
