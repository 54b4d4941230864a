"""The marker and the fixture of the tests beside this file, where Palio's own plugin does not give them."""

from pathlib import Path

import pytest

PLUGIN = "palio_clients.grading.plugin"


class WithoutThePlugin:
    @pytest.fixture
    def submission(self):
        """The folder with the student's files: the working folder."""
        return Path.cwd()


def pytest_configure(config):
    if not config.pluginmanager.hasplugin(PLUGIN):
        config.addinivalue_line("markers", "points(n, extra=False, seconds=None): what a test is worth, and its time")
        config.pluginmanager.register(WithoutThePlugin(), "submission")
