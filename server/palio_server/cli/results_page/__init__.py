"""The result of a tournament as one HTML file, which any site can show: no server, no network, no other file.

Standings, cross-table, faults and rounds are plain HTML. A script of the page steps through replays of games that ended
by a fault; without it, each shows its last position and its moves.
"""

from palio_server.cli.results_page.page import results_page

__all__ = ["results_page"]
