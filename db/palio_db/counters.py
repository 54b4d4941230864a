"""What one record adds to the sums: who beat whom, and each bot's counters. Pure: knows no database."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import combinations
from math import isfinite
from typing import NamedTuple

from msgspec import UNSET

from palio_db.errors import StoreError
from palio_db.values import PairScore
from palio_rules.records.record import Ply, Record

# What language models cost, out of the sums: means, for a leaderboard and a bot's page. None where nothing was told.
#
# Dollars are summed in billionths, as integers: so a void match takes away exactly what it had added.

NANO = 10**9  # of a dollar

# Tokens read and written a move, dollars a game, milliseconds a move; and dollars in all.
_A_MOVE = "CASE WHEN asked_plies > 0 THEN CAST({} AS DOUBLE PRECISION) / asked_plies END"
_COST = "CASE WHEN cost_nano > 0 THEN CAST(cost_nano AS DOUBLE PRECISION) / 1000000000"
MEANS = ", ".join(
    (
        *(_A_MOVE.format(f"NULLIF({name}, 0)") for name in ("tokens_in", "tokens_out")),
        f"{_COST} / games END",
        _A_MOVE.format("latency_ms"),
    )
)
TOTAL = f"{_COST} END"


class ModelCosts(NamedTuple):
    """What the plies of one bot in one match have cost; `asked` counts those that were told of it."""

    asked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    nano: int = 0
    ms: int = 0


def costs_of(plies: list[Ply]) -> ModelCosts:
    """The sums over `plies`, of one bot."""
    asked = tokens_in = tokens_out = nano = ms = 0
    for ply in plies:
        if (info := ply.info) is None:
            continue
        told = [
            0 if value is UNSET else value for value in (info.tokens_in, info.tokens_out, info.cost, info.latency_ms)
        ]
        asked += any(each is not UNSET for each in (info.tokens_in, info.tokens_out, info.cost, info.latency_ms))
        tokens_in, tokens_out, ms = tokens_in + int(told[0]), tokens_out + int(told[1]), ms + int(told[3])
        nano += round(told[2] * NANO)
    return ModelCosts(asked, tokens_in, tokens_out, nano, ms)


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


# How a match ended for one of its bots, in a word. Pure: knows no database.

WON, DRAWN, LOST = "won", "drawn", "lost"  # by score
PLAYED = "played"  # alone: there was nobody to be compared with
ADJUDICATED = "adjudicated"  # somebody, or the limit of plies, has ended it
FAULTS = ("illegal", "time", "crashed", "stalled", "disconnected", "resigned", "revoked")  # its own, by which it lost
OUTCOMES = (WON, DRAWN, LOST, PLAYED, ADJUDICATED, *FAULTS)


def outcomes_of(record: Record) -> list[str | None]:
    """By seat; None for all of a match that is not rated. Another bot's fault is a match that was won by the score."""
    if not record.rated:
        return [None] * len(record.result.scores)
    return [_outcome(record, seat) for seat in range(len(record.result.scores))]


def _outcome(record: Record, seat: int) -> str:
    result = record.result
    if result.finishes is not UNSET:
        own = result.finishes[seat].termination
        if own in FAULTS:
            return own
    elif result.termination in FAULTS and result.seat == seat:
        return result.termination
    elif result.termination == ADJUDICATED:
        return ADJUDICATED
    scores = list(result.scores)
    score = scores.pop(seat)
    if not scores:
        return PLAYED
    best = max(scores)
    return WON if score > best else DRAWN if score == best else LOST
