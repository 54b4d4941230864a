"""Play for mistakes in lost positions of Dominoes. This module needs numba.

The winner is certain long before the board is full, and the loser needs a mistake: the fewer replies keep the win, and
the less promising they look, the likelier the opponent is to miss them.
"""

from functools import cached_property

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.games.dominoes.kernels import Solver, alpha_beta
from palio_clients.games.dominoes.kernels.proof import LOST
from palio_clients.games.engine import Engine, Limits
from palio_clients.kernels.jit import Flag, stop_flag
from palio_clients.search.game_tree import WIN, Best, Stop, Stopped
from palio_rules.games.dominoes import Move, Position

TASK = 2000  # nodes at most for the proof after one reply
AHEAD = 3  # plies that an opponent is supposed to see


class SwindleEngine:
    """An engine that thinks as `engine` does; in a lost position it plays for mistakes."""

    remark: str | None = None

    def __init__(self, engine: Engine, start: Position) -> None:
        self._engine, self._start = engine, start

    def warm_up(self) -> None:
        self._engine.warm_up()
        if self._start.to_move is not None:
            self._solver.move(self._start, max_nodes=1)
            alpha_beta(self._start, 1)

    def best(self, state: Position, limits: Limits, stop: Stop) -> Best:
        best = self._engine.best(state, limits, stop)
        if limits.depth or best.score > -WIN / 2:
            return best
        moves = self._promising(state, limits, stop)
        with stop_flag(stop) as flag:
            return self._hardest(state, moves, best, limits, flag)

    def _hardest(self, state: Position, moves: list[Move], best: Best, limits: Limits, flag: Flag) -> Best:
        """Return the one of `moves` which leaves the smallest share of winning replies, as far as time allows."""
        nodes, least, chosen = best.nodes, 2.0, best.move
        for move in moves:
            if least > 1:
                chosen = move
            left = max(1, limits.nodes - nodes) if limits.nodes else 0
            share, spent = self._share(state.play(move), left, flag)
            nodes += spent
            if share is None:
                break
            if share < least:
                chosen, least = move, share
        return best._replace(move=chosen, pv=(chosen,), nodes=nodes)

    def _share(self, state: Position, limit: int, flag: Flag) -> tuple[float | None, int]:
        """Return the share of replies in `state` that are proven to win, None if not all were tried; and the nodes."""
        nodes, winning, replies = 0, 0, list(state.legal_moves())
        for reply in replies:
            if limit and nodes + TASK >= limit:
                return None, nodes
            won, spent = self._wins(state.play(reply), flag)
            winning, nodes = winning + won, nodes + spent
            if flag[0]:
                return None, nodes
        return winning / len(replies), nodes

    def _promising(self, state: Position, limits: Limits, stop: Stop) -> list[Move]:
        """Return the moves that do not lose at once, first those that look worst to the opponent."""
        found = []
        for move in state.legal_moves():
            after = state.play(move)
            if after.to_move is not None:
                found.append((self._prospects(after, limits, stop), move))
        return [move for _, move in sorted(found)]

    def _prospects(self, state: Position, limits: Limits, stop: Stop) -> float:
        if limits.nodes == 0:
            try:
                return alpha_beta(state, AHEAD, stop=stop).score
            except Stopped:
                pass
        return evaluate(state, state.turn)

    def _wins(self, state: Position, flag: Flag) -> tuple[bool, int]:
        """Return whether the side that has just moved is proven to win; and the nodes of the proof."""
        if state.to_move is None:
            return True, 0
        verdict, _, nodes = self._solver.move_until(state, flag, TASK)
        return verdict == LOST, nodes

    @cached_property
    def _solver(self) -> Solver:
        return Solver()
