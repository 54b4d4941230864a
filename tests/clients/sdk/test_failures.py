"""Which limit of a sandbox an error is about."""

import errno

import pytest

from palio_clients.sdk.failures import LIMITS, traceback_text, used_up

TEXT = "memory 1G, processes 1, open files 256, scratch 64M"


@pytest.mark.parametrize(
    ("error", "limit"),
    [
        (MemoryError(), "memory 1G used up"),
        (OSError(errno.ENOMEM, "x"), "memory 1G used up"),
        (OSError(errno.EMFILE, "x"), "open files 256 used up"),
        (OSError(errno.ENOSPC, "x"), "scratch 64M used up"),
        (OSError(errno.EFBIG, "x"), "scratch 64M used up"),
        (OSError(errno.EAGAIN, "x"), "processes 1 used up"),
        (RuntimeError("can't start new thread"), "processes 1 used up"),
        (OSError(errno.ENOENT, "x"), ""),
        (ValueError("x"), ""),
    ],
)
def test_an_error_at_a_limit_names_it(monkeypatch: pytest.MonkeyPatch, error: Exception, limit: str):
    monkeypatch.setenv(LIMITS, TEXT)
    assert used_up(error) == limit


def test_with_processes_to_spare_such_an_error_is_about_something_else(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(LIMITS, "memory 1G, processes 10000000")
    assert used_up(OSError(errno.EAGAIN, "x")) == ""


def test_without_a_sandbox_there_are_no_limits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(LIMITS, raising=False)
    assert used_up(MemoryError()) == ""


def test_a_traceback_ends_with_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(LIMITS, TEXT)
    assert traceback_text(MemoryError("x"), ()).endswith("MemoryError: x\nmemory 1G used up")
