"""The kind of a bot's fault, for public records: `ValueError in the bot's own program`.

What a program writes when it fails has lines of its source, its paths and its values. In a course that is a student's
work, so a course's records say the kind alone.
"""

import builtins
import re

import msgspec
from msgspec import UNSET

from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Record

OWN = " in the bot's own program"
UNKNOWN = f"an error{OWN}"
LIMIT = "limit-used-up"  # the reason of a program that was ended for a limit; its detail is in Palio's own words
_NAMED = re.compile(rf"\b([A-Z]\w+)(?::|$|{OWN}$)")


def kind_of(text: str) -> str:
    r"""Return the kind of the error that a program's last words tell; "" for none.

    An exception of the program's own has a name that is part of its source, so it is not told.

    >>> kind_of("Traceback …\n  secret = 7\nValueError: 7"), kind_of("mine.Oops: 7"), kind_of("")
    ("ValueError in the bot's own program", "an error in the bot's own program", '')
    """
    for line in reversed([line for line in text.splitlines() if line[:1].strip()]):  # lines of source are indented
        for name in _NAMED.findall(line.rstrip()):
            known = getattr(builtins, name, None)
            if isinstance(known, type) and issubclass(known, BaseException):
                return f"{name}{OWN}"
    return UNKNOWN if text.strip() else ""


def kind_of_fault(termination: str, reason: str, text: str) -> str:
    """Return what a course's record says of a seat that forfeits; "" where the reason says all."""
    if reason == LIMIT:
        return text
    return kind_of(text) if termination == "crashed" else ""


def with_kinds(record: Record) -> Record:
    """Return a record that says of each fault its kind only. What the rules say of a result stays."""
    result = record.result
    finishes = result.finishes if result.finishes is UNSET else [_finish(each) for each in result.finishes]
    return msgspec.structs.replace(
        record, result=msgspec.structs.replace(result, detail=_detail(record, result), finishes=finishes)
    )


def _finish(finish: Finish) -> Finish:
    if finish.termination in ("rule", "adjudicated"):
        return finish
    return msgspec.structs.replace(finish, detail=kind_of_fault(finish.termination, finish.reason, finish.detail))


def _detail(record: Record, result: Result) -> str:
    """Return the detail by kinds: of the seat at fault, and of each that had left a game that went on."""
    own, others = details_by_seat(record)
    if result.seat is not None:
        own = kind_of_fault(result.termination, result.reason, own)
    names = record.setup.rules().seats
    outs = {ply.seat: ply.out or "" for ply in record.plies if ply.out is not None}
    kinds = {seat: kind_of_fault(outs[seat], "", text) for seat, text in others.items()}
    said = [f"{names[seat]}: {kind}" for seat, kind in kinds.items() if kind]
    return "\n".join(([own] if own else []) + said)


def details_by_seat(record: Record) -> tuple[str, dict[int, str]]:
    """Return a result's detail about the end itself, and about each seat that had left before it."""
    result = record.result
    gone = {ply.seat for ply in record.plies if ply.out is not None and ply.seat != result.seat}
    if not gone or result.finishes is not UNSET:
        return result.detail, {}
    names = record.setup.rules().seats
    own, *others = re.split(rf"^({'|'.join(map(re.escape, names))}): ", result.detail, flags=re.MULTILINE)
    return own.rstrip("\n"), {names.index(name): words for name, words in zip(others[::2], others[1::2], strict=True)}
