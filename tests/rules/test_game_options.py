"""Options of games: each has a default and a description; what does not exist or fit is refused with the remedy."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.registry import game, games

every_game = pytest.mark.parametrize("name", games())


def described(name):
    schema = msgspec.json.schema(game(name).options_type)
    return schema["$defs"][game(name).options_type.__name__]["properties"]


@every_game
def test_every_option_has_a_default_and_a_description(name):
    for option, field in described(name).items():
        assert "default" in field, option
        assert field.get("description"), option


@every_game
def test_no_settings_give_the_defaults(name):
    assert game(name).parse_options({}) == game(name).options_type()


@every_game
def test_settings_may_come_as_text_from_a_command_line(name):
    defaults = game(name).options_type()
    written = {
        field: json.dumps(value) if isinstance(value, list | tuple) else str(value)
        for field, value in msgspec.to_builtins(defaults).items()
    }
    assert game(name).parse_options(written) == defaults


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("breakthrough", {"row": 8}, "breakthrough has no option 'row'; did you mean 'rows'?"),
        ("breakthrough", {"colour": "x"}, "breakthrough has no option 'colour'; "),
        ("breakthrough", {"rows": 9}, "breakthrough option rows=9: expected `int` <= 8"),
        ("breakthrough", {"rows": 3}, "breakthrough option rows=3: expected `int` >= 4"),
        ("breakthrough", {"cols": "2"}, "breakthrough option cols='2': expected `int` >= 3"),
        ("breakthrough", {"rows": "six"}, "breakthrough option rows='six': expected `int`, got `str`"),
        ("breakthrough", {"rows": 6.0}, "breakthrough option rows=6.0: expected `int`, got `float`"),
        ("breakthrough", {"rows": True}, "breakthrough option rows=True: expected `int`, got `bool`"),
        ("breakthrough", {"rows": None}, "breakthrough option rows=None: expected `int`, got `null`"),
        ("breakthrough", {"first": "red"}, "breakthrough option first='red': invalid enum value 'red'"),
        ("dominoes", {"rows": 17}, "dominoes option rows=17: expected `int` <= 16"),
        ("dominoes", {"rows": 0}, "dominoes option rows=0: expected `int` >= 1"),
        ("dominoes", {"board": "." * 273}, "expected `str` of length <= 272"),
        ("chexers", {"max_turns": 257}, "chexers option max_turns=257: expected `int` <= 256"),
        ("chexers_solo", {"pieces": 5}, "chexers_solo option pieces=5: expected `int` <= 4"),
        ("rush_hour", {"size": 11}, "rush_hour option size=11: expected `int` <= 10"),
        ("rush_hour", {"solvable": "perhaps"}, "rush_hour option solvable='perhaps': expected `bool`, got `str`"),
        ("tsp", {"size": 2}, "tsp option size=2: expected `int` >= 3"),
        (
            "tsp",
            {"cities": [[1, "x"]]},
            "tsp option cities=[[1, 'x']]: expected `int | float`, got `str` - at `$[0][1]`",
        ),
        ("tsp", {"cities": "[[1]]"}, "tsp option cities='[[1]]': expected `array` of length 2"),
        ("tsp", {"cities": "[[1,"}, "tsp option cities='[[1,': expected `array`, got `str`"),
        ("tsp", {"cities": "[" * 10_000}, "tsp option cities='[[["),
        ("end_of_the_track", {"max_plies": 0}, "end_of_the_track option max_plies=0: expected `int` >= 1"),
        ("end_of_the_track", {"rows": 8}, "end_of_the_track has no option 'rows'; known: max_plies"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused_with_the_remedy(name, settings, message):
    with pytest.raises(BadOption) as caught:
        game(name).parse_options(settings)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


QUICK = {"rush_hour": {"size": 4, "moves": 2}}  # to prove that a hard board needs so many moves takes its time
values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=3)


@every_game
@given(data=st.data())
def test_any_setting_gives_a_position_or_raises_bad_option(name, data):
    rules = game(name)
    option = data.draw(st.sampled_from(rules.options_type.__struct_fields__))
    setting = {option: data.draw(values | st.integers(0, 20))}
    try:
        state = rules.start(rules.parse_options(QUICK.get(name, {}) | setting))
    except BadOption:
        return
    assert rules.parse_state(rules.format_state(state)) == state


def test_an_integer_too_long_to_be_written_is_refused_all_the_same():
    with pytest.raises(BadOption, match="rows=<an integer of 16610 bits>"):
        game("breakthrough").parse_options({"rows": 10**5000})


def test_options_made_by_hand_are_checked_as_well():
    with pytest.raises(BadOption, match="BreakthroughOptions rows=99: expected `int` <= 8"):
        game("breakthrough").options_type(rows=99)
