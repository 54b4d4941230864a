"""Proofs: the exact value of a position, and a line of play that shows it.

The common parts of all solvers: the interface (`solver`, `budget`), and the methods that work for any game, proof
search (`proof`) and A* (`planning`); `engine_solver` uses compiled engines. A game's own solver is in its companion's
folder, in `palio_clients.games`.
"""
