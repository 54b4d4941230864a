"""What both sides read in the spec of a bot that asks a language model."""

import pytest

from palio_rules.contract.bot_names import name_of
from palio_rules.contract.llm_specs import check_no_secret, key_variables, without_address
from palio_rules.errors import BadOption


def test_the_name_is_the_models():
    assert name_of("llm:http://h:1/v1,model=acme/tiny,temperature=0.5,retries=3") == "acme-tiny-temperature0.5"
    assert name_of("llm:http://h:1/v1") == "llm"


def test_the_address_is_left_out():
    assert without_address("http://h:1/v1,model=a/b,seed=1") == "model=a/b,seed=1"


@pytest.mark.parametrize("rest", ["http://h,model=m,api_key=x", "http://u:p@h,model=m", "http://h?token=x,model=m"])
def test_a_secret_is_refused(rest: str):
    with pytest.raises(BadOption, match="a key has no place in a bot's spec"):
        check_no_secret(rest)


@pytest.mark.parametrize(
    "rest", ["http://h:1/v1?api-version=2,model=sk8,key_env=OPENAI_API_KEY", "http://[h,model=m", ""]
)
def test_anything_else_is_not(rest: str):
    check_no_secret(rest)


@pytest.mark.parametrize(
    ("bot", "environ", "variables"),
    [
        ("llm:https://h/v1,model=m", {}, ()),
        ("llm:https://h/v1,model=m", {"PALIO_LLM_KEY": " "}, ()),
        ("llm:https://h/v1,model=m", {"PALIO_LLM_KEY": "x"}, ("PALIO_LLM_KEY", "OPENAI_API_KEY")),
        ("llm:https://h/v1,model=m", {"OPENAI_API_KEY": "x"}, ("PALIO_LLM_KEY", "OPENAI_API_KEY")),
        ("llm:http://h/v1,model=m", {"OPENAI_API_KEY": "x"}, ()),
        ("llm:http://h/v1,model=m", {"PALIO_LLM_KEY": "x"}, ("PALIO_LLM_KEY",)),
        ("llm:http://h/v1,model=m,key_env=MINE", {}, ("MINE",)),
        ("./mine.py:key_env=MINE", {"PALIO_LLM_KEY": "x"}, ()),
        ("random", {"PALIO_LLM_KEY": "x"}, ()),
    ],
)
def test_a_bot_elsewhere_needs_a_key_if_it_names_one_or_would_find_one_here(bot: str, environ, variables):
    assert key_variables(bot, environ) == variables
