"""Races, walked forwards: how far each entrant still had to go, and which of its moves did not bring it nearer."""

from collections.abc import Iterator
from typing import Any

from palio_clients.analysing.walk import Step, Walk
from palio_clients.games import companion_of
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game
from palio_rules.records.analysis import JudgedPly, Mark


def alone(walk: Walk, seconds: float, whole: Budget) -> Iterator[JudgedPly]:
    """In the order of plies; see `analysed`."""
    if walk.rules.anytime:
        yield from _anytime(walk)
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


def _anytime(walk: Walk) -> Iterator[JudgedPly]:
    """What the best solution cost after each ply; no search knows what it could have cost."""
    yield JudgedPly(0, 0, "", (walk.rules.cost(walk.start),), (None,))
    for step in walk.steps:
        yield JudgedPly(step.ply, step.seat, step.text, (walk.rules.cost(step.after),), (None,))


class _Guide:
    def __init__(self, rules: Game[Any, Any], solver: Solver, seconds: float, whole: Budget) -> None:
        self.rules, self.solver = rules, solver
        self._seconds, self._whole = seconds, whole

    def look(self, state: Any) -> Solution:
        """The shortest way from `state`, if it can be found in time."""
        if (outcome := state.outcome()) is not None:
            return Solution("win" if outcome.scores[0] == 1 else "loss", 0, shortest=True)
        return self.solver.solve(state, Budget(self._seconds, above=self._whole))

    def follow(self, before: Solution, step: Step) -> Solution:
        """The way from the position after `step`; a step along a shortest way leaves the rest of it."""
        if step.move is None:
            return Solution()  # the entrant has left: nothing remains to be done
        if before.verdict == "win" and before.shortest and before.line[:1] == (step.move,):
            return Solution("win", len(before.line) - 1, shortest=True, line=before.line[1:])
        return self.look(step.after)

    def cost(self, state: Any, way: Solution) -> float | None:
        """What the race will cost along the way; None if that is not known, or it does not end well."""
        if way.verdict != "win":
            return None
        for move in way.line:
            state = state.play(move)
        return self.rules.cost(state)

    def judged_ply(self, step: Step, before: Solution, after: Solution) -> JudgedPly:
        had, has = self.cost(step.before, before), self.cost(step.after, after)
        mark: Mark | None = None
        if before.verdict == "win" and after.verdict == "loss":
            mark = "??"
        elif had is not None and has is not None and has > had:
            mark = "?"
        best = self.rules.notation(step.before, before.line[0]) if mark is not None and before.line else ""
        distance = after.distance if after.verdict == "win" else None
        return JudgedPly(step.ply, step.seat, step.text, (has,), (after.verdict,), distance, best, mark)
