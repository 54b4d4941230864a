"""The texts in which a match is written for other programs, by the name of the form."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from palio_rules.errors import BadRecord
from palio_rules.game import Game
from palio_rules.records.pgn_text import record_to_pgn
from palio_rules.records.record import Record
from palio_rules.records.sgf_text import record_to_sgf
from palio_rules.records.text import record_to_text

TEXTS: Mapping[str, Callable[[Record], str]] = MappingProxyType(
    {"text": record_to_text, "pgn": record_to_pgn, "sgf": record_to_sgf}
)


def texts_of(rules: Game[Any, Any]) -> list[str]:
    """Return the forms of a game's matches: text, and that of other programs of the game if there is one.

    >>> from palio_rules.registry import game
    >>> texts_of(game("chess")), texts_of(game("go")), texts_of(game("dominoes"))
    (['text', 'pgn'], ['text', 'sgf'], ['text'])
    """
    return ["text"] if rules.exchanged_as is None else ["text", rules.exchanged_as]


def record_in(form: str, record: Record) -> str:
    """Return a match in one of its game's forms. Raises BadRecord for another form, and for plies against the rules."""
    rules = record.setup.rules()
    if form not in (known := texts_of(rules)):
        raise BadRecord(f"a match of {rules.name} cannot be written as {form[:20]}; it can as {' or '.join(known)}")
    try:
        return TEXTS[form](record)
    except ValueError as error:  # the rules' own sentences
        raise BadRecord(f"match {record.match} cannot be written as {form}: {error}") from error
