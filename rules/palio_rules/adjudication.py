"""Ending a duel by what its bots say of it: both call it level, or one has given up hope.

As cutechess-cli defines `-draw` and `-resign` (in its manual page), but scores are in each bot's own unit, from its own
view, and moves are counted from where the clocks start. A move without a score breaks every row of moves.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from palio_rules.errors import BadOption, nearest, quoted

Moves = Annotated[int, Meta(ge=1, le=100_000)]
Level = Annotated[float, Meta(ge=0, le=1e308)]
RuleT = TypeVar("RuleT", bound="Rule")


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What both rules have in common."""

    def __str__(self) -> str:
        """As it is typed: `movecount=3 score=400.0 twosided=false`."""
        values = msgspec.to_builtins(self)
        return " ".join(f"{name}={str(value).lower()}" for name, value in values.items())


class DrawRule(Rule, frozen=True):
    """A draw if, after `movenumber` moves of each side, both have told at most `score` for either side for so long."""

    movenumber: Annotated[int, Meta(ge=0, le=100_000)]
    movecount: Moves  # of each side, in a row
    score: Level


class ResignRule(Rule, frozen=True):
    """A loss for whoever has told `score` or more against itself for so many of its own moves in a row."""

    movecount: Moves
    score: Level
    twosided: bool = False  # only if the opponent has told as much for itself for as long


class Adjudication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By which rules a duel is ended early; without any, it is played out."""

    draw: DrawRule | None = None
    resign: ResignRule | None = None

    def __bool__(self) -> bool:
        return self.draw is not None or self.resign is not None

    @staticmethod
    def parse_draw(text: str) -> DrawRule:
        """Read `movenumber=40 movecount=8 score=10`. Raises BadOption."""
        return _parse("--draw", text, DrawRule)

    @staticmethod
    def parse_resign(text: str) -> ResignRule:
        """Read `movecount=3 score=400`, perhaps with `twosided=true`. Raises BadOption."""
        return _parse("--resign", text, ResignRule)


class Verdict(NamedTuple):
    """Why a duel was ended, and what each side gets."""

    reason: str
    scores: tuple[float, float]
    detail: str


class Judge:
    """Follows one duel, move by move."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules = rules
        self._plies = self._level = 0  # in all; level ones in a row
        self._low, self._high = [0, 0], [0, 0]  # by seat: its moves in a row with a bad, or a good, score

    def note(self, seat: int, score: float | None) -> Verdict | None:
        """The mover in `seat` has told `score`, None: nothing; the verdict if that ends the duel."""
        self._plies += 1
        if (draw := self._rules.draw) is not None:
            self._level = self._level + 1 if score is not None and abs(score) <= draw.score else 0
        if (resign := self._rules.resign) is not None:
            self._low[seat] = self._low[seat] + 1 if score is not None and score <= -resign.score else 0
            self._high[seat] = self._high[seat] + 1 if score is not None and score >= resign.score else 0
            for loser in (seat, 1 - seat):
                if self._has_lost(resign, loser):
                    return Verdict("resign-by-score", (float(loser), float(1 - loser)), str(resign))
        if draw is not None and self._level >= 2 * draw.movecount and self._plies >= 2 * draw.movenumber:
            return Verdict("draw-by-score", (0.5, 0.5), str(draw))
        return None

    def _has_lost(self, rule: ResignRule, seat: int) -> bool:
        agreed = not rule.twosided or self._high[1 - seat] >= rule.movecount
        return agreed and self._low[seat] >= rule.movecount


REASONS = ("draw-by-score", "resign-by-score")


def _parse(option: str, text: str, kind: type[RuleT]) -> RuleT:
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    given: dict[str, Any] = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if name not in fields:
            raise BadOption(f"{option} has no setting {quoted(name)}; {nearest(name, fields)}")
        if name in given:
            raise BadOption(f"{option} gives {name} twice; keep one of them")
        given[name] = value if equals else "true"
    if missing := [name for name, field in fields.items() if field.required and name not in given]:
        raise BadOption(f"{option} {quoted(text)} lacks {' and '.join(missing)}; write {_form(fields)}")
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadOption(f"{option} {quoted(text)}: {error}; write {_form(fields)}") from None


def _form(fields: Mapping[str, msgspec.structs.FieldInfo]) -> str:
    words = [f"{name}=N" if field.required else f"[{name}=true]" for name, field in fields.items()]
    return " ".join(words)
