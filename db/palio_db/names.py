"""Other names in what is stored of matches and events. Pure, without a database.

A renamed bot is named in the setup of each match, and in sentences about it. Of a forgotten bot also everything that it
said goes: its remarks on moves, rejected moves, tracebacks. Moves, times and results stay, and all sums with them.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, RejectedMove, Setup

R = TypeVar("R", bound=Record)


def in_text(text: str, old: str, new: str) -> str:
    """Return a sentence with the name `old` replaced, where it stands as a whole word, in upper or lower case."""
    return _word(old).sub(lambda _found: new, text)


def mentions(text: str, name: str) -> bool:
    """Return whether a sentence names a bot, in upper or lower case."""
    return _word(name).search(text) is not None


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9._-]){re.escape(name)}(?![A-Za-z0-9_-]|\.[A-Za-z0-9])", re.IGNORECASE)


def in_json(value: Any, old: str, new: str, *, erase: bool) -> Any:
    """Return JSON with a name replaced, as a value and as a key; with `erase`, texts under that key are emptied."""
    match value:
        case str():
            return new if value == old else value
        case list():
            return [in_json(each, old, new, erase=erase) for each in value]
        case dict():
            return {
                new if key == old else key: "" if erase and key == old and isinstance(each, str) else
                in_json(each, old, new, erase=erase)
                for key, each in value.items()
            }  # fmt: skip
    return value


def in_setup(setup: Setup, names: Mapping[str, str]) -> Setup:
    """Return a setup with other names for its bots."""
    return replace(setup, bots=tuple(names.get(bot, bot) for bot in setup.bots))


def in_record(record: R, names: Mapping[str, str], erased: Collection[str] = ()) -> R:
    """Return a record with other names for its bots; without the words of those `erased`, as they are called then."""
    setup = in_setup(record.setup, names)
    gone = frozenset(seat for seat, bot in enumerate(setup.bots) if bot in erased)
    return replace(
        record,
        setup=setup,
        event=_renamed(record.event, {old: new for old, new in names.items() if new in erased}),
        result=_result(record.result, names, gone),
        plies=tuple(_silent(ply) if ply.seat in gone else ply for ply in record.plies) if gone else record.plies,
        refusals=tuple(_bare(one) if one.seat in gone else one for one in record.refusals) if gone else record.refusals,
        void=record.void
        if record.void is UNSET
        else replace(record.void, by=_renamed(record.void.by, names), reason=_renamed(record.void.reason, names)),
    )


def as_seated(record: R, bots: Sequence[str], erased: Collection[str] = ()) -> R:
    """Return a record with the names that its bots have now, by seat."""
    names = {old: new for old, new in zip(record.setup.bots, bots, strict=True) if old != new}
    return in_record(record, names, erased) if names else record


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = in_text(text, old, new)
    return text


def _result(result: Result, names: Mapping[str, str], gone: Collection[int]) -> Result:
    detail = "" if result.seat in gone else _renamed(result.detail, names)
    finishes = result.finishes
    if finishes is not UNSET:
        finishes = [
            replace(one, detail="" if seat in gone else _renamed(one.detail, names))
            for seat, one in enumerate(finishes)
        ]
    return replace(result, detail=detail, finishes=finishes)


def _silent(ply: Ply) -> Ply:
    return ply if ply.info is None or ply.info.text is UNSET else replace(ply, info=replace(ply.info, text=UNSET))


def _bare(rejected: RejectedMove) -> RejectedMove:
    return replace(rejected, move="", reason="")
