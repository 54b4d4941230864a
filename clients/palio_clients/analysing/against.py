"""Duels and tables, walked backwards: who wins after a move had a win before it, without any search.

What a solver remembers of an ending helps with what came before it, too.
"""

from collections.abc import Iterator
from typing import Any

from palio_clients.analysing.judgement import Judgement, for_mover, mark_of
from palio_clients.analysing.walk import Step, Walk
from palio_clients.games import companion_of
from palio_clients.games.engine import shown
from palio_clients.search.deepening import deepening
from palio_clients.search.game_tree import worth
from palio_clients.search.max_n import max_n
from palio_clients.solving.budget import Budget
from palio_rules.records.analysis import JudgedPly

AGAIN = 4.0  # times as long, for a position in which a proven win seems to be gone
PROOF = 0.4  # of a table's time; the rest is for the evaluation


def against(walk: Walk, seconds: float, whole: Budget) -> Iterator[JudgedPly]:
    """The last ply first, ply 0 last; see `analysed`."""
    positions = [walk.start, *(step.after for step in walk.steps)]
    judged: dict[int, Judgement] = {}
    judges = _Judge(walk, seconds, whole)
    for number in reversed(range(len(positions))):
        step = walk.steps[number] if number < len(walk.steps) else None
        found = judges.judge(positions[number], step, judged.get(number + 1))
        if not whole.stop() and step is not None and _doubtful(found, judged[number + 1], step):
            judged[number + 1] = judges.search(step.after, AGAIN)
        if whole.stop():
            break
        judged[number] = found
        if number + 2 in judged:  # what was judged of the position before it will not change any more
            yield _judged_ply(walk, walk.steps[number + 1], judged[number + 1], judged[number + 2])
    if 0 in judged:
        if walk.steps:
            yield _judged_ply(walk, walk.steps[0], judged[0], judged[1])
        first = judged[0]
        yield JudgedPly(0, walk.start.to_move or 0, "", first.values, first.verdicts, first.distance)


def _doubtful(before: Judgement, after: Judgement, step: Step) -> bool:
    """Whether a win that was there before a move has not been found after it."""
    return step.move is not None and before.verdicts[step.seat] == "win" and after.verdicts[step.seat] is None


def _judged_ply(walk: Walk, step: Step, before: Judgement, after: Judgement) -> JudgedPly:
    mark = None
    if step.move is not None and before.best != step.move:
        mark = mark_of(before, after, step.seat)
    best = walk.rules.notation(step.before, before.best) if mark is not None and before.best is not None else ""
    return JudgedPly(step.ply, step.seat, step.text, after.values, after.verdicts, after.distance, best, mark)


class _Judge:
    def __init__(self, walk: Walk, seconds: float, whole: Budget) -> None:
        self._rules, self._seats = walk.rules, walk.seats
        self._seconds, self._whole = seconds, whole
        companion = companion_of(walk.rules.name)
        self._solver, self._evaluate = companion.solver(walk.rules), companion.evaluate

    def judge(self, state: Any, step: Step | None, after: Judgement | None) -> Judgement:
        """What is known of `state`, from which `step` led to what was judged `after`."""
        if step is not None and after is not None and step.move is not None and after.verdicts[step.seat] == "win":
            distance = None if after.distance is None else after.distance + 1
            return Judgement.proven(after.verdicts, distance, step.move)
        return self.search(state)

    def search(self, state: Any, times: float = 1.0) -> Judgement:
        """What a search finds out, in so many times the usual time."""
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
        value = shown(found.value or 0.0)
        values = tuple(value if seat == mover else 0.0 - value for seat in range(self._seats))
        return Judgement((None,) * self._seats, values, best=found.line[0] if found.line else None)

    def _for_each(self, state: Any, budget: Budget) -> Judgement:
        """Where each seat does what is best for itself: the evaluation at the end of that line, for each."""
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
        return Judgement((None,) * self._seats, values, best=best.move)
