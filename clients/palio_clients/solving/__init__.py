"""Proofs: the exact value of a position, and a line of play that shows it.

What all solvers share: the interface (`solver`, `budget`), and the methods that work for any game, proof
search (`proof`) and A* (`planning`); `engine_solver` asks compiled engines. A game's own solver lies with all else that
is known of it, in `palio_clients.games`.
"""
