"""Analysis of a recorded match, ply by ply: `analyse_record` yields what `palio_rules.records.record` describes.

Games with an opponent are walked backwards (`analyse_game`), because a proof of an ending proves much of the plies
before it; races forwards (`analyse_race`), for each entrant separately. `MatchWalk` defines how plies are counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from palio_clients.games import companion_of
from palio_clients.games.engine import shown
from palio_clients.search.game_tree import deepening, worth
from palio_clients.search.minimax import max_n
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game, Outcome
from palio_rules.records.boards import boards_of
from palio_rules.records.record import JudgedPly, Mark, Record, Verdict, expected

__all__ = ["analyse_record"]


# The judgement of one position with an opponent, and the mark of a ply between two positions.

OTHERS: dict[Verdict, Verdict] = {"win": "loss", "draw": "draw", "loss": "win"}
RANK: dict[Verdict, int] = {"loss": 0, "draw": 1, "win": 2}
SHARE: dict[Verdict, float] = {"loss": 0.0, "draw": 0.5, "win": 1.0}
MUCH = 0.25  # of an expected point: a lead of about two units is lost
SEARCHED = 2  # plies without which a value supports no mark: a look at one position, or at one move ahead

Verdicts = tuple[Verdict | None, ...]


class Judgement(NamedTuple):
    """A judgement by seat; `best` is the move to play, if one is known to be better than others.

    `depth` is how many plies were searched for the values.
    """

    verdicts: Verdicts
    values: tuple[float | None, ...]
    distance: int | None = None
    best: Any | None = None
    depth: int = SEARCHED

    @classmethod
    def proven(cls, verdicts: Verdicts, distance: int | None, best: Any | None = None) -> "Judgement":
        return cls(verdicts, (None,) * len(verdicts), distance, best)

    @classmethod
    def of(cls, outcome: Outcome) -> "Judgement":
        """Return the judgement of a finished game: a seat has won it alone, lost it, or shares the point."""
        return cls.proven(tuple(_verdict(score) for score in outcome.scores), 0)

    def points(self, seat: int) -> float | None:
        """Return the expected points of `seat`, from 0 to 1; None: no search tells them."""
        verdict, value = self.verdicts[seat], self.values[seat]
        if verdict is not None:
            return SHARE[verdict]
        return None if value is None or self.depth < SEARCHED else expected(value)


def for_mover(verdict: Verdict, mover: int, seats: int) -> Verdicts:
    """Return the verdicts of all seats from one for the seat to move: one seat's win is a loss for all others."""
    verdicts: list[Verdict] = [OTHERS[verdict]] * seats
    verdicts[mover] = verdict
    return tuple(verdicts)


def mark_of(before: Judgement, after: Judgement, seat: int) -> Mark | None:
    """Return the mark of the ply of `seat` between the two judgements."""
    had, has = before.verdicts[seat], after.verdicts[seat]
    if had is not None and has is not None:
        return "??" if RANK[has] < RANK[had] else None
    if had is not None:
        return "?" if had == "win" else None  # from a draw or a loss, no loss of points is proven
    hoped, got = before.points(seat), after.points(seat)
    return "?" if hoped is not None and got is not None and hoped - got >= MUCH else None


def _verdict(score: float) -> Verdict:
    return "win" if score == 1 else "loss" if score == 0 else "draw"


# A record as a walk from position to position, with the plies as viewers count them.

OUT = "out"  # in place of a move, where a seat left
NO_BETTER = "no better"  # in place of a solution that an anytime race's record does not contain


class MatchStep(NamedTuple):
    """A ply with the positions before and after it; in a race, on the board of its entrant."""

    ply: int
    seat: int
    move: Any | None  # None if the seat left, or the record has no solution
    text: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class MatchWalk:
    """All steps of a match, the opening's first."""

    rules: Game[Any, Any]
    start: Any
    steps: tuple[MatchStep, ...]
    seats: int

    @classmethod
    def of(cls, record: Record) -> Self:
        """Build the walk of a record. Raises ValueError if the record cannot be played."""
        setup, rules = record.setup, record.setup.rules()
        start = state = setup.first()
        steps: list[MatchStep] = []
        for value in setup.opening:
            move = rules.read_move(state, value)
            after = state.play(move)
            steps.append(MatchStep(len(steps) + 1, state.to_move, move, rules.notation(state, move), state, after))
            state = after
        boards = boards_of(setup)
        for ply in record.plies:
            before = boards.of(ply.seat)
            unknown = ply.out is not None or (ply.move is None and rules.anytime)
            move = None if unknown else rules.read_move(before, ply.move)
            text = OUT if ply.out is not None else NO_BETTER if move is None else rules.notation(before, move)
            steps.append(MatchStep(len(steps) + 1, ply.seat, move, text, before, boards.play(ply)))
        return cls(rules, start, tuple(steps), len(setup.bots))


# Duels and tables, walked backwards: a proven win after a move is a proven win before it, without any search.
#
# A solver's memory of an ending helps with the plies before it, too.

AGAIN = 4.0  # times as long, for a position in which a proven win seems to be lost
PROOF = 0.4  # share of a table's time; the rest is for the evaluation


def analyse_game(walk: MatchWalk, seconds: float, whole: Budget, solver: Solver | None = None) -> Iterator[JudgedPly]:
    """Yield judgements, the last ply first, ply 0 last; see `analyse_record`."""
    positions = [walk.start, *(step.after for step in walk.steps)]
    judged: dict[int, Judgement] = {}
    judges = _Judge(walk, seconds, whole, solver)
    for number in reversed(range(len(positions))):
        step = walk.steps[number] if number < len(walk.steps) else None
        found = judges.judge(positions[number], step, judged.get(number + 1))
        if not whole.stop() and step is not None and _doubtful(found, judged[number + 1], step):
            judged[number + 1] = judges.search(step.after, AGAIN)
        if whole.stop():
            break
        judged[number] = found
        if number + 2 in judged:  # the judgement of the position before it is final
            yield _judged_ply(walk, walk.steps[number + 1], judged[number + 1], judged[number + 2])
    if 0 in judged:
        if walk.steps:
            yield _judged_ply(walk, walk.steps[0], judged[0], judged[1])
        first = judged[0]
        yield JudgedPly(0, walk.start.to_move or 0, "", first.values, first.verdicts, first.distance)


def _doubtful(before: Judgement, after: Judgement, step: MatchStep) -> bool:
    """Return whether a win that was proven before a move was not found after it."""
    return step.move is not None and before.verdicts[step.seat] == "win" and after.verdicts[step.seat] is None


def _judged_ply(walk: MatchWalk, step: MatchStep, before: Judgement, after: Judgement) -> JudgedPly:
    mark = None
    if step.move is not None and before.best != step.move:
        mark = mark_of(before, after, step.seat)
    best = walk.rules.notation(step.before, before.best) if mark is not None and before.best is not None else ""
    return JudgedPly(step.ply, step.seat, step.text, after.values, after.verdicts, after.distance, best, mark)


class _Judge:
    def __init__(self, walk: MatchWalk, seconds: float, whole: Budget, solver: Solver | None) -> None:
        self._rules, self._seats = walk.rules, walk.seats
        self._seconds, self._whole = seconds, whole
        companion = companion_of(walk.rules.name)
        self._solver, self._evaluate = solver or companion.solver(walk.rules), companion.evaluate

    def judge(self, state: Any, step: MatchStep | None, after: Judgement | None) -> Judgement:
        """Return the judgement of `state`, from which `step` led to the position judged `after`."""
        if step is not None and after is not None and step.move is not None and after.verdicts[step.seat] == "win":
            distance = None if after.distance is None else after.distance + 1
            return Judgement.proven(after.verdicts, distance, step.move)
        return self.search(state)

    def search(self, state: Any, times: float = 1.0) -> Judgement:
        """Return the result of a search, in so many times the usual time."""
        if (outcome := state.outcome()) is not None:
            return Judgement.of(outcome)
        budget, mover = Budget(times * self._seconds, above=self._whole), state.to_move
        duel = self._rules.kind == "duel"
        found = self._solver.solve(state, budget if duel else budget.share(PROOF))
        if found.verdict is not None:
            best = found.line[0] if found.line else None
            return Judgement.proven(for_mover(found.verdict, mover, self._seats), found.distance, best)
        if not duel:
            return self._for_each(state, budget)
        best, unknown = found.line[0] if found.line else None, (None,) * self._seats
        if found.value is None:
            return Judgement(unknown, unknown, best=best)
        value = shown(found.value)
        values = tuple(value if seat == mover else 0.0 - value for seat in range(self._seats))
        return Judgement(unknown, values, best=best, depth=found.depth)

    def _for_each(self, state: Any, budget: Budget) -> Judgement:
        """Return the evaluation for each seat, if each seat plays what is best for itself."""
        *_, best = deepening(
            lambda depth, stop: max_n(state, depth, self._evaluate, seats=self._seats, stop=stop), budget.tick
        )
        for move in best.pv:
            state = state.play(move)
        outcome = state.outcome()
        values = tuple(
            self._evaluate(state, seat) if outcome is None else shown(worth(outcome, seat, 0))
            for seat in range(self._seats)
        )
        return Judgement((None,) * self._seats, values, best=best.move, depth=best.depth)


# Races, walked forwards: the remaining distance of each entrant, and its moves that did not shorten it.


def analyse_race(walk: MatchWalk, seconds: float, whole: Budget) -> Iterator[JudgedPly]:
    """Yield judgements in the order of plies; see `analyse_record`."""
    if walk.rules.anytime:
        yield from _analyse_anytime(walk)
        return
    guide = _Guide(walk.rules, companion_of(walk.rules.name).solver(walk.rules), seconds, whole)
    guide.solver.survey(walk.start, whole)
    first = guide.look(walk.start)
    if whole.stop():
        return
    yield JudgedPly(0, 0, "", (guide.cost(walk.start, first),), (first.verdict,), first.distance)
    known = dict.fromkeys(range(walk.seats), first)  # of each entrant's board
    for step in walk.steps:
        before, after = known[step.seat], guide.follow(known[step.seat], step)
        if whole.stop():
            return
        known[step.seat] = after
        yield guide.judged_ply(step, before, after)


def _analyse_anytime(walk: MatchWalk) -> Iterator[JudgedPly]:
    """Yield the cost of the best solution after each ply; no search tells what was possible."""
    yield JudgedPly(0, 0, "", (walk.rules.cost(walk.start),), (None,))
    for step in walk.steps:
        yield JudgedPly(step.ply, step.seat, step.text, (walk.rules.cost(step.after),), (None,))


class _Guide:
    def __init__(self, rules: Game[Any, Any], solver: Solver, seconds: float, whole: Budget) -> None:
        self.rules, self.solver = rules, solver
        self._seconds, self._whole = seconds, whole

    def look(self, state: Any) -> Solution:
        """Return the shortest path from `state`, if it is found in time."""
        if (outcome := state.outcome()) is not None:
            return Solution("win" if outcome.scores[0] == 1 else "loss", 0, shortest=True)
        return self.solver.solve(state, Budget(self._seconds, above=self._whole))

    def follow(self, before: Solution, step: MatchStep) -> Solution:
        """Return the path from the position after `step`; after a step along a shortest path it is the rest of it."""
        if step.move is None:
            return Solution()  # the entrant has left: nothing remains to be done
        if before.verdict == "win" and before.shortest and before.line[:1] == (step.move,):
            return Solution("win", len(before.line) - 1, shortest=True, line=before.line[1:])
        return self.look(step.after)

    def cost(self, state: Any, way: Solution) -> float | None:
        """Return the cost of the race along the path; None if it is unknown, or the race is not solved."""
        if way.verdict != "win":
            return None
        for move in way.line:
            state = state.play(move)
        return self.rules.cost(state)

    def judged_ply(self, step: MatchStep, before: Solution, after: Solution) -> JudgedPly:
        had, has = self.cost(step.before, before), self.cost(step.after, after)
        mark: Mark | None = None
        if before.verdict == "win" and after.verdict == "loss":
            mark = "??"
        elif had is not None and has is not None and has > had:
            mark = "?"
        best = self.rules.notation(step.before, before.line[0]) if mark is not None and before.line else ""
        distance = after.distance if after.verdict == "win" else None
        return JudgedPly(step.ply, step.seat, step.text, (has,), (after.verdict,), distance, best, mark)


def analyse_record(record: Record, seconds: float, whole: Budget, solver: Solver | None = None) -> Iterator[JudgedPly]:
    """Yield every ply of the match once, in any order, after a search of `seconds` for each position.

    `solver` judges positions with an opponent; without one the game's own does. Ends early when `whole` is used up or
    cancelled, without the plies that were not searched long enough. Raises ValueError if the record cannot be played.
    """
    walk = MatchWalk.of(record)
    if walk.rules.kind == "race":
        return analyse_race(walk, seconds, whole)
    return analyse_game(walk, seconds, whole, solver)
