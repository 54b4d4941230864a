"""Imported objects are never collected as garbage; other objects are collected again afterwards."""

import gc

import pytest

from palio_server.cli.command import loading


def test_nobody_looks_for_garbage_among_what_was_imported():
    known = gc.get_freeze_count()
    with loading():
        assert not gc.isenabled()
        held = [[] for _ in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= known + len(held)
    gc.unfreeze()


def test_garbage_is_collected_again_after_an_import_that_has_failed():
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()
