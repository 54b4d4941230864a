"""Reads what `record_text` writes. Every error names the line."""

import msgspec

from palio_rules.errors import BadRecord
from palio_rules.record import Record
from palio_rules.record_moves import Moves, RaceMoves, score_words, words_of
from palio_rules.record_tags import read_tags, untold


def record_from_text(text: str) -> Record:
    """The record that `text` tells. Raises BadRecord with the line and the reason."""
    try:
        return _read(text.replace("\r\n", "\n"))
    except RecursionError:
        raise BadRecord("a value in brackets is nested too deeply") from None


def _read(text: str) -> Record:
    head, _, body = text.partition("\n\n")
    tags = read_tags(head)
    try:
        record, opened = untold(tags)
    except BadRecord:
        raise
    except ValueError as error:  # the sentences of games, options, times and moves say what is wrong themselves
        raise BadRecord(f"in the tags: {error}") from None
    words = list(words_of(body, head.count("\n") + 3))
    ending = score_words(words, record.result.scores)
    moves = (RaceMoves if opened.race else Moves)(opened)
    for word in words[: len(words) - ending]:
        moves.read(word)
    moves.finish()
    return msgspec.structs.replace(record, plies=tuple(moves.plies), refusals=tuple(moves.refusals))
