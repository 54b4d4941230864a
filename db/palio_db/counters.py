"""What one record adds to the sums: who beat whom, and each bot's counters. Pure: knows no database."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import combinations
from math import isfinite

from palio_db.errors import StoreError
from palio_db.model_costs import costs_of
from palio_db.values import PairScore
from palio_rules.records.record import Record

FORM = 10  # results in a bot's recent form


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of one bot in one game; those of two matches add up."""

    bot: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    illegal_moves: int = 0
    time_losses: int = 0
    think_ms: int = 0
    plies: int = 0
    asked_plies: int = 0  # of which a language model was asked; these five are of such bots only
    tokens_in: int = 0
    tokens_out: int = 0
    cost_nano: int = 0  # billionths of a dollar
    latency_ms: int = 0
    form: str = ""  # the last ten results, newest last: "WWDL"

    def __add__(self, later: "Counters") -> "Counters":
        sums = {name: getattr(self, name) + getattr(later, name) for name in ADDED}
        return Counters(bot=self.bot, form=(self.form + later.form)[-FORM:], **sums)


ADDED = tuple(field.name for field in fields(Counters) if field.name not in ("bot", "form"))  # these add up
WON_OR_LOST = ("wins", "draws", "losses")  # of a pair


def pair_scores_of(record: Record) -> list[PairScore]:
    """Every two seats compared by score: what this match adds to `pair_scores`, in canonical order.

    A match that is not rated adds nothing, here as to the counters: nor does one to which a bot did not come.
    """
    if not record.rated:
        return []
    scores = sorted(zip(record.setup.bots, record.result.scores, strict=True))
    return [
        PairScore(first, second, int(ours > theirs), int(ours == theirs), int(ours < theirs))
        for (first, ours), (second, theirs) in combinations(scores, 2)
    ]


def check_scores(record: Record) -> None:
    """Raise StoreError if the result does not fit the seats, or is no number."""
    bots, scores = record.setup.bots, record.result.scores
    if len(scores) != len(bots):
        raise StoreError(f"match {record.match} has {len(bots)} seats, but {len(scores)} scores")
    if not all(isfinite(score) for score in scores):
        raise StoreError(f"match {record.match} has the scores {scores}; a score is a finite number")


def counters_of(record: Record) -> list[Counters]:
    """What this match adds to the counters of its bots, sorted by name."""
    result, found = record.result, []
    if not record.rated:
        return []
    for seat, (bot, score) in enumerate(zip(record.setup.bots, result.scores, strict=True)):
        word = letter(score, [other for place, other in enumerate(result.scores) if place != seat])
        own = [ply for ply in record.plies if ply.seat == seat]
        model = costs_of(own)
        counters = Counters(
            bot=bot,
            games=1,
            wins=int(word == "W"),
            draws=int(word == "D"),
            losses=int(word == "L"),
            points=score,
            illegal_moves=sum(rejected.seat == seat for rejected in record.refusals),
            time_losses=int(result.termination == "time" and result.seat == seat),
            think_ms=sum(ply.ms for ply in own),
            plies=len(own),
            asked_plies=model.asked,
            tokens_in=model.tokens_in,
            tokens_out=model.tokens_out,
            cost_nano=model.nano,
            latency_ms=model.ms,
            form=word,
        )
        found.append(counters)
    return sorted(found, key=lambda counters: counters.bot)


def added_pairs(records: Iterable[Record]) -> list[tuple[str, PairScore]]:
    """What these matches add to the pairs, each of a game once, in order."""
    found: dict[tuple[str, str, str], PairScore] = {}
    for record in records:
        for pair in pair_scores_of(record):
            key = record.setup.game, pair.first, pair.second
            found[key] = found[key] + pair if key in found else pair
    return [(key[0], found[key]) for key in sorted(found)]


def added_counters(records: Iterable[Record]) -> list[tuple[str, Counters]]:
    """What these matches, the oldest first, add to the counters of bots, each of a game once, in order."""
    found: dict[tuple[str, str], Counters] = {}
    for record in records:
        for counters in counters_of(record):
            key = record.setup.game, counters.bot
            found[key] = found[key] + counters if key in found else counters
    return [(key[0], found[key]) for key in sorted(found)]


def letter(score: float, others: list[float]) -> str:
    """W for the only best one, D for one of several best, L for the rest; nothing where there was no opponent."""
    if not others:
        return ""
    best = max(others)
    return "W" if score > best else "D" if score == best else "L"
