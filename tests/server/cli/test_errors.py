"""Errors that a command did not expect are explained as far as their type says how."""

import click
import pytest

from palio_db.address import Address
from palio_db.errors import StoreError, Unavailable
from palio_server.cli.command import FAILURE, USAGE, explain


@pytest.mark.parametrize(
    ("module", "extra"), [("aiomqtt", "bots"), ("starlette", "server"), ("sqlalchemy.orm", "server")]
)
def test_a_library_that_is_missing_is_named_with_what_brings_it(module, extra):
    sentence = f"this needs {module}, which is not installed; pip install 'palio[{extra}]'"
    assert explain(ModuleNotFoundError(name=module)) == (sentence, FAILURE)


def test_a_module_that_nothing_of_ours_brings_is_unexpected():
    sentence, code = explain(ModuleNotFoundError("No module named 'nowhere'", name="nowhere"))
    assert sentence == "unexpected ModuleNotFoundError: No module named 'nowhere'; PALIO_DEBUG=1 shows where"
    assert code == FAILURE


def test_wrong_use_without_a_remedy_leads_to_the_help():
    context = click.Context(click.Command("run"), info_name="palio run")
    assert explain(click.UsageError("Missing it.", context)) == ("missing it; see palio run --help", USAGE)
    assert explain(click.UsageError("leave it out; or not", context)) == ("leave it out; or not", USAGE)


def test_an_address_that_cannot_be_read_is_a_wrong_setting_and_a_database_that_is_away_is_not():
    with pytest.raises(StoreError) as caught:
        Address.parse("mysql://x")
    assert explain(caught.value)[1] == USAGE
    assert explain(Unavailable("the database does not answer"))[1] == FAILURE
