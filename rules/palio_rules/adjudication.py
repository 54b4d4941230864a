"""Rules that end a duel early by the scores its bots report: a draw both agree on, or a resignation.

The rules are those of `-draw` and `-resign` of cutechess-cli and fastchess (GameAdjudicator::addEval; DrawTracker and
ResignTracker), but scores are in each bot's own unit, from its own view. A move without a score ends every row of
moves, and after a capture or a pawn's move the row of level moves begins again. `movenumber` is the game's: in chess
that of the position, elsewhere half of the plies, those of the opening included.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.game import Progress

Moves = Annotated[int, Meta(ge=1, le=100_000)]
Level = Annotated[float, Meta(ge=0, le=1e308)]
RuleT = TypeVar("RuleT", bound="Rule")


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part that both rules share."""

    def __str__(self) -> str:
        """Return the rule as it is typed: `movecount=3 score=400.0 twosided=false`."""
        values = msgspec.to_builtins(self)
        return " ".join(f"{name}={str(value).lower()}" for name, value in values.items())


class DrawRule(Rule, frozen=True):
    """A draw: after move `movenumber`, both sides reported scores within ±`score` for `movecount` moves in a row."""

    movenumber: Annotated[int, Meta(ge=0, le=100_000)]
    movecount: Moves  # of each side, in a row
    score: Level


class ResignRule(Rule, frozen=True):
    """A loss for a bot that reported `score` or more against itself for `movecount` of its own moves in a row."""

    movecount: Moves
    score: Level
    twosided: bool = False  # only if the opponent reported as much in its own favour for as many moves


class Adjudication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules by which a duel is ended early; without any, it is played to its end."""

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
        """Read `movecount=3 score=400`, with an optional `twosided=true`. Raises BadOption."""
        return _parse("--resign", text, ResignRule)


class EarlyEnd(NamedTuple):
    """The reason why a duel was ended, and the score of each side."""

    reason: str
    scores: tuple[float, float]
    detail: str


class Adjudicator:
    """The adjudicator of one duel, which is told every move."""

    def __init__(self, rules: Adjudication, *, opening: int = 0, former: bool = False) -> None:
        """`opening`: plies before the clocks start. `former`: as Palio 0.2 counted, for its records: from the opening
        on, over captures, and a two-sided resignation also after the winner's move.
        """
        self._rules, self._former = rules, former
        self._plies, self._level = 0 if former else opening, 0  # plies in all; level plies in a row
        self._low, self._high = [0, 0], [0, 0]  # by seat: its moves in a row with a bad, or a good, score

    def record_move(self, seat: int, score: float | None, progress: Progress | None = None) -> EarlyEnd | None:
        """Record a move of `seat` with its reported `score` (None: no score) and the game's `progress` after it, if the
        game counts it; return the verdict if the duel ends.
        """
        self._plies += 1
        moves, quiet = (self._plies // 2, 1) if progress is None or self._former else progress
        if (draw := self._rules.draw) is not None:
            before = self._level if quiet else 0
            self._level = before + 1 if score is not None and abs(score) <= draw.score else 0
        if (resign := self._rules.resign) is not None:
            self._low[seat] = self._low[seat] + 1 if score is not None and score <= -resign.score else 0
            self._high[seat] = self._high[seat] + 1 if score is not None and score >= resign.score else 0
            for loser in (seat, 1 - seat) if self._former else (seat,):
                if self._has_lost(resign, loser):
                    return EarlyEnd("resign-by-score", (float(loser), float(1 - loser)), str(resign))
        if draw is not None and self._level >= 2 * draw.movecount and moves >= draw.movenumber:
            return EarlyEnd("draw-by-score", (0.5, 0.5), str(draw))
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
    for name, value in given.items():
        try:
            given[name] = msgspec.convert(value, fields[name].type, strict=False)
        except msgspec.ValidationError:
            said = quoted(value)
            raise BadOption(f"{option} {name}={said}: write {_wanted(fields[name].type)}") from None
    return kind(**given)


def _wanted(type_: Any) -> str:
    """Return in words what a setting may be."""
    if type_ is bool:
        return "true or false"
    kind, bounds = type_.__origin__, type_.__metadata__[0]
    return f"a whole number from {bounds.ge} to {bounds.le:,}" if kind is int else f"a number from {bounds.ge} on"


def _form(fields: Mapping[str, msgspec.structs.FieldInfo]) -> str:
    words = [f"{name}=N" if field.required else f"[{name}=true]" for name, field in fields.items()]
    return " ".join(words)
