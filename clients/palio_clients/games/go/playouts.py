"""The worth of positions of Go by games that a tree search plays to their end: for analyses, hints, `palio solve`.

The evaluation of influence, by which alpha-beta and `greedy` choose moves, is no judgement for people: it believes that
all of the board belongs to the side that has its first stone.
"""

from dataclasses import replace

from palio_clients.games.advice import Advice, expecting
from palio_clients.games.companion import TreeSearch
from palio_clients.search.game_tree import Lookback, Stop, never
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import ProofSolver, Solution
from palio_rules.game import Game
from palio_rules.games.go_position import SIDES, Position
from palio_rules.records.record import value_of

NEAR_THE_END = 16  # legal moves, with the pass: of more there is no hope of a proof
PROOF = 0.25  # share of a budget for proofs
GAMES = 200_000  # for a position that is judged, at most
LEAST = 500  # games, in any time: fewer tell nothing,
SURE = 2000  # and fewer than these are no search that a mark could rest on
ADVISED = 1000  # games for each step of a digit, or of a hint's depth


class PlayoutSolver(ProofSolver):
    """A solver of what is near the end. Of other positions it knows the share of games won, without kernels nothing."""

    how = "iterative deepening and proof-number search, then games to the end by tree search"

    def __init__(self, rules: Game[Position, str], lookback: Lookback, search: TreeSearch | None) -> None:
        super().__init__(rules, lambda _state, _seat: 0.0, lookback)
        self._search = search

    def solve(self, state: Position, budget: Budget) -> Solution:
        proof = Solution()
        if len(list(state.legal_moves())) <= NEAR_THE_END:
            proof = super().solve(state, budget.share(PROOF))
        if proof.verdict is not None:
            return proof
        unknown = Solution(at_least=proof.at_least)
        if self._search is None:
            return unknown
        budget.stage = "games to the end"
        best = self._search(state, nodes=min(GAMES, budget.most() or GAMES), seed=1, stop=budget.stop)
        if best.nodes < LEAST:
            best = self._search(state, nodes=LEAST, seed=1, stop=never)
        budget.spend(best.nodes)
        note = f"{SIDES[state.turn]} wins {best.score:.0%} of {best.nodes:,} games"
        depth = best.depth if best.nodes >= SURE else 1
        return replace(unknown, value=value_of(best.score), depth=depth, line=best.pv, note=note)


class PlayoutAdviser:
    """An adviser by tree search: a digit is so many thousand games."""

    promise = "play the best move of so many thousand games"

    def __init__(self, rules: Game[Position, str], search: TreeSearch) -> None:
        self._rules, self._search = rules, search

    def advise(self, state: Position, limit: int, stop: Stop) -> Advice:
        best = self._search(state, nodes=ADVISED * limit, seed=1, stop=stop)
        said = f"you win {best.score:.0%} of {best.nodes:,} games"
        return Advice(best.move, f"limit {limit}: {said}", said + expecting(self._rules, state, best))
