"""A script for each shell, and a manual page with every verb and every option; `test_shells` types in real ones."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from palio_server.cli.palio import palio

BIN = Path(sys.executable).parent


def bash_offers(line: str) -> list[str]:
    """Return bash's completions at the end of `line`, by the script that we print."""
    words = line.split(" ")
    script = f"""
eval "$(palio completion bash)"
COMP_LINE={line!r}; COMP_POINT={len(line)}
_palio_completion palio {words[-1]!r} 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("palio lea", ["leaderboard"]),
        ("palio run break", ["breakthrough"]),
        ("palio run breakthrough alpha", ["alpha_beta"]),
        ("palio join localhost:8000 exec", ["exec:"]),
        ("palio run breakthrough --format swi", ["swiss"]),
        ("palio run breakthrough --games-per", ["--games-per-encounter"]),
        ("palio completion z", ["zsh"]),
    ],
)
def test_bash_completes_verbs_options_bots_games_and_formats(line, offered):
    assert bash_offers(line) == offered


@pytest.mark.parametrize(
    ("shell", "mark"), [("zsh", "#compdef palio"), ("fish", "complete --no-files --command palio")]
)
def test_other_shells_get_their_scripts(shell, mark):
    assert mark in CliRunner().invoke(palio, ["completion", shell]).output


def test_the_manual_page_has_every_verb_and_every_option():
    page = CliRunner().invoke(palio, ["man"]).output.replace("\\-", "-")
    context = palio.make_context("palio", ["man"])
    for name in palio.list_commands(context):
        assert f"\n.SS palio {name}" in page
        for parameter in palio.get_command(context, name).params:
            for option in parameter.opts if parameter.param_type_name == "option" else ():
                assert option in page


def test_groff_finds_no_fault_with_it():
    assert shutil.which("groff"), "apt-get install groff"
    page = CliRunner().invoke(palio, ["man"]).output
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "leaderboard" in done.stdout


def test_the_manual_page_speaks_of_no_page_that_is_shown():
    page = CliRunner().invoke(palio, ["man"]).output
    assert "Show this message" not in page
    assert page.count(r".B \-h, \-\-help") == 1


def test_numbers_are_described_in_words():
    page = CliRunner().invoke(palio, ["man"]).output
    assert "RANGE" not in page
    assert "<=x" not in page
    assert "[1 to 256]" in page


def test_the_manual_page_has_the_examples_of_every_verb():
    page = CliRunner().invoke(palio, ["man"]).output.replace("\\-", "-")
    context = palio.make_context("palio", ["man"])
    for name in ("run", "serve", "join", "export"):
        lines = palio.get_command(context, name).epilog.splitlines()
        assert lines[-1].strip().split("  ")[0] in page


def test_every_paragraph_of_an_option_has_words():
    lines = CliRunner().invoke(palio, ["man"]).output.splitlines()
    assert r"\&" not in lines  # an argument without any, as it once stood between the options
    assert ".nh" in lines
