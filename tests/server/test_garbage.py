"""A running server looks for garbage rarely; afterwards all is as before."""

import gc

import pytest

from palio_server.garbage import ALL, infrequent_collection


class Ring:
    """Garbage that counting references does not find."""

    left = 0

    def __init__(self) -> None:
        self.itself = self
        Ring.left += 1

    def __del__(self) -> None:
        Ring.left -= 1


@pytest.fixture
def collected():
    gc.collect()
    return Ring


@pytest.mark.slow
def test_all_objects_are_looked_through_rarely_and_garbage_is_found_all_the_same(collected):
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with infrequent_collection():
        assert gc.get_threshold()[2] == ALL
        assert gc.get_freeze_count() > frozen
        collected()
        assert collected.left == 1
        gc.collect()
        assert collected.left == 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_after_a_fault_all_is_as_before():
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="fault"), infrequent_collection():
        raise ValueError("fault")
    assert gc.get_threshold() == before
