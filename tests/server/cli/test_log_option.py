"""`--log json` is for `serve` and `run`, on the command line and in the environment."""

import pytest
from click.testing import CliRunner

from palio_server.cli.log_option import logs_json, on_stderr
from palio_server.cli.run import run
from palio_server.cli.serve import serve


@pytest.mark.parametrize("command", [run, serve])
def test_a_kind_that_is_not_known_is_refused_with_those_that_are(command):
    found = CliRunner().invoke(command, ["--log", "yaml"])
    assert found.exit_code == 2
    assert "'text', 'json'" in found.output
    assert CliRunner().invoke(command, [], env={"PALIO_LOG": "yaml"}).exit_code == 2


def test_without_it_a_sentence_is_a_sentence(capsys):
    assert not logs_json()
    on_stderr("stopping")
    assert capsys.readouterr().err == "stopping\n"
