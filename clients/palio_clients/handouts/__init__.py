"""The APIs of the courses that these games come from, by the handouts' own file, class and function names.

One folder per course. With `PYTHONPATH` set to it, a course's own tests import what they know by name (`from game
import BoardState`); that is why the files in it import each other as the course does. The rules and the searches
behind them are ours.
"""
