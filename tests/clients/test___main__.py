"""`python -m palio_clients` has all commands that need no server."""

from importlib.metadata import entry_points

import click
import pytest

from palio_clients.__main__ import VERBS, main

INNER = {"analyse"}  # what `palio analyse` of a server starts


def test_every_command_of_the_clients_is_one_here():
    ours = [each for each in entry_points(group="palio.commands") if each.value.startswith("palio_clients.")]
    assert {each.name: each.value.removeprefix("palio_clients.") for each in ours} == {
        verb: place for verb, place in VERBS.items() if verb not in INNER
    }


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_can_be_loaded(verb):
    command = main.get_command(click.Context(main), verb)
    assert isinstance(command, click.Command)
    assert command.callback is not None
