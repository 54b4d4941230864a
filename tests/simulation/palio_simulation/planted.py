"""Bugs to be planted into the product, for as long as a context lasts: what the simulation is judged by.

Each is an edit of the product's own text. The functions that differ get the code of the edited text, wherever they are
used; so nothing in the product knows of any of this.
"""

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

PACKAGES = ("palio_rules", "palio_db", "palio_server", "palio_clients")


class NotThere(Exception):
    """The text that was to be edited is not there any more: the bug has to be planted anew."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` becomes `new` in the text of a module."""

    module: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Bug:
    """`what` is wrong then, in a sentence."""

    name: str
    what: str
    edits: tuple[Edit, ...]


_GROUP, _FINISHING, _CLAIMING = "palio_db.group", "palio_db.finishing", "palio_db.claiming"
_TURNS, _CHANNEL = "palio_server.match.turns", "palio_server.arena.bus_channel"
_MATCH, _RESERVATIONS = "palio_server.arena.running_match", "palio_server.lobby.reservations"

BUGS = {
    bug.name: bug
    for bug in (
        Bug(
            "epoch-unchecked",
            "whoever has ever held a match may write its result and its journal",
            (
                Edit(_GROUP, "match in held and held[match].epoch == epoch", "match in held"),
                Edit(_FINISHING, "if held is None or held.epoch != claim.epoch:", "if held is None:"),
                Edit(_FINISHING, "WHERE id = ? AND epoch = ? AND status = 'running'", "WHERE id = ? AND ? > 0 AND status = 'running'"),
            ),
        ),
        Bug(
            "epoch-unchecked-at-release",
            "whoever has ever held a match may give it back",
            (Edit(_GROUP, '"WHERE id = ? AND epoch = ? AND status = \'running\' RETURNING id"', '"WHERE id = ? AND ? > 0 AND status = \'running\' RETURNING id"'),),
        ),
        Bug(
            "epoch-unchecked-in-journal",
            "whoever has ever held a match may write its journal and keep its lease",
            (Edit(_GROUP, "match in held and held[match].epoch == epoch", "match in held"),),
        ),
        Bug(
            "announced-first",
            "bots hear of a result before it is committed",
            (Edit(_MATCH, "await self._settle(finished)\n        refereed.announce()", "refereed.announce()\n        await self._settle(finished)"),),
        ),
        Bug(
            "no-retry",
            "a result whose commit was not answered is not written again",
            (Edit(_MATCH, 'return await until_database_answers(f"match {self.claim.match} waits to be committed", attempt)', "return await attempt()"),),
        ),
        Bug(
            "retry-refused",
            "a result that is written again is taken for somebody else's",
            (Edit(_FINISHING, "if record == data:", "if record is data:"),),
        ),
        Bug(
            "own-clock",
            "a lease is over when the clock of whoever wants it says so",
            (Edit(_CLAIMING, "lost = connection.rows(LOST, (work.worker if own else None,))", "lost = connection.rows(Sql(LOST.sqlite.replace(\"((julianday('now') - 2440587.5) * 86400.0)\", str(work.moment.timestamp())), ''), (work.worker if own else None,))"),),
        ),
        Bug(
            "move-twice",
            "a move is played though it answers an earlier turn",
            (Edit(_TURNS, "if turn is None or message.id != self._turn_id or seat != turn.seat", "if turn is None or seat != turn.seat"),),
        ),
        Bug(
            "ply-forgotten",
            "a match that is taken up again goes on from before its last journaled ply",
            (Edit(_CLAIMING, "journal=journal,", "journal=journal[:-1],"),),
        ),
        Bug(
            "over-lost",
            "only the first seat hears of the end",
            (Edit(_TURNS, "for seat in range(len(self._rules.seats)):\n            self._post(seat, Over", "for seat in range(1):\n            self._post(seat, Over"),),
        ),
        Bug(
            "read-time-counts",
            "a message counts when it is read, not when it came",
            (Edit(_CHANNEL, "at = envelope.at or self.time()", "at = self.time()"),),
        ),
        Bug(
            "margin-forgotten",
            "a bot forfeits though it has answered within the margin for the network",
            (Edit("palio_server.match.clock", "(limit + self._margins_ms[seat]) / 1000", "limit / 1000"),),
        ),
        Bug(
            "two-in-a-seat",
            "a seat is given to a second connection of its bot",
            (Edit(_RESERVATIONS, "if reservation is None or reservation.holders.get(session.name, session) is not None:", "if reservation is None:"),),
        ),
        Bug(
            "clock-starts-again",
            "a turn that is sent again begins anew",
            (Edit(_TURNS, "turn.resend_at = at + self._resend_s", "turn.resend_at = at + self._resend_s; turn.posted_at = at"),),
        ),
        Bug(
            "counted-twice",
            "a result that is written again counts again",
            (
                Edit(_FINISHING, "if record == data:\n        return False", "if record == data:\n        return True"),
                Edit(_GROUP, "del held[work.claim.match]", "held.pop(work.claim.match, None)"),
            ),
        ),
        Bug(
            "lease-forgotten",
            "a match that was lost to another server is played on, and called off there when it ends",
            (Edit(_MATCH, "except LeaseLost:\n            self._drop()", "except LeaseLost:\n            await self._abort('lost')"), Edit(_MATCH, "services.store.abort(claim.match, reason, epoch=claim.epoch)", "services.store.abort(claim.match, reason)")),
        ),
        Bug(
            "group-lost",
            "of a group that has failed, the second and later works are dropped without a word",
            (Edit(_GROUP, "return outcomes + [error] * (len(works) - len(outcomes))", "return outcomes + [None] * (len(works) - len(outcomes))"), Edit(_GROUP, "        if is_away(error):\n            raise\n", "")),
        ),
        Bug(
            "journal-kept-short",
            "the journal forgets what could not be written at once",
            (Edit("palio_server.arena.journal", "            except BaseException:\n                self._news.set()\n                raise", "            except BaseException:\n                self._pending.clear()\n                self._count = 0\n                raise"),),
        ),
    )
}  # fmt: skip


@contextmanager
def planted(bug: Bug) -> Iterator[None]:
    """The product with this bug. Raises NotThere if its text has changed since."""
    undone: list[Any] = []
    try:
        for name in dict.fromkeys(edit.module for edit in bug.edits):
            _edit(importlib.import_module(name), [edit for edit in bug.edits if edit.module == name], undone)
        yield
    finally:
        for undo in reversed(undone):
            undo()


def _edit(module: ModuleType, edits: list[Edit], undone: list[Any]) -> None:
    text = inspect.getsource(module)
    for edit in edits:
        if edit.old not in text:
            raise NotThere(f"{edit.module} has no {edit.old!r}")
        text = text.replace(edit.old, edit.new)
    edited = ModuleType(module.__name__)
    edited.__dict__.update(__file__=module.__file__, __package__=module.__package__)
    sys.modules[module.__name__], usual = edited, module
    try:
        exec(compile(text, str(module.__file__), "exec"), edited.__dict__)  # noqa: S102  # the product's own text
    finally:
        sys.modules[module.__name__] = usual
    _take(module, edited, module.__name__, undone)


def _take(usual: Any, edited: Any, name: str, undone: list[Any]) -> None:
    """Give what differs to the usual functions, classes and constants."""
    for key, new in list(vars(edited).items()):
        old = vars(usual).get(key)
        if isinstance(new, FunctionType) and isinstance(old, FunctionType):
            _take_code(old, new, undone)
        elif inspect.isclass(new) and inspect.isclass(old) and new.__module__ == name:
            _take(old, new, name, undone)
        elif isinstance(usual, ModuleType) and type(new).__name__ == "Sql" and new != old:
            _replace(old, new, undone)


def _take_code(old: FunctionType, new: FunctionType, undone: list[Any]) -> None:
    while hasattr(old, "__wrapped__") and hasattr(new, "__wrapped__"):
        old, new = old.__wrapped__, new.__wrapped__  # type: ignore[assignment]
    former: CodeType = old.__code__
    if former != new.__code__:
        undone.append(lambda: setattr(old, "__code__", former))
        old.__code__ = new.__code__


def _replace(old: Any, new: Any, undone: list[Any]) -> None:
    """A constant, in every module that has imported it."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            for key in [key for key, value in vars(module).items() if value is old]:
                undone.append(lambda module=module, key=key: setattr(module, key, old))
                setattr(module, key, new)
