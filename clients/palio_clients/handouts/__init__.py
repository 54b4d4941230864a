"""The APIs of the games' original courses, with the file, class and function names of the handouts.

One folder per course. With `PYTHONPATH` set to it, a course's own tests import these modules by name (`from game import
BoardState`); that is why the files in it import each other as the course does. The rules and the searches behind them
are our own.
"""
