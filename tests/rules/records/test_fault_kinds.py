"""A record of a course says the kind of a fault, and nothing of what the program wrote."""

import builtins
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.messages import Finish, Result
from palio_rules.records.fault_kinds import UNKNOWN, kind_of, with_kinds
from palio_rules.records.record import Ply, Record, Setup

THEN = datetime(2026, 11, 20, tzinfo=UTC)
TRACE = 'Traceback (most recent call last):\n  File "bot.py", line 3\n    secret = {1: 2}\nKeyError: secret\n'
KEY = "KeyError in the bot's own program"


def record(result, *plies, game="breakthrough", bots=("a", "b")):
    return Record("m1", Setup(game, bots), plies, result, THEN, THEN)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TRACE, KEY),
        ("KeyError", KEY),
        ("./bot.py cannot be loaded: SyntaxError: invalid syntax (bot.py, line 3)", KEY.replace("Key", "Syntax")),
        ("AssertionError: a\nb secret", KEY.replace("Key", "Assertion")),
        ("    raise ValueError(secret)\nmine.Secret: 7", UNKNOWN),
        (" \n", ""),
    ],
)
def test_the_kind_is_the_name_of_an_error_of_python(text, kind):
    assert kind_of(text) == kind


@given(st.text() | st.lists(st.sampled_from(["KeyError", "Secret", ": ", "\n", "  ", "OSError: x"])).map("".join))
def test_no_word_of_a_program_is_in_the_kind_of_its_fault(text):
    name, _, rest = kind_of(text).partition(" in the bot's own program")
    assert rest == ""
    assert name in ("", UNKNOWN.partition(" in the")[0]) or re.search(rf"\b{name}\b", " ".join(dir(builtins)))


@pytest.mark.parametrize(
    ("made", "detail"),
    [
        (record(Result("crashed", "bot-crashed", [0.0, 1.0], 0, TRACE)), KEY),
        (record(Result("crashed", "limit-used-up", [0.0, 1.0], 0, "memory (512 MB)")), "memory (512 MB)"),
        (record(Result("resigned", "resigned", [0.0, 1.0], 0, "secret")), ""),
        (record(Result("rule", "reached-far-row", [0.0, 1.0], detail="by 3.5 points")), "by 3.5 points"),
        (
            record(
                Result("rule", "most-exits", [1.0, 0.0, 0.0], detail=f"green: {TRACE}\nblue: secret"),
                *(Ply(1, None, 0, None, "crashed"), Ply(2, None, 0, None, "resigned")),
                game="chexers",
                bots=("a", "b", "c"),
            ),
            f"green: {KEY}",
        ),
    ],
)
def test_a_record_has_kinds_in_place_of_texts_and_what_the_rules_say(made, detail):
    found = with_kinds(made)
    assert found.result.detail == detail
    assert with_kinds(found) == found


def test_each_entrant_of_a_race_has_its_kind():
    finishes = [Finish("crashed", "bot-crashed", None, TRACE), Finish("rule", "solved", 3.0, "")]
    made = record(Result("rule", "ranked", [0.0, 1.0], finishes=finishes), game="rush_hour")
    assert [each.detail for each in with_kinds(made).result.finishes] == [KEY, ""]
