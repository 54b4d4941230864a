"""Ratings: the strength of bots by maximum likelihood, and the Elo difference behind a score. Pure functions, no I/O.

`PairScore` and `Rating` are values of the store (`palio_db.values`, which knows no database): ratings are computed from
its values and saved in it, and its tables need the rating of a bot that has not played.
"""
