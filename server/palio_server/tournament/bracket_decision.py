"""Who goes on from one pairing of a knockout, and by what.

Best of N encounters, each scored as a whole, which end once nobody can catch up. If some are level after them: extra
encounters between all of the pairing, after each of which only the best of those who were level stay; then the faster
clocks (thinking time of all games of the pairing); then the better seed. So every pairing comes to a decision.

A bot that has given up an encounter is out of a pairing that points have not decided. A bot that has left the event is
out, too, if another encounter would be needed. Nobody plays on without them: if several of a table are left, points,
clocks and seeds decide between those. Whoever leaves later changes nothing that has been decided.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from palio_server.tournament.event import Encounter


@dataclass(frozen=True, slots=True)
class Terms:
    best_of: int = 1  # encounters
    extra: int = 2  # more of them, at most, where some are level


@dataclass(frozen=True, slots=True)
class Decision:
    """How a pairing stands. Without a winner: `again` says whether another encounter is to be played now."""

    winner: str | None = None
    how: str = ""  # "bye", "walkover", "forfeit", "extra encounter 1", "faster clocks", "better seed"; "": by points
    again: bool = False
    scores: dict[str, float] = field(default_factory=dict)  # encounters won, level ones half
    clocks: dict[str, int] = field(default_factory=dict)  # milliseconds of thinking


def decide(bots: Sequence[str], encounters: Sequence[Encounter], terms: Terms, gone: Collection[str] = ()) -> Decision:
    """How it stands between `bots`, the better seed first, after these encounters. `gone`: they have left the event.

    A bye that was planned between several is a walkover, and stands whoever leaves afterwards.
    """
    played = [encounter for encounter in encounters if encounter.plan.kind == "played"]
    scores, clocks = points_of(bots, played), clocks_of(bots, played)
    given = next((encounter.bots[0] for encounter in encounters if encounter.plan.kind != "played"), None)
    winner: str | None
    if len(bots) == 1 or given is not None:
        winner, how, again = given or bots[0], "bye" if len(bots) == 1 else "walkover", False
    elif not all(encounter.over for encounter in played):
        winner, how, again = None, "", False
    else:
        winner, how, again = _decided(bots, played, terms, gone)
    if winner is not None and not how and _unopposed(winner, bots, played):
        how = "forfeit"
    return Decision(winner, how, again, scores, clocks)


def _decided(
    bots: Sequence[str], played: Sequence[Encounter], terms: Terms, gone: Collection[str]
) -> tuple[str | None, str, bool]:
    """Winner, how, again: of a pairing of several whose encounters are over."""
    regular, extras = played[: terms.best_of], played[terms.best_of :]
    scores = points_of(bots, regular)
    level = _best(bots, scores)
    behind = max((scores[bot] for bot in bots if bot not in level), default=0.0)
    missing = terms.best_of - len(regular)
    if len(level) == 1 and scores[level[0]] > behind + missing + 1e-9:
        return level[0], "", False
    for number, extra in enumerate(extras, 1):
        level = _best(level, extra.shares())
        if len(level) == 1:
            return level[0], f"extra encounter {number}", False
    gave_up = {bot for encounter in played for bot in encounter.forfeits}
    if gave_up:
        return _best_of([bot for bot in bots if bot not in gave_up], bots, played, "forfeit")
    if len(played) < terms.best_of + terms.extra:
        if any(bot in gone for bot in bots):
            return _best_of([bot for bot in bots if bot not in gone], bots, played, "walkover")
        return None, "", True
    return *_by_clocks(level, clocks_of(bots, played)), False


def _best_of(
    stayed: Sequence[str], bots: Sequence[str], played: Sequence[Encounter], how: str
) -> tuple[str, str, bool]:
    """The best of those who have stayed; of all, if nobody has."""
    level = _best(stayed or bots, points_of(bots, played))
    winner, by = _by_clocks(level, clocks_of(bots, played))
    return winner, how if stayed or how == "walkover" else by, False


def _unopposed(winner: str, bots: Sequence[str], played: Sequence[Encounter]) -> bool:
    """Whether everybody else has given up, or nobody has played against them."""
    gave_up = {bot for encounter in played for bot in encounter.forfeits}
    return gave_up == set(bots) - {winner} or not any(encounter.fought for encounter in played)


def _by_clocks(level: Sequence[str], clocks: dict[str, int]) -> tuple[str, str]:
    fastest = min(clocks[bot] for bot in level)
    first = [bot for bot in level if clocks[bot] == fastest]
    return first[0], "faster clocks" if len(first) == 1 else "better seed"


def _best(bots: Sequence[str], points: dict[str, float]) -> list[str]:
    most = max(points[bot] for bot in bots)
    return [bot for bot in bots if points[bot] > most - 1e-9]


def points_of(bots: Sequence[str], played: Sequence[Encounter]) -> dict[str, float]:
    """What each has made of the encounters that are over: 1, 1/2 or 0 of each in a duel."""
    points = dict.fromkeys(bots, 0.0)
    for encounter in played:
        if encounter.over:
            for bot, share in encounter.shares().items():
                points[bot] += share
    return points


def clocks_of(bots: Sequence[str], played: Sequence[Encounter]) -> dict[str, int]:
    """Thinking time in all finished games of these encounters, in milliseconds."""
    clocks = dict.fromkeys(bots, 0)
    for encounter in played:
        for match in encounter.finished:
            for bot, ms in zip(match.bots, match.ms, strict=False):  # ms is () where nobody has measured it
                clocks[bot] += ms
    return clocks
