"""The increments that one record adds to the sums: pair scores, and each bot's counters. Pure, without a database."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import combinations
from math import isfinite
from typing import NamedTuple

from msgspec import UNSET

from palio_db.errors import StoreError
from palio_db.values import PairScore
from palio_rules.records.record import Ply, Record

# Means of the costs of language models from the sums, for a leaderboard and a bot's page. None without data.
#
# Dollars are summed in billionths, as integers, so that a void match subtracts exactly what it added.

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
    """The model costs of one bot in one match; `asked` counts the plies that reported costs."""

    asked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    nano: int = 0
    ms: int = 0


def costs_of(plies: list[Ply]) -> ModelCosts:
    """Return the sums over `plies`, of one bot."""
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
    asked_plies: int = 0  # plies for which a language model was asked; these five are of such bots only
    tokens_in: int = 0
    tokens_out: int = 0
    cost_nano: int = 0  # billionths of a dollar
    latency_ms: int = 0
    form: str = ""  # the last ten results, newest last: "WWDL"

    def __add__(self, later: "Counters") -> "Counters":
        sums = {name: getattr(self, name) + getattr(later, name) for name in ADDED}
        return Counters(bot=self.bot, form=(self.form + later.form)[-FORM:], **sums)


ADDED = tuple(field.name for field in fields(Counters) if field.name not in ("bot", "form"))  # these are summed
WON_OR_LOST = ("wins", "draws", "losses")  # of a pair


def pair_scores_of(record: Record) -> list[PairScore]:
    """Return what this match adds to `pair_scores`: every two seats compared by score, in canonical order.

    A match that is not rated, or to which a bot did not come, adds nothing, here and to the counters.
    """
    if not record.rated:
        return []
    scores = sorted(zip(record.setup.bots, record.result.scores, strict=True))
    return [
        PairScore(first, second, int(ours > theirs), int(ours == theirs), int(ours < theirs))
        for (first, ours), (second, theirs) in combinations(scores, 2)
    ]


def check_scores(record: Record) -> None:
    """Raise StoreError if the result does not fit the seats, or is not a number."""
    bots, scores = record.setup.bots, record.result.scores
    if len(scores) != len(bots):
        raise StoreError(f"match {record.match} has {len(bots)} seats, but {len(scores)} scores")
    if not all(isfinite(score) for score in scores):
        raise StoreError(f"match {record.match} has the scores {scores}; a score is a finite number")


def counters_of(record: Record) -> list[Counters]:
    """Return what this match adds to the counters of its bots, sorted by name."""
    result, found = record.result, []
    if not record.rated:
        return []
    for seat, (bot, score) in enumerate(zip(record.setup.bots, result.scores, strict=True)):
        word = result_letter(score, [other for place, other in enumerate(result.scores) if place != seat])
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
    """Return what these matches add to the pairs, each pair of a leaderboard once, in order."""
    found: dict[tuple[str, str, str], PairScore] = {}
    for record in records:
        for pair in pair_scores_of(record):
            key = record.setup.leaderboard, pair.first, pair.second
            found[key] = found[key] + pair if key in found else pair
    return [(key[0], found[key]) for key in sorted(found)]


def added_counters(records: Iterable[Record]) -> list[tuple[str, Counters]]:
    """Return what these matches, the oldest first, add to the counters, each bot of a leaderboard once, in order."""
    found: dict[tuple[str, str], Counters] = {}
    for record in records:
        for counters in counters_of(record):
            key = record.setup.leaderboard, counters.bot
            found[key] = found[key] + counters if key in found else counters
    return [(key[0], found[key]) for key in sorted(found)]


def added_outcomes(records: Iterable[Record]) -> list[tuple[str, str, str, int]]:
    """Return how many outcomes these matches add, as (bot, game, outcome, count), in order."""
    found = Counter[tuple[str, str, str]]()
    for record in records:
        for bot, outcome in zip(record.setup.bots, outcomes_of(record), strict=True):
            if outcome is not None:
                found[bot, record.setup.leaderboard, outcome] += 1
    return [(*key, found[key]) for key in sorted(found)]


def result_letter(score: float, others: list[float]) -> str:
    """Return W for the only best score, D for one of several best, L for the rest; "" without an opponent."""
    if not others:
        return ""
    best = max(others)
    return "W" if score > best else "D" if score == best else "L"


# The end of a match for one of its bots, in a word. Pure, without a database.

WON, DRAWN, LOST = "won", "drawn", "lost"  # by score
PLAYED = "played"  # alone, without an opponent to compare with
ADJUDICATED = "adjudicated"  # ended by an adjudicator, or by the limit of plies
FAULTS = ("illegal", "time", "crashed", "stalled", "disconnected", "resigned", "revoked")  # its own, by which it lost
OUTCOMES = (WON, DRAWN, LOST, PLAYED, ADJUDICATED, *FAULTS)


def outcomes_of(record: Record) -> list[str | None]:
    """Return the outcome of each seat; None for all seats of an unrated match.

    If another bot was at fault, the outcome is the score's.
    """
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
