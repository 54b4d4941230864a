"""How strong bots are: ratings by maximum likelihood, and what a score says in Elo. Pure functions, no I/O.

`PairScore` and `Rating` are values of the store (`palio_db.values`, which knows no database): what is computed here is
read from it and kept in it, and its tables need the rating of a bot that has not played.
"""
