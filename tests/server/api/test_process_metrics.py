"""The system's figures about this process."""

import os
import time
from pathlib import Path

import pytest

from palio_server.api import metrics as process_metrics_module
from palio_server.api.metrics import _started, process_metrics


def values():
    return {family.name: family.samples[0].value for family in process_metrics()}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has /proc")
def test_the_start_is_found_whatever_the_program_is_called(tmp_path, monkeypatch):
    stat = Path("/proc/self/stat").read_bytes()
    (tmp_path / "stat").write_bytes(stat[: stat.index(b"(")] + b"(\xff) R 1 (2\n3)" + stat[stat.rindex(b")") + 1 :])
    _started.cache_clear()
    expected = _started()
    monkeypatch.setattr(process_metrics_module, "PROC", tmp_path)
    _started.cache_clear()
    assert abs(_started() - expected) < 1
    _started.cache_clear()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has /proc")
def test_files_memory_and_time_are_those_of_this_process(tmp_path):
    before = values()
    with (tmp_path / "file").open("w"), (tmp_path / "other").open("w"):
        during = values()
    assert during["process_open_fds"] == before["process_open_fds"] + 2
    assert 2**20 < during["process_resident_memory_bytes"] < 2**36
    assert 0 < time.time() - during["process_start_time_seconds"] < 24 * 3600
    assert during["process_cpu_seconds_total"] <= sum(os.times()[:2]) + 0.1
